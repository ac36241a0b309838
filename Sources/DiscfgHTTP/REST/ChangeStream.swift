import DiscfgCore
import HTTPTypes
import Hummingbird
import NIOCore

/// Changes as server-sent events, one for each commit; its revision and the log are the event's id.
///
/// A client that comes back with `Last-Event-ID` goes on behind that revision of that log.
/// Source: <https://html.spec.whatwg.org/multipage/server-sent-events.html>.
struct ChangeStream: Sendable {
    let store: CallerStore
    let config: ConfigName
    let query: ChangesQuery
    let style: WireStyle

    /// So often something is sent when nothing changes, to keep proxies from closing and to notice a client that is gone.
    private static let heartbeat: Duration = .seconds(15)

    /// The answer; the first read is done before it begins, so that a compacted start is an error and not a broken stream.
    func response() async throws -> Response {
        let first = try await store.changes(query.following(query.after, log: query.log, wait: nil), in: config)
        let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "retry: 1000\n: discfg\n\n"))
                var page: ChangePage? = first
                while let current = page {
                    try await writer.write(current.commits.isEmpty ? heartbeat(current) : events(current))
                    let next = query.following(current.scanned, log: current.log, wait: Self.heartbeat)
                    page = try await untilShutdown { try await store.changes(next, in: config) }
                }
                try await writer.finish(nil)
            })
    }

    /// Nothing to tell, but an id: a reader of few keys, too, comes back behind all that was read for it.
    private func heartbeat(_ page: ChangePage) -> ByteBuffer {
        ByteBuffer(string: "id: \(EventID(page.scanned, page.log))\n\n")
    }

    private func events(_ page: ChangePage) -> ByteBuffer {
        var buffer = ByteBuffer()
        for commit in page.commits {
            buffer.writeString("id: \(EventID(commit.revision, page.log))\nevent: commit\ndata: ")
            buffer.writeBytes(JSONWriter.bytes { commit.write(to: &$0, style) })
            buffer.writeString("\n\n")
        }
        return buffer
    }
}

extension ChangesQuery {
    /// The same changes, from another revision on.
    fileprivate func following(_ revision: Revision, log: String?, wait: Duration?) -> ChangesQuery {
        ChangesQuery(after: revision, selection: selection, limit: limit, wait: wait, log: log)
    }
}

/// The id of an event: `REVISION-LOG`, or the revision alone.
struct EventID: CustomStringConvertible {
    let revision: Revision
    /// The log that the revision is of; `nil` if the store does not tell, or the client does not say.
    let log: String?

    init(_ revision: Revision, _ log: String?) { (self.revision, self.log) = (revision, log) }

    /// Reads what a client sends back.
    init(_ text: String) throws(DiscfgError) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let revision = parts.first.flatMap({ Revision($0) }), revision >= 0 else {
            throw .invalid(
                "Last-Event-ID has “\(text)”.", hint: "Send an id as the events had it, a revision, or none.")
        }
        self.init(revision, parts.count == 2 ? String(parts[1]) : nil)
    }

    var description: String { log.map { "\(revision)-\($0)" } ?? "\(revision)" }
}
