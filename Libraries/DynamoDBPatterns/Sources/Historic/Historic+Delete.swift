import AWSClient

extension Historic {
    /// Deletes an item, and has the history say by whom.
    ///
    /// DynamoDB's records do not say who deleted an item, unless it was DynamoDB itself. So this saves a version that
    /// names who is about to, and then deletes that one: two writes, and two entries of the history by the same author.
    /// After a crash between the two the item is still there, and calling this again is right; where somebody else
    /// deletes that very version by other means, the history says that it was this author.
    ///
    /// - Parameters:
    ///   - versioned: The item as it was loaded.
    ///   - author: Who deletes it.
    /// - Throws: `Conflict` with the newer item, where somebody else changed it meanwhile; what `VersionedTable.save`
    ///   and `VersionedTable.delete` throw.
    public func delete(_ versioned: Versioned<Item>, by author: String) async throws {
        var marked = versioned
        marked.content.stored[HistoricAttribute.deletion] = .map([
            "by": .string(author), "version": .integer(versioned.version + 1),
        ])
        try await source.delete(try await source.save(marked))
    }

    /// Who was about to delete an item when its version was written; `nil` for all other versions.
    func deleter(_ image: StoredItem) -> String? {
        guard let deletion = image[HistoricAttribute.deletion]?.map, let version = deletion["version"]?.int64,
            version == image[source.attributes.version]?.int64
        else { return nil }
        return deletion["by"]?.string
    }

    /// Who wrote a version.
    func writer(of image: StoredItem) -> String? {
        deleter(image) ?? author.flatMap { image[$0]?.string }
    }
}
