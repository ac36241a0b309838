/// What AWS STS answered to one call.
struct STSAnswer {
    private let response: HTTPResponse
    private let action: String
    /// What must not get into an error, whatever the answer holds.
    private let secrets: [String]

    init(_ response: HTTPResponse, action: String, secrets: [String]) {
        self.response = response
        self.action = action
        self.secrets = secrets
    }

    /// The element with the result.
    ///
    /// - Throws: `AWSError` with AWS's code, message and request, or `invalidAnswer` if it is not of AWS's making.
    func result() throws(AWSError) -> XMLElement {
        let root = XMLElement.parse(response.body)
        if response.status == 200, let result = root?.child("\(action)Result") { return result }
        if let error = root.flatMap(error) { throw error }
        throw AWSError(
            .invalidAnswer, "AWS STS answered \(action) with status \(response.status), and not as AWS does.",
            hint: "Is AWS_ENDPOINT_URL_STS the address of an AWS STS?", status: response.status, requestID: requestID)
    }

    /// Whether the same request may succeed a moment later.
    static func isWorthAnotherTry(_ error: AWSError) -> Bool {
        if error.code == .noAnswer || error.code == "IDPCommunicationError" { return true }
        if RetryPolicy.throttledCodes.union(RetryPolicy.transientCodes).contains(error.code) { return true }
        return error.status.map { $0 == 429 || RetryPolicy.transientStatuses.contains($0) } ?? false
    }

    private func error(_ root: XMLElement) -> AWSError? {
        guard let error = QueryError(root), let code = AWSError.Code(answered: error.code), !isSecret(error.code) else {
            return nil
        }
        return AWSError(
            code, shown(error.message ?? "AWS STS refused \(action)."), status: response.status,
            requestID: error.requestID.map(shown) ?? requestID)
    }

    private var requestID: String? { response.requestID.map(shown) }

    private func isSecret(_ text: String) -> Bool { secrets.contains { text.contains($0) } }

    private func shown(_ text: String) -> String {
        var text = text
        for secret in secrets where !secret.isEmpty { text = text.split(separator: secret).joined(separator: "…") }
        return Quoted.shown(text, limit: 1000)
    }
}
