import Crypto
import DiscfgCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a webhook is signed with: HMAC-SHA256 over the message's id, the time and the body.
///
/// Source: <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>.
public struct WebhookSecret: Sendable {
    private static let prefix = "whsec_"
    private static let minimumKey = 8
    private let key: SymmetricKey

    /// Reads a secret: `whsec_` and base64 as Standard Webhooks has it, or any other text, whose bytes are the key.
    public init(_ text: String) {
        let encoded = text.hasPrefix(Self.prefix) ? Data(base64Encoded: String(text.dropFirst(Self.prefix.count))) : nil
        key = SymmetricKey(data: encoded ?? Data(text.utf8))
    }

    /// Refuses a text that makes no key, or one that is easily guessed.
    ///
    /// Only rules that are added are judged: those that are kept go on as they are.
    /// - Throws: `DiscfgError` with code `invalidRequest`.
    static func check(_ text: String) throws(DiscfgError) {
        let encoded =
            text.hasPrefix(prefix) ? Data(base64Encoded: String(text.dropFirst(prefix.count))) : Data(text.utf8)
        let hint = "Give “whsec_” and the base64 of 24 random bytes, or no secret to have one made."
        guard let encoded else { throw .invalid("What follows “whsec_” in the secret is not base64.", hint: hint) }
        guard encoded.count >= minimumKey else {
            throw .invalid("The secret's key has \(encoded.count) bytes; the least is \(minimumKey).", hint: hint)
        }
    }

    /// A new secret of 24 random bytes, as text.
    public static func generate() -> String {
        let bytes = SymmetricKey(size: SymmetricKeySize(bitCount: 192)).withUnsafeBytes { Data($0) }
        return prefix + bytes.base64EncodedString()
    }

    /// The header fields of a message that is sent at that many seconds after 1970.
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
