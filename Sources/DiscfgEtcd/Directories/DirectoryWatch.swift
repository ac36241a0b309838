import DiscfgCore

/// A watch: of a path, and with `isRecursive` of everything below it.
public struct DirectoryWatch: Sendable, Hashable {
    /// The file or directory that is watched; it need not exist.
    public var path: DirectoryPath
    /// Whether changes below the path are reported, too.
    public var isRecursive: Bool

    /// A watch of a path, or of everything below it as well.
    public init(_ path: DirectoryPath, isRecursive: Bool) {
        self.path = path
        self.isRecursive = isRecursive
    }

    /// The events of a commit that the watcher sees.
    func events(of commit: Commit) -> [DirectoryEvent] {
        // Also what goes with a directory above is among the changes.
        guard commit.changes.contains(where: { path.covers($0.key) }) else { return [] }
        let events = commit.directoryEvents
        let own = events.filter { isOwn($0) }
        // A commit that has an event for each key may remove a marker above the path and leave the directory there, with other keys.
        return own.isEmpty ? events.filter { isEndAbove($0) } : own
    }

    /// Whether an event is at the path, or below it and seen from there: not what is hidden below the path.
    private func isOwn(_ event: DirectoryEvent) -> Bool {
        let place = event.node.path
        return place == path || path.covers(place) && isRecursive && !place.isHidden(from: path)
    }

    /// Whether an event is the end of a directory above the path, with which the path went.
    private func isEndAbove(_ event: DirectoryEvent) -> Bool {
        let isRemoval = event.action == .delete || event.action == .expire
        return isRemoval && event.node.isDirectory && event.node.path != path && event.node.path.covers(path)
    }
}
