import DiscfgCore

/// The events of a commit for watchers of paths.
///
/// A v2 write is one event: of the file or directory that was named, whatever came to be on the way to it or went with it. The
/// commit's message tells what it was, as far as the changes agree: any writer may choose it. Any other commit is an event for
/// each of its changes, except that a directory which expires takes along what is below it, and that a directory is still there
/// if the commit removes its marker and sets a key below it.
extension Commit {
    var directoryEvents: [DirectoryEvent] {
        if let message = DirectoryMessage(message) {
            if let action = message.action {
                if let event = event(action, message.path) { return [event] }
            } else if changes.allSatisfy(\.keepsValue) {
                return []
            }
        }
        if let event = directoryExpiry { return [event] }
        // In the order of their keys, as the changes are.
        let kept = changes.compactMap { $0.item?.key.bytes }
        return changes.compactMap { change in
            change.removesMarker && kept.hasElement(beginningWith: change.key.bytes)
                ? nil : change.event(revision: revision, time: time)
        }
    }

    /// The one event of a v2 write; `nil` if the changes are not those of one, whatever the message says.
    private func event(_ action: DirectoryAction, _ path: String?) -> DirectoryEvent? {
        switch action {
        case .get, .expire: nil
        case .set, .create, .update, .compareAndSwap: writing(action)
        case .compareAndDelete: removal(action, path: nil)
        case .delete: removal(action, path: path)
        }
    }

    /// What was written is the deepest of the changes; the others are directories on the way, or the file that it replaced.
    private func writing(_ action: DirectoryAction) -> DirectoryEvent? {
        let deepest = changes.max { $0.key.bytes.count < $1.key.bytes.count }
        guard let item = deepest?.item, let path = DirectoryPath(naming: item.key) else { return nil }
        var previous = deepest?.previous
        for change in changes where change.key != item.key {
            if let other = change.item {
                guard other.isDirectory, item.key.bytes.starts(with: other.key.bytes) else { return nil }
            } else {
                guard item.isDirectory, change.key == path.file else { return nil }
                previous = change.previous
            }
        }
        return DirectoryEvent(
            action, item, over: previous.map { DirectoryNode($0, at: path) }, at: path, revision: revision, time: time)
    }

    /// A file alone, or a directory with all that was below it.
    private func removal(_ action: DirectoryAction, path text: String?) -> DirectoryEvent? {
        guard let first = changes.first?.previous, changes.allSatisfy({ $0.item == nil }) else { return nil }
        let named = text.flatMap { try? DirectoryPath(Array($0.utf8)) } ?? DirectoryPath(naming: first.key)
        guard let path = named, changes.allSatisfy({ path.covers($0.key) }) else { return nil }
        if changes.count == 1, first.key == path.file || first.key == path.directory {
            return DirectoryEvent(
                action, removing: DirectoryNode(first, at: path), revision: revision, time: time)
        }
        guard first.key != path.file else { return nil }
        return removedDirectory(action, path)
    }

    /// A directory that was overdue, with all that was below it; each key alone is an event by itself.
    private var directoryExpiry: DirectoryEvent? {
        guard changes.count > 1, let first = changes.first, first.previous?.isDirectory == true,
            changes.allSatisfy({ $0.kind == .expire && $0.key.bytes.starts(with: first.key.bytes) }),
            let path = DirectoryPath(naming: first.key)
        else { return nil }
        return removedDirectory(.expire, path)
    }

    private func removedDirectory(_ action: DirectoryAction, _ path: DirectoryPath) -> DirectoryEvent? {
        // The marker comes first, as its key begins all the others; without one, the directory was what its first key was.
        let known = changes.lazy.compactMap(\.previous).first { DirectoryPath(naming: $0.key) != nil }
        guard let known else { return nil }
        let node =
            known.key == path.directory ? DirectoryNode(known, at: path) : DirectoryNode(impliedBy: known, at: path)
        return DirectoryEvent(action, removing: node, revision: revision, time: time)
    }
}

extension [[UInt8]] {
    /// Whether an element begins so; the elements are in ascending order.
    fileprivate func hasElement(beginningWith prefix: [UInt8]) -> Bool {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].lexicographicallyPrecedes(prefix) { low = middle + 1 } else { high = middle }
        }
        return low < endIndex && self[low].starts(with: prefix)
    }
}

extension Change {
    /// Whether the change removes what makes a directory one of its own.
    fileprivate var removesMarker: Bool { item == nil && previous?.isDirectory == true }

    /// Whether a reader sees the same value as before, as after a refresh; a directory has none.
    ///
    /// A refresh also writes the marker of a directory that had none.
    fileprivate var keepsValue: Bool {
        guard let item else { return false }
        if item.isDirectory { return previous?.isDirectory ?? true }
        return item.value == previous?.value
    }

    /// The event that the change is by itself; `nil` if no path names the key.
    fileprivate func event(revision: Revision, time: Timestamp) -> DirectoryEvent? {
        guard let path = DirectoryPath(naming: key) else { return nil }
        let before = previous.map { DirectoryNode($0, at: path) }
        if let item {
            return DirectoryEvent(.set, item, over: before, at: path, revision: revision, time: time)
        }
        return before.map {
            DirectoryEvent(kind == .expire ? .expire : .delete, removing: $0, revision: revision, time: time)
        }
    }
}
