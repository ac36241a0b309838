import AWSClient

/// What AWS answers where credentials are asked for, as far as its documentation says: STS, a container's endpoint, and
/// instance metadata.
enum FakeAWS {
    static func answer(_ request: LocalHTTPServer.Request) -> HTTPResponse? {
        switch (request.method, request.target) {
        case ("GET", "/container"): .text(document("CONTAINER"))
        case ("PUT", "/latest/api/token"): .text("SECRET-IMDS-TOKEN")
        case ("GET", "/latest/meta-data/iam/security-credentials/"): .text("reader")
        case ("GET", "/latest/meta-data/iam/security-credentials/reader"): .text(document("INSTANCE"))
        case ("POST", "/"): sts(request)
        default: .text("not found", status: 404)
        }
    }

    /// The document of a container or an instance.
    static func document(_ name: String, expiration: String = "2100-01-01T00:00:00Z", code: String = "Success")
        -> String
    {
        """
        {"Code": "\(code)", "LastUpdated": "2026-11-22T10:00:00Z", "Type": "AWS-HMAC", "AccessKeyId": "\(name)", \
        "SecretAccessKey": "SECRET-\(name)", "Token": "SECRET", "Expiration": "\(expiration)"}
        """
    }

    /// The parameters of a form.
    static func form(_ request: LocalHTTPServer.Request) -> [String: String] {
        Dictionary(
            request.text.split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
            }
        ) { $1 }
    }

    /// A good answer to AssumeRole and its sibling.
    static func roleAnswer(_ action: String, _ name: String, expiration: String = "2100-01-01T00:00:00Z") -> String {
        """
        <\(action)Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
          <\(action)Result>
            <AssumedRoleUser><AssumedRoleId>AROA:me</AssumedRoleId><Arn>arn:aws:sts::1:assumed-role/\(name)/me</Arn>
            </AssumedRoleUser>
            <Credentials>
              <AccessKeyId>ROLE-\(name)</AccessKeyId>
              <SecretAccessKey>SECRET-\(name)</SecretAccessKey>
              <SessionToken>SECRET-TOKEN-\(name)</SessionToken>
              <Expiration>\(expiration)</Expiration>
            </Credentials>
          </\(action)Result>
          <ResponseMetadata><RequestId>request-1</RequestId></ResponseMetadata>
        </\(action)Response>
        """
    }

    /// What AWS STS answers when it refuses.
    static func refusal(_ code: String, _ message: String, status: Int = 403) -> HTTPResponse {
        .text(
            """
            <ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
              <Error><Type>Sender</Type><Code>\(code)</Code><Message>\(message)</Message></Error>
              <RequestId>request-2</RequestId>
            </ErrorResponse>
            """, status: status)
    }

    private static func sts(_ request: LocalHTTPServer.Request) -> HTTPResponse {
        let form = form(request)
        let name = form["RoleArn"]?.split(separator: "/").last.map(String.init) ?? "none"
        return .text(roleAnswer(form["Action"] ?? "", name))
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
