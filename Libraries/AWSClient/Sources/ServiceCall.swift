/// One call of one operation, whatever the protocol.
struct ServiceCall: Sendable {
    var service: AWSService
    /// Such as `GetItem`.
    var operation: String
    /// Besides those of the signature.
    var headers: [HTTPHeader]
    var body: [UInt8]
    /// Whether it changes anything, so that a lost answer leaves a doubt.
    var isWrite: Bool
    /// How long one try may take; `nil` for the client's usual.
    var timeout: Duration?
    /// Whether to try again when a transaction was cancelled for contention alone.
    var retryingContention = false

    /// A call of a JSON protocol.
    ///
    /// - Parameters:
    ///   - service: Whom to call.
    ///   - targetPrefix: What stands before the operation in `X-Amz-Target`, such as `DynamoDB_20120810`.
    ///   - operation: Such as `GetItem`.
    ///   - version: Of the protocol: `1.0` or `1.1`.
    ///   - body: JSON.
    ///   - isWrite: Whether it changes anything.
    init(
        json service: AWSService, targetPrefix: String, operation: String, version: String = "1.0", body: [UInt8],
        isWrite: Bool
    ) {
        self.service = service
        self.operation = operation
        headers = [
            HTTPHeader("Content-Type", "application/x-amz-json-\(version)"),
            HTTPHeader("X-Amz-Target", "\(targetPrefix).\(operation)"),
        ]
        self.body = body
        self.isWrite = isWrite
    }

    /// A call of the query protocol, which is answered in XML.
    ///
    /// - Parameters:
    ///   - service: Whom to call.
    ///   - operation: Such as `AssumeRole`.
    ///   - version: Of the service's API, such as `2011-06-15`.
    ///   - parameters: Names and values, as they are before encoding.
    ///   - isWrite: Whether it changes anything.
    init(
        query service: AWSService, operation: String, version: String, parameters: [(String, String)], isWrite: Bool
    ) {
        self.service = service
        self.operation = operation
        headers = [FormText.header]
        body = FormText.bytes(action: operation, version: version, parameters)
        self.isWrite = isWrite
    }
}
