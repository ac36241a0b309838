import Testing

@testable import AWSClient

@Suite("Errors about tables")
struct TableErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let step: ScriptedTransport.Step
        let code: AWSError.Code
        let hint: String
        var testDescription: String { hint }
    }

    static let cases = [
        Case(
            step: .error("ResourceNotFoundException", message: "Requested resource not found"),
            code: .resourceNotFound,
            hint: "There is no such table in the credentials' account in eu-west-1"
                + " (https://dynamodb.eu-west-1.amazonaws.com/)."),
        Case(
            step: .error("ValidationException", message: "The provided key element does not match the schema"),
            code: .validation, hint: "Compare the request's key with that of the table"),
        Case(
            step: .error("ValidationException", message: "One or more … invalid: Missing the key id in the item"),
            code: .validation, hint: "Compare the request's key with that of the table"),
        Case(
            step: .error("ValidationException", message: "The table does not have the specified index: due"),
            code: .validation, hint: "Compare the name with the indexes of the table"),
        Case(
            step: .error("AccessDeniedException", message: "User: … is not authorized to perform: dynamodb:GetItem"),
            code: .accessDenied, hint: "Allow that action on that resource"),
        Case(
            step: .error(
                "TransactionCanceledException",
                members: #","CancellationReasons":[{"Code":"None"},{"Code":"ValidationError","Message":"#
                    + #""The provided key element does not match the schema"}]"#),
            code: .transactionCanceled, hint: "Compare the request's key with that of the table"),
    ]

    @Test("name the operation, the table and what to do", arguments: cases)
    func hints(_ example: Case) async throws {
        let error = try #require(
            await #expect(throws: AWSError.self) { try await Bench([example.step]).get() })
        #expect(error.code == example.code && error.operation == "GetItem" && error.tables == ["t"])
        #expect(error.hint?.hasPrefix(example.hint) == true)
        #expect(error.description.hasSuffix("(GetItem of the table “t”, request R1)"))
    }

    @Test("name all tables of a transaction or batch, each once, and no key or value")
    func manyTables() async throws {
        let bench = try Bench([.error("ResourceNotFoundException", message: "Requested resource not found")])
        let items = ["b", "a", "b"].map { table in
            TransactWriteItem.put(.init(tableName: table, item: ["pk": .string("secret")]))
        }
        let error = try #require(
            await #expect(throws: AWSError.self) {
                try await bench.dynamoDB.transactWriteItems(.init(transactItems: items))
            })
        #expect(error.tables == ["b", "a"] && !"\(error)".contains("secret"))
        #expect("\(error)".contains("TransactWriteItems of the tables “b”, “a”"))
    }

    @Test("leave out hints for what is wrong with an item, and keep those that there are")
    func otherErrors() async throws {
        let large = await #expect(throws: AWSError.self) {
            try await Bench([.error("ValidationException", message: "Item size has exceeded the maximum")]).put()
        }
        #expect(large?.hint == nil && large?.operation == "PutItem" && large?.tables == ["t"])
        let failed = await #expect(throws: AWSError.self) {
            try await Bench([.error("ConditionalCheckFailedException")]).put()
        }
        #expect(failed?.hint == nil)
    }

    @Test("name the address that gave no answer")
    func noAnswer() async throws {
        let error = await #expect(throws: AWSError.self) {
            try await Bench(Array(repeating: .refusedConnection, count: 4)).get()
        }
        #expect(
            error?.message
                == "GetItem was not answered by https://dynamodb.eu-west-1.amazonaws.com/: connection refused.")
        let client = try AWSClient(
            region: "eu-west-1", endpoint: "http://127.0.0.1:1", credentials: CountedCredentials(),
            transport: ScriptedTransport(Array(repeating: .lost, count: 4)),
            options: AWSClient.Options(time: ManualTime().source))
        let own = await #expect(throws: AWSError.self) {
            _ = try await DynamoDB(client).describeTable(.init(tableName: "t"))
        }
        #expect(own?.message.contains("http://127.0.0.1:1/") == true)
    }

    @Test("say which member of an answer was not understood, and no value")
    func causes() async throws {
        let answer = HTTPResponse(status: 200, body: Array(#"{"Item":{"name":{"S":7}}}"#.utf8))
        let error = try #require(
            await #expect(throws: AWSError.self) { try await Bench([.answer(answer)]).get() })
        #expect(error.code == .invalidAnswer && "\(error)".contains("The member “item” is not what its type expects."))
        #expect(!"\(error)".contains("7"))
    }
}
