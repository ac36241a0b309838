import Crypto
import DiscfgCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The items of a config at one revision, page by page.
struct SnapshotItems {
    private let service: EtcdService
    private let revision: Revision
    private var cursor: String?
    private let now: Timestamp
    private var isDone = false

    init(_ service: EtcdService, at revision: Revision) {
        self.service = service
        self.revision = revision
        now = service.options.time.now()
    }

    /// The next items; `nil` after the last.
    mutating func next() async throws -> [Item]? {
        if isDone { return nil }
        var query = ListQuery(isRecursive: true, at: revision, after: cursor, limit: 1000, consistency: .strong)
        // The revision was the newest when the snapshot began.
        query.goesOn = true
        let listing = try await service.store.list(query, in: service.config)
        cursor = listing.next
        isDone = listing.next == nil
        // A listing shows overdue items once the revision is in the past, and hides them before.
        return listing.items.filter { !$0.isDirectory && !$0.isExpired(at: now) }
    }
}

/// All keys of a config at one revision, as a file of JSON lines: a header, and one line for each key.
///
/// The file that `etcdctl snapshot save` writes ends as etcd's files do: it is padded with spaces to a multiple of 512
/// bytes, and followed by the 32 bytes of the SHA-256 of all that. The format is discfg's own; etcd cannot be restored
/// from it.
package actor EtcdSnapshot {
    /// The maximum number of bytes in one answer.
    static let blobBytes = 32 << 10
    private static let pageBytes = 512

    private let revision: Revision
    private let service: EtcdService
    private var items: SnapshotItems
    private var digest = SHA256()
    private var buffer: [UInt8]
    private var remaining: UInt64
    private var state = State.lines

    private enum State { case lines, digest, end }

    /// Begins at the config's current revision, and computes the size.
    package init(_ service: EtcdService) async throws(EtcdError) {
        (revision, remaining) = try await service.answer {
            let revision = try await service.store.tail(of: service.config).revision
            var items = SnapshotItems(service, at: revision)
            var count = Self.head(of: service.config, at: revision).count
            while let page = try await items.next() {
                count += page.reduce(0) { $0 + $1.snapshotLine.count }
            }
            return (revision, UInt64(count))
        }
        self.service = service
        items = SnapshotItems(service, at: revision)
        buffer = Self.head(of: service.config, at: revision)
        let padding = (Self.pageBytes - Int(remaining % UInt64(Self.pageBytes))) % Self.pageBytes
        // JSON allows any number of spaces between its lines.
        if padding > 0 { buffer += repeatElement(0x20, count: padding - 1) + [0x0A] }
        remaining += UInt64(padding)
    }

    /// The next part; `nil` after the last, which is the digest.
    package func next() async throws(EtcdError) -> SnapshotResponse? {
        switch state {
        case .end: return nil
        case .digest:
            state = .end
            return SnapshotResponse(remainingBytes: 0, blob: Array(digest.finalize()))
        case .lines:
            while buffer.count < Self.blobBytes, let page = try await nextPage() {
                for item in page { buffer += item.snapshotLine }
            }
            // Items that have expired since they were counted are left out, and replaced by spaces.
            let wanted = min(Self.blobBytes, Int(clamping: remaining))
            buffer += repeatElement(0x20, count: max(0, wanted - buffer.count))
            let blob = Array(buffer.prefix(wanted))
            buffer.removeFirst(blob.count)
            digest.update(data: blob)
            remaining -= min(remaining, UInt64(blob.count))
            if remaining == 0 { state = .digest }
            return SnapshotResponse(remainingBytes: remaining, blob: blob)
        }
    }

    private func nextPage() async throws(EtcdError) -> [Item]? {
        var items = self.items
        let page = try await service.answer { try await items.next() }
        self.items = items
        return page
    }

    private static func head(of config: ConfigName, at revision: Revision) -> [UInt8] {
        JSONWriter.line { writer in
            writer.member("format", "discfg-snapshot-1")
            writer.member("config", config.description)
            writer.member("revision", revision)
        }
    }
}

extension Item {
    /// The item as a line of a snapshot.
    fileprivate var snapshotLine: [UInt8] {
        JSONWriter.line { writer in
            writer.member("key", Data(key.bytes).base64EncodedString())
            writer.member("value", Data(value.bytes).base64EncodedString())
            writer.member("contentType", value.contentType)
            writer.member("version", version)
            writer.member("created", created)
            writer.member("revision", modified)
            if let lease { writer.member("lease", lease) }
            if let expiry { writer.member("expires", expiry.description) }
        }
    }
}

extension JSONWriter {
    fileprivate static func line(_ members: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object(members)
        return writer.bytes + [0x0A]
    }
}
