import AWSClient
import AWSTestSupport
import Testing

@Suite("DynamoDB, live", .needsMinistack)
struct DynamoDBLiveTests {
    /// Runs a test with a table of its own: a text as partition key, bytes as sort key.
    private func withTable(_ body: (DynamoDB, AWSClient, String, TableDescription) async throws -> Void) async throws {
        let client = try AWSClient(
            region: Ministack.region, endpoint: try await Ministack.shared().url,
            credentials: StaticCredentials(Ministack.rootKey), options: LiveClient.options())
        let dynamoDB = DynamoDB(client)
        let table = "aws-client-\(UInt64.random(in: 0 ... .max))"
        let result = await Result {
            let made = try await dynamoDB.createTable(
                CreateTableRequest(
                    tableName: table,
                    attributeDefinitions: [
                        AttributeDefinition(attributeName: "pk", attributeType: .string),
                        AttributeDefinition(attributeName: "sk", attributeType: .binary),
                        AttributeDefinition(attributeName: "due", attributeType: .number),
                    ],
                    keySchema: [
                        KeySchemaElement(attributeName: "pk", keyType: .hash),
                        KeySchemaElement(attributeName: "sk", keyType: .range),
                    ],
                    globalSecondaryIndexes: [
                        GlobalSecondaryIndex(
                            indexName: "by-due",
                            keySchema: [
                                KeySchemaElement(attributeName: "pk", keyType: .hash),
                                KeySchemaElement(attributeName: "due", keyType: .range),
                            ], projection: Projection(projectionType: .keysOnly))
                    ],
                    streamSpecification: StreamSpecification(streamEnabled: true, streamViewType: .newAndOldImages),
                    tags: [Tag(key: "a", value: "b")]))
            try await body(dynamoDB, client, table, try #require(made.tableDescription))
            let deleted = try await dynamoDB.deleteTable(DeleteTableRequest(tableName: table))
            #expect(deleted.tableDescription?.tableName == table)
        }
        try await client.shutdown()
        try result.get()
    }

    @Test("makes a table, describes and changes it")
    func tables() async throws {
        try await withTable { dynamoDB, _, table, made in
            #expect(made.tableName == table)
            #expect(made.creationDateTime.map { $0 > 1_700_000_000 } == true)
            let description = try #require(try await dynamoDB.describeTable(.init(tableName: table)).table)
            #expect(description.tableStatus == .active)
            #expect(description.keySchema?.map(\.keyType) == [.hash, .range])
            #expect(description.billingModeSummary?.billingMode == .payPerRequest)
            #expect(description.globalSecondaryIndexes?.map(\.indexName) == ["by-due"])
            #expect(description.streamSpecification?.streamViewType == .newAndOldImages)
            #expect(description.latestStreamArn?.contains(table) == true)

            _ = try await dynamoDB.updateTimeToLive(
                .init(tableName: table, timeToLiveSpecification: .init(attributeName: "ttl", enabled: true)))
            let ttl = try await dynamoDB.describeTimeToLive(.init(tableName: table)).timeToLiveDescription
            #expect(ttl?.attributeName == "ttl")
            let again = await #expect(throws: AWSError.self) {
                try await dynamoDB.createTable(
                    .init(
                        tableName: table, attributeDefinitions: [.init(attributeName: "pk", attributeType: .string)],
                        keySchema: [.init(attributeName: "pk", keyType: .hash)]))
            }
            #expect(again?.code == .resourceInUse)
            _ = try await dynamoDB.updateTable(.init(tableName: table, deletionProtectionEnabled: false))
        }
    }

    @Test("stores, reads, changes and deletes items of every type")
    func items() async throws {
        try await withTable { dynamoDB, _, table, _ in
            let key: [String: AttributeValue] = ["pk": .string("Zü 🦊"), "sk": .binary([0, 255])]
            var item = key
            for (index, value) in AttributeValueTests.values.enumerated() { item["v\(index)"] = value.0 }
            item["v0"] = nil
            item["v4"] = nil
            let put = try await dynamoDB.putItem(
                PutItemRequest(tableName: table, item: item, returnConsumedCapacity: .total))
            #expect(put.consumedCapacity?.capacityUnits.map { $0 > 0 } == true)
            let read = try await dynamoDB.getItem(.init(tableName: table, key: key, consistentRead: true)).item
            #expect(read?.count == item.count)
            for (name, value) in item where name != "v14" { #expect(read?[name] == value, "\(name)") }
            #expect(read?["v14"]?.stringSet.map(Set.init) == ["a", "b"])

            let refused = await #expect(throws: AWSError.self) {
                try await dynamoDB.putItem(
                    PutItemRequest(
                        tableName: table, item: key, conditionExpression: "attribute_not_exists(pk)",
                        returnValuesOnConditionCheckFailure: .allOld))
            }
            #expect(refused?.code == .conditionalCheckFailed)
            #expect(refused?.conditionCheckFailedItem?["v2"] == .number("-1.5"))
            #expect(refused?.mayHaveTakenEffect == false)

            let updated = try await dynamoDB.updateItem(
                UpdateItemRequest(
                    tableName: table, key: key, updateExpression: "SET #n = :n",
                    conditionExpression: "attribute_exists(pk)",
                    expressionAttributeNames: ["#n": "v2"], expressionAttributeValues: [":n": .integer(7)],
                    returnValues: .updatedNew))
            #expect(updated.attributes == ["v2": .integer(7)])
            let deleted = try await dynamoDB.deleteItem(.init(tableName: table, key: key, returnValues: .allOld))
            #expect(deleted.attributes?["v2"]?.int == 7)
            #expect(try await dynamoDB.getItem(.init(tableName: table, key: key)).item == nil)
            let missing = await #expect(throws: AWSError.self) {
                try await dynamoDB.getItem(.init(tableName: "nowhere", key: key))
            }
            #expect(missing?.code == .resourceNotFound)
            #expect(missing?.requestID != nil)
        }
    }

    @Test("writes and reads in batches, and pages through a partition in the order of its bytes")
    func batches() async throws {
        try await withTable { dynamoDB, _, table, _ in
            func key(_ index: UInt8) -> [String: AttributeValue] { ["pk": .string("p"), "sk": .binary([index])] }
            let indices = (0..<110).map { UInt8($0 * 2) }
            _ = try await dynamoDB.batchWriteAll(.init(requestItems: [table: indices.map { .put(key($0)) }]))
            _ = try await dynamoDB.batchWriteItem(.init(requestItems: [table: [.delete(key(0))]]))
            let read = try await dynamoDB.batchGetAll(
                .init(requestItems: [table: KeysAndAttributes(keys: indices.map(key), consistentRead: true)]))
            #expect(read.responses?[table]?.count == 109)

            var request = QueryRequest(
                tableName: table, keyConditionExpression: "pk = :p AND sk > :s",
                expressionAttributeValues: [":p": .string("p"), ":s": .binary([100])], consistentRead: true, limit: 25)
            var found: [UInt8] = []
            repeat {
                let page = try await dynamoDB.query(request)
                found += (page.items ?? []).compactMap { $0["sk"]?.binary?.first }
                request.exclusiveStartKey = page.lastEvaluatedKey
            } while request.exclusiveStartKey != nil
            #expect(found == indices.filter { $0 > 100 })
            let scanned = try await dynamoDB.scan(.init(tableName: table, select: .count))
            #expect(scanned.count == 109)
            #expect(scanned.items?.isEmpty != false)
        }
    }

    @Test("writes transactions whole or not at all, once for each token")
    func transactions() async throws {
        try await withTable { dynamoDB, _, table, _ in
            func item(_ name: String, _ n: Int) -> [String: AttributeValue] {
                ["pk": .string(name), "sk": .binary([1]), "n": .integer(n)]
            }
            func key(_ name: String) -> [String: AttributeValue] { ["pk": .string(name), "sk": .binary([1])] }
            let request = TransactWriteItemsRequest(
                transactItems: [
                    .put(.init(tableName: table, item: item("a", 1), conditionExpression: "attribute_not_exists(pk)")),
                    .update(
                        .init(
                            tableName: table, key: key("b"), updateExpression: "ADD n :n",
                            expressionAttributeValues: [":n": .integer(2)])),
                ], clientRequestToken: table, returnConsumedCapacity: .total)
            let first = try await dynamoDB.transactWriteItems(request)
            #expect(first.consumedCapacity?.first?.capacityUnits == 4)
            _ = try await dynamoDB.transactWriteItems(request)

            let refused = await #expect(throws: AWSError.self) {
                try await dynamoDB.transactWriteItems(
                    .init(transactItems: [
                        .delete(.init(tableName: table, key: key("b"))),
                        .put(
                            .init(
                                tableName: table, item: item("a", 9), conditionExpression: "attribute_not_exists(pk)",
                                returnValuesOnConditionCheckFailure: .allOld)),
                        .conditionCheck(
                            .init(tableName: table, key: key("c"), conditionExpression: "attribute_exists(pk)")),
                    ]), retryingContention: true)
            }
            #expect(refused?.code == .transactionCanceled)
            let codes = refused?.cancellationReasons.map(\.code.rawValue)
            #expect(codes == ["None", "ConditionalCheckFailed", "ConditionalCheckFailed"])
            #expect(refused?.cancellationReasons.map(\.item) == [nil, item("a", 1), nil])

            let read = try await dynamoDB.transactGetItems(
                .init(transactItems: ["a", "b", "c"].map { .init(get: .init(tableName: table, key: key($0))) }))
            #expect(read.responses?.map(\.item) == [item("a", 1), item("b", 2), nil])
        }
    }

    @Test("reads what was changed from the table's stream")
    func streams() async throws {
        try await withTable { dynamoDB, client, table, made in
            let streams = DynamoDBStreams(client)
            let arn = try #require(made.latestStreamArn)
            let key: [String: AttributeValue] = ["pk": .string("a"), "sk": .binary([1])]
            _ = try await dynamoDB.putItem(.init(tableName: table, item: key))
            _ = try await dynamoDB.deleteItem(.init(tableName: table, key: key))
            let stream = try #require(try await streams.describeStream(.init(streamArn: arn)).streamDescription)
            var records: [StreamRecord] = []
            for shard in stream.shards ?? [] {
                let place = try await streams.getShardIterator(
                    .init(streamArn: arn, shardId: try #require(shard.shardId), shardIteratorType: .trimHorizon))
                let page = try await streams.getRecords(.init(shardIterator: try #require(place.shardIterator)))
                records += page.records ?? []
            }
            #expect(records.map(\.eventName) == [.insert, .remove])
            #expect(records.first?.change?.newImage == key)
            #expect(records.last?.change?.oldImage == key)
            #expect(records.first?.change?.approximateCreationDateTime.map { $0 > 1_700_000_000 } == true)
        }
    }
}
