public import DiscfgCore

/// A file or a directory, as etcd's v2 API describes it.
public struct DirectoryNode: Sendable, Hashable {
    /// The path below `/v2/keys`.
    public var path: DirectoryPath
    /// What a file holds; `nil` of directories, and of what was removed.
    public var value: [UInt8]?
    /// Whether it is a directory, `dir` in etcd's answer.
    public var isDirectory: Bool
    /// When it ends; `nil` for never.
    public var expiry: Timestamp?
    /// The revision at which it came to be; 0 of the root.
    public var created: Revision
    /// The revision of the last change; 0 of the root.
    public var modified: Revision
    /// What is in a directory that was listed, without what is hidden.
    public var children: [DirectoryNode] = []

    init(
        path: DirectoryPath, value: [UInt8]? = nil, isDirectory: Bool, expiry: Timestamp? = nil, created: Revision,
        modified: Revision
    ) {
        self.path = path
        self.value = value
        self.isDirectory = isDirectory
        self.expiry = expiry
        self.created = created
        self.modified = modified
    }

    /// The approximate number of bytes of its value and path, without what is in a directory.
    var weight: Int { (value?.count ?? 0) + path.file.bytes.count + 200 }

    /// The file or directory whose item this is.
    init(_ item: Item, at path: DirectoryPath) {
        let isDirectory = item.key.isDirectory
        self.init(
            path: path, value: isDirectory ? nil : item.value.bytes, isDirectory: isDirectory, expiry: item.expiry,
            created: item.created, modified: isDirectory ? item.directoryModified : item.modified)
    }

    /// A directory that is there only because something is below it.
    ///
    /// REST and v3 make no markers. What such a directory lacks, it takes from the first key below it.
    init(impliedBy first: Item, at path: DirectoryPath) {
        self.init(path: path, isDirectory: true, created: first.created, modified: first.created)
    }
}

/// The markers of directories.
///
/// A new end of a directory is a change of its marker, but not of the directory: etcd leaves its index as it was. So a marker
/// that was changed has the index in its value, as decimal text.
extension Item {
    /// The marker of a directory that comes to be.
    init(newDirectory path: DirectoryPath, at revision: Revision, time: Timestamp, author: String, expiry: Timestamp?) {
        self.init(
            key: path.directory, value: Value(bytes: [], contentType: Value.directory), created: revision,
            modified: revision, modifiedAt: time, author: author, expiry: expiry)
    }

    /// The revision of the last change to the directory itself.
    var directoryModified: Revision {
        guard isDirectory, let text = value.text, let revision = Revision(text) else { return modified }
        return revision
    }

    /// The value of the marker after its end was changed; what is no marker keeps its own.
    var keepingDirectoryModified: Value {
        guard isDirectory else { return value }
        return Value(bytes: Array(String(directoryModified).utf8), contentType: Value.directory)
    }
}
