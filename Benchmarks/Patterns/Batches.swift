import AWSClient
import DynamoDBPatterns
import Foundation
import Logging
import Synchronization

private let records = (0..<eventCount).map { "\($0)" }

private struct Refusal: Error {}

/// The handler of a record: one put, which fails for the fifth record of each batch when it comes first.
private func handler(at place: Place) -> @Sendable (String) async throws -> Void {
    let failed = Mutex<Set<String>>([])
    return { id in
        if id.hasSuffix("4"), failed.withLock({ $0.insert(id).inserted }) { throw Refusal() }
        place.effects.happen(id)
        try await place.put(["isHandled": .bool(true)], at: "record-\(id)")
    }
}

/// Delivers a batch of ten, and again what failed of it by the answers, as Lambda does.
private func deliver(_ batch: Int, to answer: ([String]) async throws -> [String], restFrom isOrdered: Bool)
    async throws
{
    var rest = Array(records[batch * 10..<batch * 10 + 10])
    while !rest.isEmpty {
        let failures = try await answer(rest)
        rest = isOrdered ? Array(rest.drop { !failures.contains($0) }) : rest.filter(failures.contains)
    }
}

/// Batches of which one record fails at first, answered in part.
struct AnsweredBatches: Contestant {
    enum Source { case queue, kinesis }

    let pattern = "Batch answers"
    let way: String
    let source: Source
    let isNaive = false
    let event = "record"
    let eventsInOrder = 10
    let results = Results(count: records.count, of: "records")

    private struct Answer: Decodable {
        struct Failure: Decodable { let itemIdentifier: String }
        let batchItemFailures: [Failure]
    }

    func worker(at place: Place) throws -> Work {
        let handle = handler(at: place)
        let answer: @Sendable ([UInt8]) async throws -> [UInt8]
        switch source {
        case .queue:
            let processor = try QueueProcessor("records", logger: quiet) { try await handle($0.id) }
            answer = { try await processor.answer(event: $0) }
        case .kinesis:
            let processor = try KinesisProcessor("records", logger: quiet) { try await handle($0.sequenceNumber) }
            answer = { try await processor.answer(event: $0) }
        }
        return { batch, _ in
            try await deliver(
                batch,
                to: { ids in
                    let bytes = try await answer(event(of: ids))
                    return try JSONDecoder().decode(Answer.self, from: Data(bytes)).batchItemFailures
                        .map(\.itemIdentifier)
                }, restFrom: source == .kinesis)
        }
    }

    func mistakes(at place: Place) async throws -> Int { place.effects.mistakes(of: records) }

    private var quiet: Logger { Logger(label: "benchmark") { _ in SwiftLogNoOpLogHandler() } }

    /// An event of Lambda's with these records.
    private func event(of ids: [String]) -> [UInt8] {
        let records = ids.map { id in
            switch source {
            case .queue:
                #"{"messageId":"\#(id)","body":"{}","eventSourceARN":"arn:aws:sqs:us-east-1:123456789012:records"}"#
            case .kinesis:
                """
                {"eventID":"shard:\(id)","eventSourceARN":"arn:aws:kinesis:us-east-1:123456789012:stream/records",
                "kinesis":{"sequenceNumber":"\(id)","partitionKey":"a","data":"e30="}}
                """
            }
        }
        return Array(#"{"Records":[\#(records.joined(separator: ","))]}"#.utf8)
    }
}

/// A function that throws if a record fails: the whole batch is delivered again.
struct NaiveBatches: Contestant {
    let pattern = "Batch answers"
    let way = "naive: throw"
    let isNaive = true
    let event = "record"
    let eventsInOrder = 10
    let results = Results(count: records.count, of: "records")

    func worker(at place: Place) throws -> Work {
        let handle = handler(at: place)
        return { batch, _ in
            try await deliver(
                batch,
                to: { ids in
                    do {
                        for id in ids { try await handle(id) }
                        return []
                    } catch is Refusal {
                        return ids
                    }
                }, restFrom: false)
        }
    }

    func mistakes(at place: Place) async throws -> Int { place.effects.mistakes(of: records) }
}
