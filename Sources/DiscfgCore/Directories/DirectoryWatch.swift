/// What somebody watches: a path, and with `isRecursive` what is below it.
public struct DirectoryWatch: Sendable, Hashable {
    public var path: DirectoryPath
    public var isRecursive: Bool

    public init(_ path: DirectoryPath, isRecursive: Bool) {
        self.path = path
        self.isRecursive = isRecursive
    }

    /// The events of a commit that the watcher sees.
    func events(of commit: Commit) -> [DirectoryEvent] {
        // Also what goes with a directory above is among the changes.
        guard commit.changes.contains(where: { path.covers($0.key) }) else { return [] }
        return commit.directoryEvents.filter { sees($0) }
    }

    /// Whether the watcher sees an event of a commit that changed something at or below the path.
    ///
    /// A watcher of what went with its directory sees the directory go. What is hidden below the path is not seen.
    private func sees(_ event: DirectoryEvent) -> Bool {
        let place = event.node.path
        if place == path { return true }
        if path.covers(place) { return isRecursive && !place.isHidden(from: path) }
        let isRemoval = event.action == .delete || event.action == .expire
        return isRemoval && event.node.isDirectory && place.covers(path)
    }
}
