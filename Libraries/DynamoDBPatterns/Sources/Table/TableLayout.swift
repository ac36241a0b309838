import AWSClient

/// The keys and indexes that a table needs: creates such a table, and finds out whether one that exists is of that layout.
struct TableLayout {
    /// What creates the table.
    let request: CreateTableRequest
    /// What needs the layout, such as `a PatternTable`.
    let user: String
    /// The attribute by which items expire; `nil` if that makes no difference.
    var timeToLive: String?

    private var name: String { request.tableName }

    /// Creates the table if there is none, waits until it can be used, and turns its expiry on.
    ///
    /// A table that exists is checked before anything is changed.
    func create(in dynamoDB: DynamoDB, clock: PatternClock) async throws {
        do {
            _ = try await dynamoDB.createTable(request)
        } catch let error as AWSError where error.code == .resourceInUse {
            // It exists, or is being created.
        }
        try check(try await Self.active(name, in: dynamoDB, clock: clock))
        guard let timeToLive, try await expiry(in: dynamoDB) == nil else { return }
        do {
            _ = try await dynamoDB.updateTimeToLive(
                .init(
                    tableName: name, timeToLiveSpecification: .init(attributeName: timeToLive, enabled: true)))
        } catch {
            // Another process that creates the table at the same time may have been first.
            guard try await expiry(in: dynamoDB) != nil else { throw error }
        }
    }

    /// Checks a table that exists, its expiry included; changes nothing.
    func check(in dynamoDB: DynamoDB) async throws {
        guard let table = try await dynamoDB.describeTable(.init(tableName: name)).table else {
            throw AWSError(.invalidAnswer, "DescribeTable was answered without a table.")
        }
        try check(table)
        if timeToLive != nil { _ = try await expiry(in: dynamoDB) }
    }

    /// The description of a table that can be used, for which this waits ten minutes at most.
    static func active(
        _ name: String, in dynamoDB: DynamoDB, clock: PatternClock
    ) async throws -> TableDescription {
        for _ in 0..<1200 {
            do {
                let table = try await dynamoDB.describeTable(.init(tableName: name)).table
                if let table, table.tableStatus == .active { return table }
            } catch let error as AWSError where error.code == .resourceNotFound {
                // Just after its creation not every server of DynamoDB knows it.
            }
            try await clock.sleep(.milliseconds(500))
        }
        throw PatternError(.timedOut, "The table “\(name)” is not active after ten minutes.")
    }

    /// Throws `PatternError` with code `wrongLayout`, which names what differs.
    func check(_ table: TableDescription) throws(PatternError) {
        let wanted = request.attributeDefinitions
        let found = table.attributeDefinitions ?? []
        let (key, wantedKey) = (Self.text(table.keySchema, found), Self.text(request.keySchema, wanted))
        if key != wantedKey {
            throw wrong("The key of the table “\(name)” is \(key); \(user) needs \(wantedKey).")
        }
        for index in request.globalSecondaryIndexes ?? [] {
            let wantedKey = Self.text(index.keySchema, wanted)
            guard let other = table.globalSecondaryIndexes?.first(where: { $0.indexName == index.indexName }) else {
                throw wrong(
                    "The table “\(name)” has no index “\(index.indexName)”; \(user) needs one by \(wantedKey).")
            }
            let key = Self.text(other.keySchema, found)
            if key != wantedKey {
                throw wrong(
                    "The key of the index “\(index.indexName)” of the table “\(name)” is \(key);"
                        + " \(user) needs \(wantedKey).")
            }
        }
    }

    /// The attribute by which items expire or soon will, if that is the one of the layout; `nil` if they do not.
    private func expiry(in dynamoDB: DynamoDB) async throws -> String? {
        let expiry = try await dynamoDB.describeTimeToLive(.init(tableName: name)).timeToLiveDescription
        guard let expiry, [.enabled, .enabling].contains(expiry.timeToLiveStatus) else { return nil }
        guard expiry.attributeName == timeToLive else {
            throw wrong(
                "The items of the table “\(name)” expire by “\(expiry.attributeName ?? "")”;"
                    + " \(user) needs “\(timeToLive ?? "")”.")
        }
        return expiry.attributeName
    }

    private func wrong(_ message: String) -> PatternError {
        PatternError(
            .wrongLayout, message,
            hint: "Nothing was changed. Choose another name, or delete the table if nothing needs it.")
    }

    /// A key such as `“pk” (S), “sk” (S)`.
    private static func text(_ schema: [KeySchemaElement]?, _ definitions: [AttributeDefinition]) -> String {
        let elements = (schema ?? []).sorted { $0.keyType == .hash && $1.keyType != .hash }
        return elements.map { element in
            let type = definitions.first { $0.attributeName == element.attributeName }?.attributeType.rawValue
            return "“\(element.attributeName)” (\(type ?? "?"))"
        }.joined(separator: ", ")
    }
}
