import DiscfgCore
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// Changes as server-sent events, one for each commit; its revision and the log are the event's id.
///
/// A client that comes back with `Last-Event-ID` goes on behind that revision of that log.
/// Source: <https://html.spec.whatwg.org/multipage/server-sent-events.html>.
///
/// A stream holds one page of the log and one encoded commit. If the memory for answers does not suffice for a commit, the
/// stream ends, and the client continues with the id of the event before.
struct ChangeStream: Sendable {
    let store: CallerStore
    let config: ConfigName
    let query: ChangesQuery
    let style: WireStyle
    /// The memory for answers.
    let answers: MemoryBudget

    /// So often something is sent when nothing changes, to keep proxies from closing and to notice a client that is gone.
    private static let heartbeat: Duration = .seconds(15)

    /// The answer; the first read is done before it begins, so that a compacted start is an error and not a broken stream.
    func response() async throws -> Response {
        let first = FirstPage(
            try await store.changes(query.following(query.after, log: query.log, wait: nil), in: config))
        let headers: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
        return Response(
            status: .ok, headers: headers,
            body: ResponseBody { writer in
                try await writer.write(ByteBuffer(string: "retry: 1000\n: discfg\n\n"))
                // No page is kept while the stream waits for the next.
                var next = try await send(first.take(), to: &writer)
                while let query = next,
                    let page = try await untilShutdown({ try await store.changes(query, in: config) })
                {
                    next = try await send(page, to: &writer)
                }
                try await writer.finish(nil)
            })
    }

    /// Sends a page, one commit at a time.
    ///
    /// - Returns: What to read next; `nil` if the stream must end because there is not enough memory.
    @concurrent
    private func send(_ page: ChangePage, to writer: inout any ResponseBodyWriter) async throws -> ChangesQuery? {
        if page.commits.isEmpty { try await writer.write(heartbeat(page)) }
        let weight = page.commits.reduce(0) { $0 + $1.weight }
        for commit in page.commits {
            let isWritten = try await writer.writePart(of: commit.weight, holding: weight, within: answers) {
                event(commit, of: page.log)
            }
            guard isWritten else { return nil }
        }
        return query.following(page.scanned, log: page.log, wait: Self.heartbeat)
    }

    /// Nothing to tell, but an id: a reader of few keys, too, comes back behind all that was read for it.
    private func heartbeat(_ page: ChangePage) -> ByteBuffer {
        ByteBuffer(string: "id: \(EventID(page.scanned, page.log))\n\n")
    }

    private func event(_ commit: Commit, of log: String?) -> ByteBuffer {
        var buffer = ByteBuffer(string: "id: \(EventID(commit.revision, log))\nevent: commit\ndata: ")
        buffer.writeBytes(JSONWriter.bytes { commit.write(to: &$0, style) })
        buffer.writeString("\n\n")
        return buffer
    }
}

/// The page that was read before the stream began, until it is sent.
private final class FirstPage: Sendable {
    private let page: Mutex<ChangePage>

    init(_ page: ChangePage) { self.page = Mutex(page) }

    /// Hands the commits over, and forgets them.
    func take() -> ChangePage {
        page.withLock { page in
            defer { page.commits = [] }
            return page
        }
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
