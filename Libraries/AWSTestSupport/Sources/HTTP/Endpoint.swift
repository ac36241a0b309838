/// Where a server listens: a host and a port, without TLS.
struct Endpoint: Sendable {
    var host: String
    var port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `http://HOST:PORT`, with or without a slash at the end.
    init(url: String) throws(AWSTestError) {
        let rest = url.hasSuffix("/") ? url.dropLast() : url[...]
        let parts = rest.hasPrefix("http://") ? rest.dropFirst(7).split(separator: ":") : []
        guard parts.count == 2, let port = Int(parts[1]), (1...65535).contains(port) else {
            throw AWSTestError("“\(url)” is not the address of a server. Write it as http://HOST:PORT.")
        }
        self.init(host: String(parts[0]), port: port)
    }

    var url: String { "http://\(host):\(port)" }
}
