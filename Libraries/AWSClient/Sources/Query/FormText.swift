/// The body of a request of AWS's query protocol.
///
/// Source: WHATWG URL Standard, “application/x-www-form-urlencoded”, with `%20` for a space.
enum FormText {
    /// What the body is, for the request's head.
    static let header = HTTPHeader("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")

    /// The parameters in their order, behind those that say what is asked for.
    static func bytes(action: String, version: String, _ parameters: [(String, String)]) -> [UInt8] {
        let pairs = [("Action", action), ("Version", version)] + parameters
        let texts = pairs.map { "\(PercentEncoding.encoded($0.0))=\(PercentEncoding.encoded($0.1))" }
        return Array(texts.joined(separator: "&").utf8)
    }
}
