import DiscfgCore

/// What is at a path.
enum DirectoryPlace {
    case root
    case file(Item)
    /// A directory, with its marker where it has one.
    case directory(marker: Item?)
    case nothing
}

/// Paths, as a write finds them.
///
/// Where REST or v3 made both a key and keys below it, the path is a file.
extension Evaluator {
    /// What is at a path.
    mutating func place(_ path: DirectoryPath) -> DirectoryPlace {
        if path.isRoot { return .root }
        if let file = item(path.file) { return .file(file) }
        if let marker = item(path.directory) { return .directory(marker: marker) }
        // Only what neither has nor had a marker must be looked for.
        return hasItems(in: path.below) ? .directory(marker: nil) : .nothing
    }

    /// A refusal, as things stand now.
    func refusal(_ reason: DirectoryRefusal.Reason, _ cause: String) -> DirectoryRefusal {
        DirectoryRefusal(reason: reason, cause: cause, revision: revision)
    }

    /// Makes sure that no file is on the way to a path.
    mutating func checkWay(to path: DirectoryPath) throws(DirectoryRefusal) {
        for ancestor in path.ancestors where item(ancestor.file) != nil {
            throw refusal(.notADirectory, ancestor.description)
        }
    }

    /// Why there is nothing at a path: the first that is missing on the way, or a file.
    mutating func absence(of path: DirectoryPath) -> DirectoryRefusal {
        for ancestor in path.ancestors {
            switch place(ancestor) {
            case .root, .directory: continue
            case .file: return refusal(.notADirectory, ancestor.description)
            case .nothing: return refusal(.keyNotFound, ancestor.description)
            }
        }
        return refusal(.keyNotFound, path.description)
    }

    /// The file at a path.
    ///
    /// - Throws: A refusal when there is none.
    mutating func file(at path: DirectoryPath) throws(DirectoryRefusal) -> Item {
        switch place(path) {
        case .file(let item): return item
        // As etcd says it: the root has no name.
        case .root: throw refusal(.notAFile, "")
        case .directory: throw refusal(.notAFile, path.description)
        case .nothing: throw absence(of: path)
        }
    }

    /// A directory, described.
    mutating func directory(at path: DirectoryPath, marker: Item?) -> DirectoryNode {
        if let marker { return DirectoryNode(marker, at: path) }
        let first = items(in: path.below).first { DirectoryPath(naming: $0.key) != nil }
        if let first { return DirectoryNode(impliedBy: first, at: path) }
        return DirectoryNode(path: path, isDirectory: true, created: nextRevision, modified: nextRevision)
    }

    /// Makes the directories on the way to a path that are not there yet.
    mutating func makeWay(to path: DirectoryPath, author: String) {
        for ancestor in path.ancestors where item(ancestor.directory) == nil {
            let marker = Item(
                newDirectory: ancestor, at: nextRevision, time: time, author: author, expiry: nil)
            record(.set(marker, previous: nil))
        }
    }
}
