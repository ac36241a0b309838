import DiscfgCore
import DiscfgEtcd
import Hummingbird
import NIOCore

/// What a watcher is sent: the first event that it sees, or all of them as they come, one on a line.
///
/// The head of the answer is sent at once, and nothing more until there is an event, however long that takes. The wait ends with
/// the client's connection, and with the server.
struct EtcdV2Watch: Sendable {
    let feed: DirectoryFeed
    let streams: Bool
    let counters: EtcdV2Counters
    let connection: Connection
    /// The memory for answers; a stream ends if it does not suffice for an event.
    let answers: MemoryBudget
    /// Whether it waits; otherwise the answer is empty if nothing has happened, as etcd's is when a wait has taken too long.
    var mayWait = true

    var body: ResponseBody {
        ResponseBody { writer in
            counters.noteWatcher(1)
            defer { counters.noteWatcher(-1) }
            var feed = feed
            while let (events, next) = try await next(feed) {
                feed = next
                guard try await write(streams ? events : Array(events.prefix(1)), to: &writer), streams, mayWait else {
                    break
                }
            }
            try await writer.finish(nil)
        }
    }

    /// Writes events, each in a chunk of its own, as etcd sends them: there are clients that take a chunk to be one event.
    ///
    /// - Returns: False if there is not enough memory.
    @concurrent
    private func write(_ events: [DirectoryEvent], to writer: inout any ResponseBodyWriter) async throws -> Bool {
        let held = events.reduce(0) { $0 + $1.weight }
        for event in events {
            let isWritten = try await writer.writePart(of: event.weight, holding: held, within: answers) {
                var buffer = ByteBuffer()
                buffer.writeEvent(event)
                return buffer
            }
            guard isWritten else { return false }
        }
        return true
    }

    /// The next events, and where to go on; `nil` when there will be none.
    private func next(_ feed: DirectoryFeed) async throws -> (events: [DirectoryEvent], feed: DirectoryFeed)? {
        do {
            return try await untilShutdown {
                try await connection.whileOpen {
                    var feed = feed
                    return (try await feed.next(wait: mayWait ? nil : .zero), feed)
                }
            } ?? nil
        } catch is DiscfgError {
            // As etcd does when a watcher is too slow for its history; what comes next tells the client why.
            return nil
        }
    }
}
