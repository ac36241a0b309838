import DiscfgCore

/// Writing parts of a URL.
///
/// Source: RFC 3986, section 2.
enum URLText {
    /// The bytes, percent-encoded but for unreserved characters and those to keep.
    static func escaped(_ bytes: some Sequence<UInt8>, keeping kept: Unicode.Scalar? = nil) -> String {
        var text = ""
        for byte in bytes {
            let scalar = Unicode.Scalar(byte)
            if scalar.isUnreserved || scalar == kept {
                text.unicodeScalars.append(scalar)
            } else {
                text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    /// A key's path, or a directory's, as it stands in a URL behind the route: with `bareFlag`, without its `bare:`.
    static func path(_ path: String) -> String {
        let isBare = path.hasPrefix(Key.barePrefix)
        return (isBare ? "/" : "") + escaped(path.utf8.dropFirst(isBare ? Key.barePrefix.utf8.count : 0), keeping: "/")
    }

    /// The parameter `bare` that goes with `path(_:)`.
    static func bareFlag(_ path: String) -> String? { path.hasPrefix(Key.barePrefix) ? "true" : nil }

    /// The parameters that have a value, with a leading `?`; empty when none has.
    static func query(_ parameters: [(String, String?)]) -> String {
        let pairs = parameters.compactMap { name, value in value.map { "\(name)=\(escaped($0.utf8))" } }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }
}

extension Unicode.Scalar {
    fileprivate var isUnreserved: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": true
        default: false
        }
    }
}
