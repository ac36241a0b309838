import DiscfgCore
import Foundation
import HTTPTypes
import HummingbirdTesting
import Synchronization
import Testing

@testable import DiscfgFormats

@Suite("Imports while files are being read")
struct BusyImportsTests {
    /// Holds the threads on which files are read.
    private final class Threads: Sendable {
        private let state = Mutex((held: 0, isOpen: false))

        var held: Int { state.withLock(\.held) }

        func hold() {
            state.withLock { $0.held += 1 }
            while !state.withLock(\.isOpen) { Thread.sleep(forTimeInterval: 0.001) }
        }

        func release() { state.withLock { $0.isOpen = true } }
    }

    @Test("Imports that wait to be read hold up no other request")
    func waiting() async throws {
        let limits = RequestLimits()
        let threads = Threads()
        try await RESTFixture.with(.socket, limits: limits) { rest in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask { try await RoomyStack.run { _ throws(DiscfgError) in threads.hold() } }
                }
                while threads.held < 2 { await Task.yield() }
                let file = String(repeating: "[[a]]\n", count: 1000)
                // As many as the client has connections to a server.
                let count = 8
                for number in 0..<count {
                    group.addTask {
                        let path = "/v1/default/import?as=toml&prefix=/\(number)"
                        let status = try await rest.send(.put, path, file).status
                        #expect(status == 200)
                    }
                }
                // Each has its body, and takes memory for the values before it waits.
                while limits.bodies.held < count * 3 * 1000 * 400 { await Task.yield() }
                try await RawConnection.with(port: rest.client.port) { connection in
                    try await connection.send("GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                    #expect(try await connection.line() == "HTTP/1.1 200 OK")
                }
                threads.release()
                try await group.waitForAll()
            }
        }
    }
}
