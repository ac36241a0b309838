import Crypto

/// A request in the one form in which both sides sign it.
///
/// Source: AWS, “Create a signed AWS API request”, step 1.
struct CanonicalRequest {
    let text: String
    /// The names of the headers that are signed, such as `content-type;host;x-amz-date`.
    let signedHeaders: String

    /// A request's canonical form.
    ///
    /// - Parameters:
    ///   - request: With all headers that are sent, but for `Host`, which may be left to the address.
    ///   - isS3: Whether it is for S3, where the path is taken as it stands.
    /// - Throws: `AWSError` with code `invalidConfiguration` if the address is none.
    init(_ request: HTTPRequest, isS3: Bool) throws(AWSError) {
        let address = try RequestAddress(request.url)
        let headers = Self.headers(of: request, host: address.host)
        signedHeaders = headers.map(\.name).joined(separator: ";")
        let bodyHash = headers.first { $0.name == "x-amz-content-sha256" }?.value ?? Self.hash(of: request.body)
        text = [
            request.method.uppercased(), Self.path(address.path, isS3: isS3), Self.query(address.query),
            headers.map { "\($0.name):\($0.value)\n" }.joined(), signedHeaders, bodyHash,
        ].joined(separator: "\n")
    }

    static func hash(of bytes: [UInt8]) -> String { SHA256.hash(data: bytes).hexadecimal }

    /// Without empty, `.` and `..` segments; then encoded once more than it is sent.
    private static func path(_ path: Substring, isS3: Bool) -> String {
        guard !isS3 else { return path.isEmpty ? "/" : String(path) }
        var segments: [Substring] = []
        let all = path.split(separator: "/", omittingEmptySubsequences: false)
        for segment in all where !segment.isEmpty && segment != "." {
            if segment == ".." { _ = segments.popLast() } else { segments.append(segment) }
        }
        let isDirectory = all.count > 1 && all.last == "" && !segments.isEmpty
        return PercentEncoding.encoded(
            "/" + segments.joined(separator: "/") + (isDirectory ? "/" : ""), keepingSlashes: true)
    }

    /// Decoded, encoded the one way, and sorted by bytes; a `+` stands for itself, never for a space.
    private static func query(_ query: Substring) -> String {
        let pairs = query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count > 1 ? parts[1] : ""
            return (
                name: PercentEncoding.encoded(PercentEncoding.decoded(parts.first ?? "")),
                value: PercentEncoding.encoded(PercentEncoding.decoded(value))
            )
        }
        return pairs.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// Those that are signed, by name; several of one name are joined in their order.
    private static func headers(of request: HTTPRequest, host: String) -> [(name: String, value: String)] {
        var values: [String: [String]] = [:]
        for header in request.headers {
            let name = header.name.lowercased()
            guard name == "host" || name == "content-type" || name.hasPrefix("x-amz-") else { continue }
            values[name, default: []].append(header.value.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        }
        if values["host"] == nil { values["host"] = [host] }
        return values.map { (name: $0.key, value: $0.value.joined(separator: ",")) }.sorted { $0.name < $1.name }
    }
}
