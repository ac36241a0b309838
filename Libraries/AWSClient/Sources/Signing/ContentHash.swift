/// The hash of content, for whatever compares it without keeping it.
package enum ContentHash {
    /// SHA-256, as 64 hexadecimal digits.
    package static func sha256(of bytes: [UInt8]) -> String { CanonicalRequest.hash(of: bytes) }
}
