import DiscfgModel

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

    /// Where a URL has the name of a key or a directory: a path stands behind the route, any other name is a parameter.
    static func place(of name: String) -> (path: String, parameter: String?) {
        name.utf8.first == UInt8(ascii: "/") ? (escaped(name.utf8, keeping: "/"), nil) : ("", name)
    }

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
