#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif
import DiscfgCore
import NIOCore
import ServiceLifecycle

/// A service that listens; where it cannot, it says at which address, and why.
struct Listening: Service {
    let address: ListenAddress
    let service: any Service

    func run() async throws {
        do {
            try await service.run()
        } catch let error as IOError {
            throw DiscfgError(
                .storeUnavailable,
                "The server cannot listen on \(address): \(String(cString: strerror(error.errnoCode))).",
                hint:
                    "Another program may have the port: choose another with --listen or --etcd-listen, or port 0 for any.",
                cause: error)
        }
    }
}
