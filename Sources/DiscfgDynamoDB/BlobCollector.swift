import AWSClient
import DiscfgCore

/// Removes the large values of a config to which nothing refers.
struct BlobCollector {
    let table: Table
    let layout: TableLayout
    let incarnation: String

    /// Removes the values that no writer has used since a moment and that nothing refers to; returns their number.
    func collect(before moment: Timestamp) async throws -> Int {
        let manifests = try await manifests()
        for manifest in manifests where manifest.dead != nil { try await finish(manifest) }
        let old = manifests.filter { $0.reference != nil && $0.time < moment }
        if old.isEmpty { return 0 }
        // Items first: a value that moves from an item into the log meanwhile is found there.
        var inUse = try await references(in: layout.items)
        inUse.formUnion(try await references(in: layout.log(incarnation)))
        var count = 0
        for manifest in old {
            guard let reference = manifest.reference, !inUse.contains(reference) else { continue }
            if try await remove(manifest, reference) { count += 1 }
        }
        return count
    }

    /// Removes all values, because the config is gone.
    func removeAll() async throws {
        for manifest in try await manifests() {
            if manifest.dead != nil { try await finish(manifest) }
            if let reference = manifest.reference { _ = try await remove(manifest, reference) }
        }
    }

    private struct Manifest {
        let digest: [UInt8]
        let time: Timestamp
        let size: Int
        /// The current upload; `nil` if the last one is being removed.
        let upload: String?
        /// An upload that is being removed.
        var dead: String?

        var reference: BlobReference? { upload.map { BlobReference(digest: name, upload: $0, size: size) } }
        var deadReference: BlobReference? { dead.map { BlobReference(digest: name, upload: $0, size: size) } }
        private var name: String { digest.map(\.hex).joined() }
    }

    private func manifests() async throws -> [Manifest] {
        var manifests: [Manifest] = []
        try await forEachRecord(in: layout.blobs(incarnation), attributes: []) { record in
            guard let digest = record[Name.sort]?.binary, let size = record[Name.size]?.int,
                let time = record[Name.time]?.int64
            else { throw DamagedRecord("the manifest of a value lacks an attribute") }
            manifests.append(
                Manifest(
                    digest: digest, time: Timestamp(milliseconds: time), size: size,
                    upload: record[Name.upload]?.string, dead: record[Name.dead]?.string))
        }
        return manifests
    }

    private func key(of manifest: Manifest) -> [String: AttributeValue] {
        TableLayout.key(layout.blobs(incarnation), manifest.digest)
    }

    /// Marks the upload as dead, if no writer has used the value meanwhile; then removes it.
    ///
    /// A writer that stores the value after that creates a new upload. The next collection finishes an interrupted
    /// removal.
    private func remove(_ manifest: Manifest, _ reference: BlobReference) async throws -> Bool {
        let marked = try await table.update(
            RecordUpdate(
                key: key(of: manifest), expression: "SET #dead = :up REMOVE #up, #ready",
                condition: "#at = :at AND #up = :up", names: [Name.dead, Name.upload, Name.ready, Name.time],
                values: [":at": .integer(manifest.time.milliseconds), ":up": .string(reference.upload)]))
        guard marked != nil else { return false }
        var manifest = manifest
        manifest.dead = reference.upload
        try await finish(manifest)
        return true
    }

    /// Removes the parts of the dead upload, and then its entry in the manifest.
    private func finish(_ manifest: Manifest) async throws {
        guard let dead = manifest.deadReference else { return }
        var keys: [[String: AttributeValue]] = []
        try await forEachRecord(in: layout.parts(of: dead), attributes: [Name.partition, Name.sort]) { keys.append($0) }
        for key in keys { try await table.delete(key) }
        let isRemoved = try await table.delete(
            key(of: manifest), if: "#dead = :dead AND attribute_not_exists(#up)",
            names: ["#dead": Name.dead, "#up": Name.upload], values: [":dead": .string(dead.upload)])
        if isRemoved { return }
        _ = try await table.update(
            RecordUpdate(
                key: key(of: manifest), expression: "REMOVE #dead", condition: "#dead = :dead", names: [Name.dead],
                values: [":dead": .string(dead.upload)]))
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
