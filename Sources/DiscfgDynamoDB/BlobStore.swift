import AWSClient
import Crypto
import DiscfgCore
import Synchronization

/// Large values, each stored once for each config and named by its digest, in parts that fit into DynamoDB's items.
///
/// A manifest contains the current upload of a value and the time of its last use by a writer. It is written before the
/// parts, so that no part is ever left without a manifest. It is updated before each use, so that the collector can
/// distinguish unused values from those that a writer is about to refer to.
final class BlobStore: Sendable {
    /// The maximum number of bytes of one part: 350 KiB.
    static let partSize = 350 << 10
    private static let maximumKnown = 1000

    private let table: Table
    private let time: TimeSource
    private let lately = Mutex<[String: (reference: BlobReference, until: ContinuousClock.Instant)]>([:])

    /// The time for which a value that this process has stored or used is known to exist.
    private let memory: Duration

    /// A store that keeps values that were used within `orphanAge`.
    init(table: Table, time: TimeSource, orphanAge: Duration) {
        self.table = table
        self.time = time
        memory = min(.seconds(300), orphanAge / 4)
    }

    /// Ensures that a value is stored, and is kept for the next minutes.
    func store(_ bytes: [UInt8], in layout: TableLayout, _ incarnation: String) async throws -> BlobReference {
        let digest = Array(SHA256.hash(data: bytes))
        let name = digest.map(\.hex).joined()
        let memoryKey = "\(incarnation)/\(name)"
        if let known = lately.withLock({ $0[memoryKey] }), known.until > .now { return known.reference }
        let manifestKey = TableLayout.key(layout.blobs(incarnation), digest)
        let manifest = try await table.update(
            RecordUpdate(
                key: manifestKey,
                expression: "SET #at = :now, #size = :size, #up = if_not_exists(#up, :up)",
                names: [Name.time, Name.size, Name.upload],
                values: [
                    ":now": .integer(time.now().milliseconds), ":size": .integer(bytes.count),
                    ":up": .string(String(UInt64.random(in: .min ... .max), radix: 36)),
                ]))
        guard let upload = manifest?[Name.upload]?.string else {
            throw table.damage(DamagedRecord("the manifest of a value has no upload"))
        }
        let reference = BlobReference(digest: name, upload: upload, size: bytes.count)
        if manifest?[Name.ready]?.bool != true {
            try await send(bytes, as: reference, manifestKey: manifestKey, in: layout)
        }
        lately.withLock { lately in
            if lately.count >= Self.maximumKnown { lately = [:] }
            lately[memoryKey] = (reference, .now + memory)
        }
        return reference
    }

    private func send(
        _ bytes: [UInt8], as reference: BlobReference, manifestKey: [String: AttributeValue], in layout: TableLayout
    ) async throws {
        let starts = Array(stride(from: 0, to: bytes.count, by: Self.partSize))
        _ = try await starts.concurrently(atMost: 4) { [table] start in
            let part = bytes[start..<min(start + Self.partSize, bytes.count)]
            let key = TableLayout.key(layout.parts(of: reference), Self.partKey(start / Self.partSize))
            try await table.put(key.merging([Name.bytes: .binary(Array(part))]) { $1 })
        }
        let marked = try await table.update(
            RecordUpdate(
                key: manifestKey, expression: "SET #ready = :yes", condition: "#up = :up",
                names: [Name.ready, Name.upload],
                values: [":yes": .bool(true), ":up": .string(reference.upload)]))
        guard marked != nil else {
            throw DiscfgError(
                .storeUnavailable, "A large value was removed while it was being stored.",
                hint: "Nothing was written; try again in a moment.")
        }
    }

    private static func partKey(_ number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    /// Reads values; all of them must exist.
    func load(_ references: Set<BlobReference>, in layout: TableLayout) async throws -> [BlobReference: [UInt8]] {
        let wanted = Array(references)
        let found = try await wanted.concurrently(atMost: 4) { try await self.load($0, in: layout) }
        return Dictionary(uniqueKeysWithValues: zip(wanted, found))
    }

    private func load(_ reference: BlobReference, in layout: TableLayout) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(reference.size)
        // A value never changes, and an incomplete read is detected. So eventual consistency is enough, unless a part
        // is not visible yet.
        for consistency in [Consistency.eventual, .strong] {
            var query = PartitionQuery(partition: layout.parts(of: reference), consistency: consistency)
            bytes.removeAll(keepingCapacity: true)
            repeat {
                let answer = try await table.query(query)
                for record in answer.items ?? [] { bytes += record[Name.bytes]?.binary ?? [] }
                query.start = answer.lastEvaluatedKey
            } while query.start != nil && bytes.count < reference.size
            let digest = SHA256.hash(data: bytes)
            if digest.map(\.hex).joined() == reference.digest { return bytes }
        }
        throw table.damage(DamagedRecord("a large value is not complete"))
    }
}
