extension AWSCredentials {
    /// The same, once it is known that they can be sent and have not expired.
    ///
    /// - Parameters:
    ///   - source: Where they come from, as the beginning of a sentence.
    ///   - now: Seconds since 1970.
    /// - Returns: The same credentials.
    /// - Throws: `brokenCredentials`, without any of what is wrong.
    func checked(from source: String, now: Double) throws(AWSError) -> AWSCredentials {
        let parts = [("access key", accessKeyID, 128), ("secret key", secretAccessKey, 1024)]
        for (name, text, limit) in parts + (sessionToken.map { [("session token", $0, 65_536)] } ?? []) {
            guard text.isHeaderWord, text.utf8.count <= limit else {
                throw .broken(
                    "\(source) has a \(name) that is empty, too long, or holds a space or a letter outside of ASCII.",
                    hint: "Was it cut off, or copied with something around it?")
            }
        }
        if let expiration, !(expiration > now) {
            throw .broken(
                "\(source) has credentials that have expired: \(Quoted(accessKeyID)).",
                hint: "Renew them, and check this machine's clock.")
        }
        return self
    }

    /// The same without an empty session token, which some sources write for none.
    init(
        _ accessKeyID: String, _ secretAccessKey: String, token: String?, expiration: Double? = nil
    ) {
        self.init(
            accessKeyID: accessKeyID, secretAccessKey: secretAccessKey,
            sessionToken: token.flatMap { $0.isEmpty ? nil : $0 }, expiration: expiration)
    }
}

extension String {
    /// Whether it can be sent in a header as it is: one word of visible ASCII.
    var isHeaderWord: Bool { !isEmpty && utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}

extension AWSError {
    /// A source of credentials is there, and broken.
    static func broken(
        _ message: String, hint: String? = nil, status: Int? = nil, cause: (any Error)? = nil
    ) -> AWSError {
        AWSError(.brokenCredentials, message, hint: hint, status: status, cause: cause)
    }

    /// A source has no credentials; the reason is part of a sentence.
    static func none(_ reason: String) -> AWSError { AWSError(.noCredentials, reason) }
}
