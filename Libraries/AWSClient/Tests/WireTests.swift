import Testing

@testable import AWSClient

@Suite("DynamoDB's JSON")
struct WireTests {
    @Test(
        "is read whatever its spacing and escapes",
        arguments: [
            ("{}", .map([:])), (" [ ] ", .list([])), ("-0.5e+3", .number("-0.5e+3")), ("null", .null),
            (
                #"{"a" : [true,false , {"b":"c"}]}"#,
                .map(["a": .list([.bool(true), .bool(false), .map(["b": .string("c")])])])
            ),
            (#""\"\\\/\b\f\n\r\t\u00fc\ud83e\udd8a""#, .string("\"\\/\u{8}\u{C}\n\r\tü🦊")), (#""ü""#, .string("ü")),
            (#"{"a":1,"a":2}"#, .map(["a": .number("2")])), (#""""#, .string("")),
        ] as [(String, AttributeValue)])
    func reading(text: String, value: AttributeValue) throws {
        #expect(try JSONReader.value(of: Array(text.utf8)) == value)
        #expect(try JSONReader.value(of: JSONWriter.bytes(of: value)) == value)
    }

    @Test("is read 128 levels deep, and refused beyond that", arguments: [("[", "]"), (#"{"a":"#, "}")])
    func depth(open: String, close: String) throws {
        func text(_ levels: Int) -> [UInt8] {
            Array((String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)).utf8)
        }
        let value = try JSONReader.value(of: text(127))
        #expect(JSONWriter.bytes(of: value) == text(127))
        for levels in [128, 1_000_000] {
            let failure = #expect(throws: JSONReader.Failure.self) { try JSONReader.value(of: text(levels)) }
            #expect(failure?.reason == "too many levels of nesting")
        }
    }

    @Test(
        "is refused where it is no JSON, at every length",
        arguments: [
            "", " ", "nul", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "[1 2]", "1 2", "\"", "\"\\",
            "\"\\x\"",
            "\"\\u12\"", "\"\\ud83e\"", "\"\\ud83e\\u0041\"", "\"\\udd8a\"", "\"\n\"", "+", "-", "1e", ".", "NaN",
            "'a'", "]", "//",
            String(repeating: "[", count: 200) + String(repeating: "]", count: 200),
            String(repeating: "[", count: 1_000_000),
        ])
    func refusing(text: String) {
        #expect(throws: JSONReader.Failure.self) { try JSONReader.value(of: Array(text.utf8)) }
    }

    @Test("is refused where its texts are not UTF-8, or it ends anywhere before its end")
    func truncation() throws {
        #expect(throws: JSONReader.Failure.self) { try JSONReader.value(of: [0x22, 0xFF, 0x22]) }
        #expect(throws: JSONReader.Failure.self) { try JSONReader.value(of: [0x22, 0x5C, 0x6E, 0xC3, 0x22]) }
        let whole = Array(#"{"a":[1.5,"\u00fc\n",{"b":null}],"c":true}"#.utf8)
        for length in 0..<whole.count {
            #expect(throws: JSONReader.Failure.self) { try JSONReader.value(of: Array(whole.prefix(length))) }
        }
    }

    @Test("names members as AWS does, leaves out nil, and keeps the caller's own names")
    func requests() throws {
        let request = TransactWriteItemsRequest(
            transactItems: [
                .update(
                    .init(
                        tableName: "t", key: ["pk": .string("a")], updateExpression: "SET #a = :a",
                        expressionAttributeNames: ["#a": "count"],
                        expressionAttributeValues: [":a": .map(["deep": .null])],
                        returnValuesOnConditionCheckFailure: .allOld)),
                .delete(.init(tableName: "t", key: ["lower": .binary([1])])),
            ], clientRequestToken: "x", returnConsumedCapacity: .total)
        let expected = """
            {"TransactItems":[{"Update":{"TableName":"t","Key":{"pk":{"S":"a"}},"UpdateExpression":"SET #a = :a",
            "ExpressionAttributeNames":{"#a":"count"},"ExpressionAttributeValues":{":a":{"M":{"deep":{"NULL":true}}}},
            "ReturnValuesOnConditionCheckFailure":"ALL_OLD"}},
            {"Delete":{"TableName":"t","Key":{"lower":{"B":"AQ=="}}}}],
            "ClientRequestToken":"x","ReturnConsumedCapacity":"TOTAL"}
            """
        let bytes = try ServiceJSON.bytes(of: request, operation: "TransactWriteItems")
        #expect(try JSONReader.value(of: bytes) == JSONReader.value(of: Array(expected.utf8)))

        let batch = BatchWriteItemRequest(requestItems: ["lower": [.put(["pk": .bool(true)])]])
        #expect(
            String(decoding: try ServiceJSON.bytes(of: batch, operation: "BatchWriteItem"), as: UTF8.self)
                == #"{"RequestItems":{"lower":[{"PutRequest":{"Item":{"pk":{"BOOL":true}}}}]}}"#)
    }

    /// The same record as the streams' API spells it, and as Lambda does.
    static let records = [
        """
        {"eventID":"1","eventName":"REMOVE","awsRegion":"eu-west-1","dynamodb":{
        "ApproximateCreationDateTime":1790000000.5,
        "Keys":{"pk":{"S":"a"}},"OldImage":{"pk":{"S":"a"},"n":{"N":"1"}},"SequenceNumber":"300","SizeBytes":7,
        "StreamViewType":"NEW_AND_OLD_IMAGES"},"userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"}}
        """,
        """
        {"eventID":"1","eventName":"REMOVE","awsRegion":"eu-west-1","dynamodb":{
        "ApproximateCreationDateTime":1.7900000005E9,
        "Keys":{"pk":{"S":"a"}},"OldImage":{"pk":{"S":"a"},"n":{"N":"1"}},"SequenceNumber":"300","SizeBytes":7,
        "StreamViewType":"NEW_AND_OLD_IMAGES"},"userIdentity":{"principalId":"dynamodb.amazonaws.com","type":"Service"},
        "eventSourceARN":"arn","eventSource":"aws:dynamodb","eventVersion":"1.1"}
        """,
    ]

    @Test("of stream records is read in both spellings", arguments: records)
    func streamRecords(json: String) async throws {
        let record = try #require(
            try DynamoDBStreams.records(ofLambdaEvent: Array(#"{"Records":[\#(json)]}"#.utf8)).first)
        #expect(record.eventID == "1")
        #expect(record.eventName == .remove)
        #expect(record.awsRegion == "eu-west-1")
        #expect(record.change?.approximateCreationDateTime == 1_790_000_000.5)
        #expect(record.change?.keys == ["pk": .string("a")])
        #expect(record.change?.oldImage == ["pk": .string("a"), "n": .integer(1)])
        #expect(record.change?.newImage == nil)
        #expect(record.change?.sequenceNumber == "300")
        #expect(record.change?.streamViewType == .newAndOldImages)
        #expect(record.userIdentity?.principalID == "dynamodb.amazonaws.com")
        #expect(record.userIdentity?.type == "Service")
        #expect(throws: AWSError.self) { try DynamoDBStreams.records(ofLambdaEvent: Array("[]".utf8)) }
    }

    @Test("of an answer is read as far as it is known, and passes over the rest")
    func answers() async throws {
        let body = """
            {"Table":{"TableName":"t","TableStatus":"SOME_NEW_STATUS","CreationDateTime":1.79E9,"ItemCount":5,
            "KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],
            "BillingModeSummary":{"BillingMode":"PAY_PER_REQUEST"},
            "ProvisionedThroughput":{"NumberOfDecreasesToday":0,"ReadCapacityUnits":0,"WriteCapacityUnits":0},
            "DeletionProtectionEnabled":false,"Replicas":[{"RegionName":"x"}]}}
            """
        let bench = try Bench([.answer(HTTPResponse(status: 200, body: Array(body.utf8)))])
        let table = try #require(try await bench.dynamoDB.describeTable(DescribeTableRequest(tableName: "t")).table)
        #expect(table.tableStatus?.rawValue == "SOME_NEW_STATUS")
        #expect(table.creationDateTime == 1_790_000_000)
        #expect(table.itemCount == 5)
        #expect(table.keySchema == [KeySchemaElement(attributeName: "pk", keyType: .hash)])
        #expect(table.provisionedThroughput?.readCapacityUnits == 0)
        #expect(table.deletionProtectionEnabled == false)
        #expect(table.latestStreamArn == nil)
    }
}
