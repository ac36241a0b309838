import AWSClient
import DiscfgCore

/// Removes the large values of a config to which nothing refers any more.
struct BlobCollector {
    let table: Table
    let layout: TableLayout
    let incarnation: String

    /// Removes those that nobody has wanted since a moment and that nothing refers to; returns how many.
    func collect(before moment: Timestamp) async throws -> Int {
        let old = try await manifests().filter { $0.time < moment }
        if old.isEmpty { return 0 }
        // Items first: a value that moves from an item into the log meanwhile is found there.
        var inUse = try await references(in: layout.items)
        inUse.formUnion(try await references(in: layout.log(incarnation)))
        var count = 0
        for manifest in old where !inUse.contains(manifest.reference) {
            if try await remove(manifest) { count += 1 }
        }
        return count
    }

    /// Removes all, because the config is gone.
    func removeAll() async throws {
        for manifest in try await manifests() { _ = try await remove(manifest) }
    }

    private struct Manifest {
        let reference: BlobReference
        let digest: [UInt8]
        let time: Timestamp
    }

    private func manifests() async throws -> [Manifest] {
        var manifests: [Manifest] = []
        try await forEachRecord(in: layout.blobs, attributes: []) { record in
            guard let digest = record[Name.sort]?.binary, let upload = record[Name.upload]?.string,
                let size = record[Name.size]?.int, let time = record[Name.time]?.int64
            else { throw DamagedRecord("the manifest of a value lacks an attribute") }
            let name = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            manifests.append(
                Manifest(
                    reference: BlobReference(digest: name, upload: upload, size: size), digest: digest,
                    time: Timestamp(milliseconds: time)))
        }
        return manifests
    }

    /// The manifest first, if nobody has wanted the value meanwhile; then the parts, which are of that upload alone.
    private func remove(_ manifest: Manifest) async throws -> Bool {
        let isRemoved = try await table.delete(
            TableLayout.key(layout.blobs, manifest.digest), if: "#at = :at AND #up = :up",
            names: ["#at": Name.time, "#up": Name.upload],
            values: [":at": .integer(manifest.time.milliseconds), ":up": .string(manifest.reference.upload)])
        guard isRemoved else { return false }
        var keys: [[String: AttributeValue]] = []
        try await forEachRecord(
            in: layout.parts(of: manifest.reference), attributes: [Name.partition, Name.sort]
        ) { keys.append($0) }
        for key in keys { try await table.delete(key) }
        return true
    }

    private func references(in partition: String) async throws -> Set<BlobReference> {
        var references: Set<BlobReference> = []
        try await forEachRecord(in: partition, attributes: [Name.blob, Name.changes]) { record in
            if let text = record[Name.blob]?.string { references.insert(try BlobReference(text)) }
            for change in record[Name.changes]?.list ?? [] {
                for side in [Name.item, Name.previous] {
                    guard let text = change.map?[side]?.map?[ItemAttributes.Names.change.blob]?.string else { continue }
                    references.insert(try BlobReference(text))
                }
            }
        }
        return references
    }

    private func forEachRecord(
        in partition: String, attributes: [String], _ body: ([String: AttributeValue]) throws -> Void
    ) async throws {
        var query = PartitionQuery(partition: partition, attributes: attributes)
        repeat {
            let answer = try await table.query(query)
            try await table.call { for record in answer.items ?? [] { try body(record) } }
            query.start = answer.lastEvaluatedKey
        } while query.start != nil
    }
}
