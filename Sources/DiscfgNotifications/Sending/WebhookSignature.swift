import Crypto
import DiscfgCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The secret of a webhook, which signs the message's id, the time and the body with HMAC-SHA256.
///
/// Source: <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>.
struct WebhookSecret: Sendable {
    private static let prefix = "whsec_"
    private static let minimumKey = 8
    private let key: SymmetricKey

    /// Reads a secret: `whsec_` and base64, as in Standard Webhooks, or any other text, whose bytes are the key.
    init(_ text: String) {
        let encoded = text.hasPrefix(Self.prefix) ? Data(base64Encoded: String(text.dropFirst(Self.prefix.count))) : nil
        key = SymmetricKey(data: encoded ?? Data(text.utf8))
    }

    /// Refuses a secret whose key cannot be read, or is easily guessed.
    ///
    /// Only secrets of new rules are checked. Rules that are stored already keep working.
    /// - Throws: `DiscfgError` with code `invalidRequest`.
    static func check(_ text: String) throws(DiscfgError) {
        let encoded =
            text.hasPrefix(prefix) ? Data(base64Encoded: String(text.dropFirst(prefix.count))) : Data(text.utf8)
        let hint = "Use “whsec_” and 24 random bytes in base64, or omit the secret to have one generated."
        guard let encoded else { throw .invalid("The part of the secret after “whsec_” is not base64.", hint: hint) }
        guard encoded.count >= minimumKey else {
            throw .invalid("The secret's key has \(encoded.count) bytes; the minimum is \(minimumKey).", hint: hint)
        }
    }

    /// A new secret of 24 random bytes, as text.
    static func generate() -> String {
        let bytes = SymmetricKey(size: SymmetricKeySize(bitCount: 192)).withUnsafeBytes { Data($0) }
        return prefix + bytes.base64EncodedString()
    }

    /// The header fields of a message; `seconds` is the time of sending, since 1970.
    func fields(id: String, seconds: Int64, body: [UInt8]) -> [(name: String, value: String)] {
        var hash = HMAC<SHA256>(key: key)
        hash.update(data: Data("\(id).\(seconds).".utf8))
        hash.update(data: body)
        let signature = hash.finalize().withUnsafeBytes { Data($0) }.base64EncodedString()
        return [
            ("webhook-id", id), ("webhook-timestamp", "\(seconds)"), ("webhook-signature", "v1,\(signature)"),
        ]
    }
}
