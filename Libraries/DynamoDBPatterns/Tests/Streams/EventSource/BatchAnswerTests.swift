import Testing

@testable import DynamoDBPatterns

@Suite struct BatchAnswerTests {
    @Test(
        "Answers that are a success",
        arguments: [
            "", "null", "{}", #""""#, #"{"batchItemFailures":[]}"#, #"{"batchItemFailures":null}"#, #"{"other":1}"#,
        ])
    func success(_ answer: String) { #expect(BatchAnswer(Array(answer.utf8), to: ["1", "2", "3"]) == .success) }

    @Test(
        "Answers that are a total failure",
        arguments: [
            "no", "[]", "1", "true", #""done""#, #"{"batchItemFailures":"2"}"#, #"{"batchItemFailures":{}}"#,
            #"{"batchItemFailures":["2"]}"#, #"{"batchItemFailures":[{}]}"#,
            #"{"batchItemFailures":[{"itemIdentifier":""}]}"#, #"{"batchItemFailures":[{"itemIdentifier":null}]}"#,
            #"{"batchItemFailures":[{"itemIdentifier":2}]}"#, #"{"batchItemFailures":[{"identifier":"2"}]}"#,
            #"{"batchItemFailures":[{"itemIdentifier":"9"}]}"#,
            #"{"batchItemFailures":[{"itemIdentifier":"2"},{"itemIdentifier":"9"}]}"#,
        ])
    func totalFailure(_ answer: String) {
        #expect(BatchAnswer(Array(answer.utf8), to: ["1", "2", "3"]) == .totalFailure)
    }

    @Test("Of several failures the first in the batch counts")
    func firstFailure() {
        let answer = Array(Recorder.failed(30, 20).utf8)
        #expect(BatchAnswer(answer, to: ["10", "20", "30"]) == .failure(from: 1))
        #expect(BatchAnswer(answer, to: ["9", "10", "30", "20"]) == .failure(from: 2))
    }
}
