import DiscfgCore
import DiscfgEtcd
import Testing

/// A stream of watches as its client sees it: one answer after the other.
struct WatchReader {
    let stream: WatchStream
    private var answers: ArraySlice<WatchResponse> = []

    init(_ service: EtcdService) { stream = WatchStream(service) }

    /// The next answer; fails where the stream has ended.
    mutating func next() async throws -> WatchResponse {
        while answers.isEmpty { answers = try #require(try await stream.next())[...] }
        return answers.removeFirst()
    }

    /// The next answer as text.
    mutating func text() async throws -> String { try await next().text }

    /// The next answers as text, in the order of their texts: what is sent to several watches at once has none.
    mutating func texts(_ count: Int) async throws -> [String] {
        var texts: [String] = []
        for _ in 0..<count { texts.append(try await text()) }
        return texts.sorted()
    }

    /// Asks for a watch, and takes what is answered to that.
    @discardableResult
    mutating func create(
        _ key: String, to end: String = "", from revision: Int64 = 0,
        _ change: (inout WatchCreateRequest) -> Void = { _ in }
    ) async throws -> WatchResponse {
        var request = WatchCreateRequest(key: key.bytes, rangeEnd: end.bytes, startRevision: revision)
        change(&request)
        await stream.receive(.create(request))
        return try await next()
    }

    /// Asks how far everything was delivered, and takes the answer; fails where it is of something else.
    mutating func progress() async throws -> Int64 {
        await stream.receive(.progress)
        let answer = try await next()
        try #require(answer.watchID == WatchResponse.noWatch && answer.events.isEmpty && !answer.canceled)
        return answer.header.revision
    }
}

extension EtcdFixture {
    /// Opens a stream for the time of the body; of another config where that is said.
    func watching(_ service: EtcdService? = nil, _ body: (inout WatchReader) async throws -> Void) async throws {
        var reader = WatchReader(service ?? etcd)
        defer { reader.stream.close() }
        try await body(&reader)
    }
}

extension WatchResponse {
    /// The watch, what happened, and the revision, such as `0: put a=1, delete b @3`.
    var text: String {
        var parts: [String] = events.map(\.text)
        if created { parts.append("created") }
        if canceled { parts.append("canceled") }
        return "\(watchID): \(parts.joined(separator: ", ")) @\(header.revision)"
    }
}

extension Event {
    /// Such as `put a=1` or `delete a`.
    var text: String { kind == .put ? "put \(kv.key.text)=\(kv.value.text)" : "delete \(kv.key.text)" }
}
