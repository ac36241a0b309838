import Testing

@testable import AWSClient

@Suite("Batches")
struct BatchTests {
    private static func answer(_ json: String) -> ScriptedTransport.Step {
        .answer(HTTPResponse(status: 200, body: Array(json.utf8)))
    }
    private static func puts(_ count: Int) -> BatchWriteItemRequest {
        BatchWriteItemRequest(requestItems: ["t": (0..<count).map { .put(["pk": .integer($0)]) }])
    }
    private static let leftOver = answer(
        """
        {"UnprocessedItems":{"t":[{"PutRequest":{"Item":{"pk":{"N":"7"}}}},
        {"DeleteRequest":{"Key":{"pk":{"N":"8"}}}}]}}
        """)
    private static let allLeft = answer(#"{"UnprocessedItems":{"t":[{"PutRequest":{"Item":{"pk":{"N":"0"}}}}]}}"#)

    @Test("writes 25 at a time, and what was left out again after a pause")
    func writing() async throws {
        let bench = try Bench([Self.leftOver, .success])
        _ = try await bench.dynamoDB.batchWriteAll(Self.puts(27))
        let sizes = try bench.transport.requests.map { request in
            let body = try #require(try JSONReader.value(of: request.body).map)
            return body["RequestItems"]?.map?["t"]?.list?.count
        }
        #expect(sizes == [25, 4])
        #expect(bench.time.pauses.count == 1)
        let last = String(decoding: try #require(bench.transport.requests.last).body, as: UTF8.self)
        #expect(last.contains(#"{"DeleteRequest":{"Key":{"pk":{"N":"8"}}}}"#))
    }

    @Test("gives up when nothing gets any further, and says whether something was written")
    func exhaustion() async throws {
        let bench = try Bench(Array(repeating: Self.allLeft, count: 50))
        let error = await #expect(throws: AWSError.self) { try await bench.dynamoDB.batchWriteAll(Self.puts(1)) }
        #expect(error?.code == .unprocessed)
        #expect(error?.mayHaveTakenEffect == false)
        #expect(bench.transport.requests.count == 8)

        let partly = try Bench([Self.leftOver] + Array(repeating: Self.leftOver, count: 50))
        let second = await #expect(throws: AWSError.self) { try await partly.dynamoDB.batchWriteAll(Self.puts(3)) }
        #expect(second?.mayHaveTakenEffect == true)
        let refused = try Bench([Self.leftOver, .error("ValidationException")])
        let third = await #expect(throws: AWSError.self) { try await refused.dynamoDB.batchWriteAll(Self.puts(3)) }
        #expect(third?.code == .validation)
        #expect(third?.mayHaveTakenEffect == true)
    }

    @Test("reads from several tables with each one's own settings, and adds up items and costs")
    func reading() async throws {
        let first = Self.answer(
            """
            {"Responses":{"a":[{"pk":{"N":"0"}}]},"ConsumedCapacity":[{"TableName":"a","CapacityUnits":1.5}],
            "UnprocessedKeys":{"b":{"Keys":[{"pk":{"N":"9"}}],"ConsistentRead":true}}}
            """)
        let second = Self.answer(
            #"{"Responses":{"a":[{"pk":{"N":"1"}}],"b":[{"pk":{"N":"9"}}]},"ConsumedCapacity":[{"CapacityUnits":0.5}]}"#
        )
        let bench = try Bench([first, second])
        let answer = try await bench.dynamoDB.batchGetAll(
            BatchGetItemRequest(requestItems: [
                "a": KeysAndAttributes(keys: [["pk": .integer(0)], ["pk": .integer(1)]], projectionExpression: "pk"),
                "b": KeysAndAttributes(keys: [["pk": .integer(9)]], consistentRead: true),
            ]))
        #expect(answer.responses?["a"]?.count == 2)
        #expect(answer.responses?["b"] == [["pk": .integer(9)]])
        #expect(answer.consumedCapacity?.compactMap(\.capacityUnits) == [1.5, 0.5])
        let again = try JSONReader.value(of: try #require(bench.transport.requests.last).body)
        #expect(again.map?["RequestItems"]?.map?["b"]?.map?["ConsistentRead"] == .bool(true))
        #expect(again.map?["RequestItems"]?.map?["a"] == nil)
    }
}
