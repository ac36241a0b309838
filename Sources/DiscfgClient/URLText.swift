import DiscfgModel

/// The parts of a request's URL.
enum URLText {
    /// The place of a key's or directory's name in a URL: a path follows the route, any other name is a parameter.
    static func place(of name: String) -> (path: String, parameter: String?) {
        name.utf8.first == UInt8(ascii: "/") ? (PercentEncoding.encode(name.utf8, keeping: "/"), nil) : ("", name)
    }

    /// The parameters that have a value, with a leading `?`; empty if none has.
    static func query(_ parameters: [(String, String?)]) -> String {
        let pairs = parameters.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.encode($0.utf8))" } }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }
}
