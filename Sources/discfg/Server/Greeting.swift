import DiscfgCore
import Synchronization

/// Says where the server is, and what to try first, as soon as every port is open.
final class Greeting: Sendable {
    enum Listener: Sendable { case http, etcdHTTP, etcdGRPC }

    private let session: Session
    private let addresses: [Listener: ListenAddress]
    private let ports = Mutex<[Listener: Int]>([:])

    init(session: Session, options: Server.Options) {
        self.session = session
        let addresses: [Listener: ListenAddress?] = [
            .http: options.address, .etcdHTTP: options.etcdHTTPAddress, .etcdGRPC: options.etcdGRPCAddress,
        ]
        self.addresses = addresses.compactMapValues { $0 }
    }

    /// Notes the port of a listener that is open.
    func note(_ listener: Listener, _ port: Int) {
        let all = ports.withLock { ports in
            ports[listener] = port
            return ports.count == addresses.count ? ports : nil
        }
        // Nobody need read it: the server runs all the same.
        if let all { try? session.output.human(text(all.compactMapValues { $0 })) }
    }

    private func text(_ ports: [Listener: Int]) -> String {
        let url = "http://\(place(.http, ports) ?? "")"
        var etcd = ""
        if let address = place(.etcdHTTP, ports) { etcd += "etcd's clients find HTTP at http://\(address)\n" }
        if let address = place(.etcdGRPC, ports) { etcd += "etcd's clients find gRPC at \(address)\n" }
        return """
            discfg is listening on \(url), with the store \(session.settings.store)
            \(etcd)
            Try, in another terminal:
              curl -X PUT -d hello \(url)/v1/default/keys/greeting
              curl \(url)/v1/default/keys/greeting
              curl -N -H 'Accept: text/event-stream' \(url)/v1/default/changes

            Stop it with Ctrl-C.

            """
    }

    /// The address of a listener, as seen from this machine.
    private func place(_ listener: Listener, _ ports: [Listener: Int]) -> String? {
        guard let host = addresses[listener]?.host, let port = ports[listener] else { return nil }
        return ListenAddress.text(["0.0.0.0", "::"].contains(host) ? "127.0.0.1" : host, port)
    }
}
