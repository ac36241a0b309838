public import DiscfgCore

/// A write of etcd's v2 API.
public struct DirectoryWrite: Sendable, Hashable {
    /// The content of a write.
    public enum Content: Sendable, Hashable {
        case file(Value)
        case directory
    }

    /// A condition on a file; etcd's v2 API cannot ask for an empty value.
    public struct Condition: Sendable, Hashable {
        /// The value that it must have; `nil` for any.
        public var value: [UInt8]?
        /// The revision of its last change; `nil` for any.
        public var revision: UInt64?

        /// A condition on the value, on the revision of the last change, or on both.
        public init(value: [UInt8]?, revision: UInt64?) {
            self.value = value
            self.revision = revision
        }
    }

    /// The operation of a write.
    public enum Operation: Sendable, Hashable {
        /// Creates or replaces a file; a refresh keeps the value and is reported to no watcher.
        case set(Content, isRefresh: Bool)
        /// Creates a node, if there is none.
        case create(Content)
        /// Creates a node below the path, with the commit's revision as its name.
        case append(Content)
        /// Changes a file, or the time to live of a directory.
        case update(Value, isRefresh: Bool)
        /// Changes a file that meets a condition.
        case compareAndSwap(Condition, Value, isRefresh: Bool)
        /// Removes a file; also a directory that is empty, or one with all that is below it.
        case delete(isDirectory: Bool, isRecursive: Bool)
        /// Removes a file that meets a condition.
        case compareAndDelete(Condition)
    }

    /// The path that is written; for `append` the directory in which a file is created.
    public var path: DirectoryPath
    /// What is done at the path.
    public var operation: Operation
    /// The time to live of the node; `nil` for none.
    public var timeToLive: Duration?
    /// The author of the write; empty if unknown.
    public var author: String

    /// A write without a time to live and without an author, except for what is given.
    public init(
        _ operation: Operation, at path: DirectoryPath, timeToLive: Duration? = nil, author: String = ""
    ) {
        self.path = path
        self.operation = operation
        self.timeToLive = timeToLive
        self.author = author
    }

    /// The action of the event that the write causes.
    public var action: DirectoryAction {
        switch operation {
        case .set: .set
        case .create, .append: .create
        case .update: .update
        case .compareAndSwap: .compareAndSwap
        case .delete: .delete
        case .compareAndDelete: .compareAndDelete
        }
    }

    /// Checks what can be checked without a store.
    ///
    /// - Throws: `DiscfgError` with code `tooLarge` or `invalidRequest`.
    func validate() throws(DiscfgError) {
        try Transaction(then: [], author: author).validate()
        switch operation {
        case .set(.file(let value), _), .create(.file(let value)), .append(.file(let value)), .update(let value, _),
            .compareAndSwap(_, let value, _):
            try value.validate()
        case .set(.directory, _), .create(.directory), .append(.directory), .delete, .compareAndDelete: break
        }
    }
}

/// The part of a commit's message that describes a v2 write, for watchers.
struct DirectoryMessage: Sendable, Hashable {
    private static let mark = "etcd v2: "
    private static let refresh = "refresh"
    /// As messages have at most 1024 bytes.
    private static let longestPath = 1000

    /// `nil` of a refresh, which is no event.
    var action: DirectoryAction?
    /// The path, where the changes alone might not tell it: a directory that is removed need not have a marker.
    var path: String?

    init(_ write: DirectoryWrite) {
        switch write.operation {
        case .set(_, let isRefresh), .update(_, let isRefresh), .compareAndSwap(_, _, let isRefresh):
            action = isRefresh ? nil : write.action
        case .delete(let isDirectory, let isRecursive):
            action = .delete
            let path = write.path.description
            self.path = (isDirectory || isRecursive) && path.utf8.count <= Self.longestPath ? path : nil
        case .create, .append, .compareAndDelete: action = write.action
        }
    }

    /// - Returns: `nil` for the message of a commit that is no v2 write.
    init?(_ message: String) {
        guard message.hasPrefix(Self.mark) else { return nil }
        let words = message.dropFirst(Self.mark.count).split(separator: " ", maxSplits: 1)
        guard let word = words.first else { return nil }
        action = DirectoryAction(rawValue: String(word))
        path = words.count == 2 ? String(words[1]) : nil
        guard action != nil || word == Self.refresh else { return nil }
    }

    var text: String { Self.mark + (action?.rawValue ?? Self.refresh) + (path.map { " " + $0 } ?? "") }
}
