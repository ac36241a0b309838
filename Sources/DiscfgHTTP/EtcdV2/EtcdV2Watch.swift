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
    /// Whether it waits; otherwise the answer is empty if nothing has happened, as etcd's is when a wait has taken too long.
    var mayWait = true

    var body: ResponseBody {
        ResponseBody { writer in
            counters.noteWatcher(1)
            defer { counters.noteWatcher(-1) }
            var feed = feed
            while let (events, next) = try await next(feed) {
                feed = next
                // Each in a chunk of its own, as etcd sends them: there are clients that take a chunk to be one event.
                for event in streams ? events[...] : events.prefix(1) {
                    var buffer = ByteBuffer()
                    buffer.writeEvent(event)
                    try await writer.write(buffer)
                }
                if !streams || !mayWait { break }
            }
            try await writer.finish(nil)
        }
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
