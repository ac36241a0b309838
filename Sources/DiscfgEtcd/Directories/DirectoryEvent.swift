public import DiscfgCore

/// The action of an event of etcd's v2 API.
public enum DirectoryAction: String, Sendable, Hashable {
    case get, set, create, update, delete, expire, compareAndSwap, compareAndDelete
}

/// One thing that was done to a file or a directory, or that was read.
public struct DirectoryEvent: Sendable, Hashable {
    /// What was done, `action` in etcd's answer.
    public var action: DirectoryAction
    /// The file or directory after it; of one that was removed the path and the revisions alone.
    public var node: DirectoryNode
    /// The node before it; `nil` if there was none.
    public var previous: DirectoryNode?
    /// The revision of the commit; of something read, the one at which it stood so.
    public var revision: Revision
    /// When it was done; what is left of a time to live is counted from here.
    public var time: Timestamp

    /// The approximate number of bytes of its values and paths.
    package var weight: Int { node.weight + (previous?.weight ?? 0) }

    /// Something was written.
    init(
        _ action: DirectoryAction, _ item: Item, over previous: DirectoryNode?, at path: DirectoryPath,
        revision: Revision, time: Timestamp
    ) {
        self.init(
            action: action, node: DirectoryNode(item, at: path), previous: previous, revision: revision, time: time)
        // Also of a directory whose own index stays as it was.
        node.modified = revision
    }

    /// Something was removed.
    init(_ action: DirectoryAction, removing previous: DirectoryNode, revision: Revision, time: Timestamp) {
        let node = DirectoryNode(
            path: previous.path, isDirectory: previous.isDirectory, created: previous.created, modified: revision)
        self.init(action: action, node: node, previous: previous, revision: revision, time: time)
    }

    init(
        action: DirectoryAction, node: DirectoryNode, previous: DirectoryNode?, revision: Revision, time: Timestamp
    ) {
        self.action = action
        self.node = node
        self.previous = previous
        self.revision = revision
        self.time = time
    }
}

/// A refusal of etcd's v2 API.
public struct DirectoryRefusal: Error, Sendable, Hashable {
    /// The kinds of refusals; the number is etcd's error code.
    public enum Reason: Int, Sendable, Hashable {
        case keyNotFound = 100
        case compareFailed = 101
        case notAFile = 102
        case notADirectory = 104
        case alreadyExists = 105
        case rootIsReadOnly = 107
        case notEmpty = 108
        case historyCleared = 401
    }

    /// The kind of the refusal, `errorCode` in etcd's answer.
    public var reason: Reason
    /// The path that was in the way, or what did not compare; empty if there is nothing to say.
    public var cause: String
    /// The config's revision.
    public var revision: Revision
}

/// The result of a request: an event, or a refusal.
public typealias DirectoryResult = Result<DirectoryEvent, DirectoryRefusal>
