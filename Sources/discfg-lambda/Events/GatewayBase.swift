import DiscfgCore

/// The prefix that a gateway adds to the path: the name of a stage, or the base path of a custom domain.
///
/// - An HTTP API adds every stage except `$default`, in both payload formats.
/// - A REST API does not add its stage. With a custom domain it adds the base path, and the stage too if the mapping
///   has no stage.
///
/// If the route is greedy, such as `/{proxy+}`, its parameter is the path that the client requested. Otherwise the
/// stage is removed once if it is the whole first segment, but never for a REST API, whose paths may begin with the
/// same word. With another route on a REST API, a custom domain needs an empty base path and a mapping to a stage.
enum GatewayBase {
    static func removed(
        from path: String, of event: EventObject, _ shape: GatewayShape
    ) throws(DiscfgError) -> String {
        let route = try event.text(shape == .httpV2 ? "routeKey" : "resource")
        if let name = route.flatMap(greedyParameter), let asked = try event.object("pathParameters").text(name),
            let rest = tail(of: path, endingWith: asked)
        {
            return rest
        }
        let context = try event.object("requestContext")
        guard let stage = try context.text("stage"), stage != "$default", !stage.isEmpty else { return path }
        if shape == .restV1 {
            // Only an HTTP API has a version here. Emulators have it for REST APIs too, with the stage only in this
            // path.
            guard try event.text("version") == "1.0", try context.text("path") != "/\(stage)\(path)" else {
                return path
            }
        }
        let (bytes, prefix) = (Substring(path).utf8, "/\(stage)".utf8)
        guard bytes.starts(with: prefix) else { return path }
        let rest = bytes.dropFirst(prefix.count)
        return rest.isEmpty || rest.first == UInt8(ascii: "/") ? String(Substring(rest)) : path
    }

    /// The parameter of a route that matches every path, such as `ANY /{proxy+}`.
    private static func greedyParameter(_ route: String) -> String? {
        guard let start = route.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        let path = route[start...]
        guard path.hasPrefix("/{"), path.hasSuffix("+}") else { return nil }
        let name = path.dropFirst(2).dropLast(2)
        return name.isEmpty || name.utf8.contains(UInt8(ascii: "/")) ? nil : String(name)
    }

    /// The suffix of the path that is a slash and `asked`; either may lack a slash at its end.
    private static func tail(of path: String, endingWith asked: String) -> String? {
        func withoutSlash(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
            bytes.last == UInt8(ascii: "/") ? bytes.dropLast() : bytes
        }
        let (whole, end) = (Substring(path).utf8, withoutSlash(Substring(asked).utf8))
        let body = withoutSlash(whole)
        guard !end.isEmpty, body.count > end.count, body.suffix(end.count).elementsEqual(end) else { return nil }
        let slash = body.count - end.count - 1
        let rest = whole.dropFirst(slash)
        return rest.first == UInt8(ascii: "/") ? String(Substring(rest)) : nil
    }
}
