import DiscfgCore

/// Where a request for the v2 API goes: a config, and a path as etcd's own router sees it.
///
/// The paths are `/v2/…` for the config that the server was started with, and `/{cfg}/v2/…` for any.
struct EtcdV2Place: Sendable {
    /// The config that the path names; `nil` for the server's.
    let config: ConfigName?
    /// The path behind the config, decoded, such as `/v2/keys/a`; `nil` when an escape in it is none.
    let path: [UInt8]?
    /// The decoded path without empty names, `.` and `..`, where that is another one; with the config.
    var redirection: [UInt8]?

    /// - Returns: `nil` for a path that is none of the v2 API's.
    init?(_ target: String) {
        let target = target.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        if target.elementsEqual("/version".utf8) {
            (config, path) = (nil, Array(target))
            return
        }
        var (rest, prefix) = (target, target.prefix(0))
        if !Self.isV2(target) {
            guard target.first == UInt8(ascii: "/") else { return nil }
            let name = target.dropFirst().prefix { $0 != UInt8(ascii: "/") }
            rest = target[name.endIndex...]
            // A config whose name is the first of REST's paths is reached by REST alone.
            guard Self.isV2(rest), !name.elementsEqual("v1".utf8),
                let config = try? ConfigName(Substring(name))
            else { return nil }
            self.config = config
            prefix = target[..<name.endIndex]
        } else {
            config = nil
        }
        guard rest.needsCleaning else {
            path = Array(rest)
            return
        }
        path = PercentBytes.decode(rest)
        guard let decoded = path.map({ Array(prefix) + $0 }) else { return }
        let clean = decoded.cleanPath
        if clean != decoded { redirection = clean }
    }

    private static func isV2(_ path: Substring.UTF8View) -> Bool {
        path.starts(with: "/v2".utf8) && (path.count == 3 || path.dropFirst(3).first == UInt8(ascii: "/"))
    }

    /// The path behind another one, `nil` when it is not below it; of the path itself, nothing.
    func path(below base: StaticString) -> ArraySlice<UInt8>? {
        guard let path else { return nil }
        return base.withUTF8Buffer { base in
            guard path.starts(with: base) else { return nil }
            let rest = path.dropFirst(base.count)
            return rest.isEmpty || rest.first == UInt8(ascii: "/") ? rest : nil
        }
    }
}

extension Substring.UTF8View {
    /// Whether there is anything that decoding or cleaning might change.
    fileprivate var needsCleaning: Bool {
        var previous: UInt8 = 0
        for byte in self {
            if byte == UInt8(ascii: "%") { return true }
            if previous == UInt8(ascii: "/"), byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") { return true }
            previous = byte
        }
        return false
    }
}

extension [UInt8] {
    /// The path as Go's `path.Clean` has it, with the slash that it ends in.
    fileprivate var cleanPath: [UInt8] {
        var names: [ArraySlice<UInt8>] = []
        for name in split(separator: UInt8(ascii: "/")) {
            if name.elementsEqual("..".utf8) {
                _ = names.popLast()
            } else if !name.elementsEqual(".".utf8) {
                names.append(name)
            }
        }
        let path = names.flatMap { [UInt8(ascii: "/")] + $0 }
        return path.isEmpty || last == UInt8(ascii: "/") ? path + [UInt8(ascii: "/")] : path
    }
}
