import Crypto

/// Signs requests as AWS wants them, with Signature Version 4.
///
/// Source: AWS, “Create a signed AWS API request”.
public struct SignatureV4: Sendable {
    let credentials: AWSCredentials
    let region: String
    let service: String
    let date: Double

    /// A signature of one moment, for one service in one region.
    ///
    /// - Parameters:
    ///   - credentials: Whose signature it is.
    ///   - region: Such as `eu-west-1`.
    ///   - service: The service's signing name, such as `dynamodb`.
    ///   - date: When it is signed, in seconds since 1970; AWS takes it for some minutes.
    public init(credentials: AWSCredentials, region: String, service: String, date: Double) {
        self.credentials = credentials
        self.region = region
        self.service = service
        self.date = date
    }

    /// The request with the headers that sign it; what it had of those before is replaced.
    ///
    /// The method, the address, the body, `Host`, `Content-Type` and all `X-Amz-…` headers are signed. `Host` is not
    /// added: it is signed as the address has it, and the transport sends it so.
    ///
    /// - Parameter request: What to sign.
    /// - Returns: What to send.
    /// - Throws: `AWSError` with code `invalidConfiguration` if the request's address is none.
    public func signed(_ request: HTTPRequest) throws(AWSError) -> HTTPRequest { try steps(of: request).request }

    /// The request, and the steps to it.
    func steps(of request: HTTPRequest) throws(AWSError) -> Steps {
        let (timestamp, day) = UTCTime.signatureText(date)
        var request = request
        request.headers.removeAll {
            ["authorization", "x-amz-date", "x-amz-security-token"].contains($0.name.lowercased())
        }
        request.headers.append(HTTPHeader("X-Amz-Date", timestamp))
        if let token = credentials.sessionToken { request.headers.append(HTTPHeader("X-Amz-Security-Token", token)) }
        if service == "s3", !request.headers.contains(where: { $0.name.lowercased() == "x-amz-content-sha256" }) {
            request.headers.append(HTTPHeader("X-Amz-Content-SHA256", CanonicalRequest.hash(of: request.body)))
        }
        let canonical = try CanonicalRequest(request, isS3: service == "s3")
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let stringToSign =
            "AWS4-HMAC-SHA256\n\(timestamp)\n\(scope)\n\(CanonicalRequest.hash(of: Array(canonical.text.utf8)))"
        let key = SigningKeyCache.shared.key(
            secret: credentials.secretAccessKey, day: day, region: region, service: service)
        let signature = HMAC<SHA256>.authenticationCode(for: Array(stringToSign.utf8), using: key).hexadecimal
        let authorization =
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope), "
            + "SignedHeaders=\(canonical.signedHeaders), Signature=\(signature)"
        request.headers.append(HTTPHeader("Authorization", authorization))
        return Steps(
            request: request, canonicalRequest: canonical.text, stringToSign: stringToSign, signature: signature,
            authorization: authorization)
    }

    /// What signing makes on its way, for tests against another implementation.
    struct Steps {
        let request: HTTPRequest
        let canonicalRequest: String
        let stringToSign: String
        let signature: String
        let authorization: String
    }
}
