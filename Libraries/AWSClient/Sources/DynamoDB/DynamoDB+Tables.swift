extension DynamoDB {
    /// Makes a table, which can be used once `describeTable` calls it active.
    public func createTable(_ request: CreateTableRequest) async throws -> CreateTableResponse {
        try await call("CreateTable", request, isWrite: true)
    }

    /// Asks for a table's settings and status.
    public func describeTable(_ request: DescribeTableRequest) async throws -> DescribeTableResponse {
        try await call("DescribeTable", request)
    }

    /// Changes a table's settings.
    public func updateTable(_ request: UpdateTableRequest) async throws -> UpdateTableResponse {
        try await call("UpdateTable", request, isWrite: true)
    }

    /// Deletes a table with all its items.
    public func deleteTable(_ request: DeleteTableRequest) async throws -> DeleteTableResponse {
        try await call("DeleteTable", request, isWrite: true)
    }

    /// Says by which attribute items expire, if any.
    public func updateTimeToLive(_ request: UpdateTimeToLiveRequest) async throws -> UpdateTimeToLiveResponse {
        try await call("UpdateTimeToLive", request, isWrite: true)
    }

    /// Asks by which attribute items expire, if any.
    public func describeTimeToLive(_ request: DescribeTimeToLiveRequest) async throws -> DescribeTimeToLiveResponse {
        try await call("DescribeTimeToLive", request)
    }
}
