/// The parts of a URL that a signature needs, as they stand there.
struct RequestAddress {
    /// With its port, unless that is the scheme's own.
    let host: String
    let path: Substring
    /// Without the question mark.
    let query: Substring

    init(_ url: String) throws(AWSError) {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https", url.dropFirst(scheme.count).hasPrefix("://") else {
            throw AWSError(
                .invalidConfiguration, "The address of a request is not one of HTTP.", hint: "Write it as https://HOST."
            )
        }
        let withoutFragment = url.dropFirst(scheme.count + 3).prefix { $0 != "#" }
        let authority = withoutFragment.prefix { $0 != "/" && $0 != "?" }
        let target = withoutFragment[authority.endIndex...]
        path = target.prefix { $0 != "?" }
        query = target[path.endIndex...].dropFirst()
        let name = authority.lowercased()
        let usualPort = scheme == "https" ? ":443" : ":80"
        host = name.hasSuffix(usualPort) ? String(name.dropLast(usualPort.count)) : name
        guard !host.isEmpty, !host.contains("@"), !host.contains(where: \.isWhitespace) else {
            throw AWSError(
                .invalidConfiguration, "“\(scheme)://…” names no host, or a user.", hint: "Write it as https://HOST.")
        }
    }
}
