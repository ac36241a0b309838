import AWSClient
import DiscfgCore

/// The table as a whole: creates, describes and deletes it, and changes its throughput.
public struct TableManager: Sendable {
    let table: Table
    let progress: @Sendable (String) -> Void
    let time: TimeSource

    /// The state of a table.
    public struct Status: Sendable, Hashable {
        /// The name of the table.
        public var name: String
        /// The region of the table, such as `eu-west-1`.
        public var region: String
        /// `ACTIVE`, `CREATING`, `UPDATING`, `DELETING` and others, as DynamoDB reports it.
        public var state: String
        /// `PAY_PER_REQUEST` or `PROVISIONED`.
        public var billing: String
        /// The provisioned reads a second; `nil` if the table is paid by request.
        public var readUnits: Int64?
        /// The provisioned writes a second; `nil` if the table is paid by request.
        public var writeUnits: Int64?
        /// The number of records of all kinds, which DynamoDB counts about every six hours.
        public var records: Int64
        /// The size in bytes, counted at the same times.
        public var size: Int64
        /// The ARN of the newest stream of the table; `nil` if it never had one.
        public var stream: String?
        /// Whether DynamoDB refuses to delete the table.
        public var isProtected: Bool
        /// Whether the table has the keys and the index of discfg's tables.
        public var isOurs: Bool

        /// The fields by name, for people.
        public var fields: [String: String] {
            var fields = [
                "table": name, "region": region, "state": state, "billing": billing, "records": String(records),
                "size": String(size), "protected": isProtected ? "yes" : "no",
            ]
            if let readUnits { fields["readCapacityUnits"] = String(readUnits) }
            if let writeUnits { fields["writeCapacityUnits"] = String(writeUnits) }
            if let stream { fields["stream"] = stream }
            return fields
        }
    }

    /// The state of the table.
    ///
    /// - Throws: `DiscfgError` with code `storeUnusable` if there is no table.
    public func status() async throws -> Status {
        try await table.call {
            let answer = try await table.dynamoDB.describeTable(DescribeTableRequest(tableName: table.name))
            guard let found = answer.table else {
                throw AWSError(.invalidAnswer, "DynamoDB describes nothing for table “\(table.name)”.")
            }
            return Status(found, name: table.name, region: table.region)
        }
    }

    /// Checks that the table is one of discfg's.
    ///
    /// - Throws: `DiscfgError` with code `storeUnusable` if another program created the table, or if there is none.
    package func checkOwnership() async throws {
        guard try await !status().isOurs else { return }
        throw DiscfgError(
            .storeUnusable,
            "The DynamoDB table “\(table.name)” was not made by discfg: its keys or indexes are others.",
            hint: "Name another table: “discfg store init” makes it.")
    }

    /// Whether the table exists.
    public func exists() async throws -> Bool {
        do {
            _ = try await status()
            return true
        } catch let error as DiscfgError where (error.cause as? AWSError)?.code == .resourceNotFound {
            return false
        }
    }

    /// Creates the table, and waits until it can be used.
    ///
    /// If another process creates the table at the same time, waits for that table.
    public func make(_ capacity: TableThroughput = .onDemand, isProtected: Bool = false) async throws {
        progress("Making the DynamoDB table “\(table.name)” in \(table.region)")
        try await table.call {
            do {
                _ = try await table.dynamoDB.createTable(request(capacity, isProtected: isProtected))
            } catch let error as AWSError where error.code == .resourceInUse {
                // Another process was first.
            }
        }
        try await waitUntilActive()
        try await table.call {
            let specification = TimeToLiveSpecification(attributeName: Name.garbage, enabled: true)
            do {
                _ = try await table.dynamoDB.updateTimeToLive(
                    UpdateTimeToLiveRequest(tableName: table.name, timeToLiveSpecification: specification))
            } catch let error as AWSError where error.code == .validation {
                // Time to live is on already.
            }
        }
    }

    /// The requested properties that the existing table does not have.
    func warnings(_ properties: StoreProperties) async throws -> [StoreWarning] {
        guard properties != StoreProperties() else { return [] }
        let status = try await status()
        var warnings: [StoreWarning] = []
        if properties.isProtected, !status.isProtected {
            warnings.append(
                StoreWarning(
                    message:
                        "the table exists and is not protected against deletion; “store init” changes no existing table",
                    hint: "aws dynamodb update-table --table-name \(status.name) --deletion-protection-enabled"))
        }
        if let throughput = try TableThroughput(properties.settings), !status.has(throughput) {
            warnings.append(
                StoreWarning(
                    message: "the table exists with another throughput; “store init” changes no existing table",
                    hint: "discfg cfg update default '\(throughput.json)'"))
        }
        return warnings
    }

    private func request(_ capacity: TableThroughput, isProtected: Bool) -> CreateTableRequest {
        let throughput = capacity.provisioned
        return CreateTableRequest(
            tableName: table.name,
            attributeDefinitions: [
                AttributeDefinition(attributeName: Name.partition, attributeType: .string),
                AttributeDefinition(attributeName: Name.sort, attributeType: .binary),
                AttributeDefinition(attributeName: Name.due, attributeType: .string),
                AttributeDefinition(attributeName: Name.expiry, attributeType: .number),
            ],
            keySchema: [
                KeySchemaElement(attributeName: Name.partition, keyType: .hash),
                KeySchemaElement(attributeName: Name.sort, keyType: .range),
            ],
            billingMode: throughput == nil ? .payPerRequest : .provisioned, provisionedThroughput: throughput,
            globalSecondaryIndexes: [
                GlobalSecondaryIndex(
                    indexName: TableLayout.expiryIndex,
                    keySchema: [
                        KeySchemaElement(attributeName: Name.due, keyType: .hash),
                        KeySchemaElement(attributeName: Name.expiry, keyType: .range),
                    ],
                    projection: Projection(projectionType: .keysOnly), provisionedThroughput: throughput)
            ],
            streamSpecification: StreamSpecification(streamEnabled: true, streamViewType: .newAndOldImages),
            deletionProtectionEnabled: isProtected ? true : nil)
    }

    /// Changes the billing of throughput, and waits until the change is complete.
    public func change(to capacity: TableThroughput) async throws {
        if try await status().has(capacity) { return }
        let throughput = capacity.provisioned
        progress("Changing the throughput of the DynamoDB table “\(table.name)”")
        try await table.call {
            _ = try await table.dynamoDB.updateTable(
                UpdateTableRequest(
                    tableName: table.name, billingMode: throughput == nil ? .payPerRequest : .provisioned,
                    provisionedThroughput: throughput,
                    globalSecondaryIndexUpdates: throughput.map {
                        [
                            GlobalSecondaryIndexUpdate(
                                update: .init(indexName: TableLayout.expiryIndex, provisionedThroughput: $0))
                        ]
                    }))
        }
        try await waitUntilActive()
    }

    /// Deletes the table with all its contents.
    ///
    /// - Throws: `DiscfgError`, also if the table is protected against deletion, or is not discfg's.
    public func destroy() async throws {
        try await checkOwnership()
        guard try await !status().isProtected else {
            throw DiscfgError(
                .storeNotWritable, "The DynamoDB table “\(table.name)” is protected against deletion.",
                hint: "Take the protection off first, in AWS's console or with “aws dynamodb update-table”.")
        }
        try await table.call {
            _ = try await table.dynamoDB.deleteTable(DeleteTableRequest(tableName: table.name))
        }
        progress("Deleting the DynamoDB table “\(table.name)”")
        try await poll("be gone") { try await !exists() }
    }

    private func waitUntilActive() async throws {
        try await poll("be ACTIVE") {
            guard try await exists() else { return false }
            return try await status().state == TableStatus.active.rawValue
        }
    }

    /// Polls every two seconds, for at most ten minutes.
    private func poll(_ wanted: String, _ isDone: () async throws -> Bool) async throws {
        for attempt in 0..<300 {
            if try await isDone() { return }
            if attempt % 5 == 4 { progress("Waiting for the table to \(wanted)") }
            try await time.sleep(attempt < 5 ? .milliseconds(200) : .seconds(2))
        }
        throw DiscfgError(
            .storeUnavailable, "The DynamoDB table “\(table.name)” did not come to \(wanted) within ten minutes.",
            hint: "See with “discfg store status” how it is.")
    }
}

extension TableManager.Status {
    /// Whether the table has a throughput.
    fileprivate func has(_ capacity: TableThroughput) -> Bool {
        capacity.provisioned.map { $0.readCapacityUnits == readUnits && $0.writeCapacityUnits == writeUnits }
            ?? (billing == BillingMode.payPerRequest.rawValue)
    }

    fileprivate init(_ table: TableDescription, name: String, region: String) {
        self.name = name
        self.region = region
        state = table.tableStatus?.rawValue ?? "UNKNOWN"
        billing = (table.billingModeSummary?.billingMode ?? .provisioned).rawValue
        let isProvisioned = billing == BillingMode.provisioned.rawValue
        readUnits = isProvisioned ? table.provisionedThroughput?.readCapacityUnits : nil
        writeUnits = isProvisioned ? table.provisionedThroughput?.writeCapacityUnits : nil
        records = table.itemCount ?? 0
        size = table.tableSizeBytes ?? 0
        stream = table.latestStreamArn
        isProtected = table.deletionProtectionEnabled ?? false
        let keys = (table.keySchema ?? []).map(\.attributeName)
        let indexes = (table.globalSecondaryIndexes ?? []).map(\.indexName)
        isOurs = keys == [Name.partition, Name.sort] && indexes.contains(TableLayout.expiryIndex)
    }
}
