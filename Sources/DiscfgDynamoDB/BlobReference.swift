import DiscfgCore

/// The name of a large value: its digest and size, and the upload.
///
/// If a value is removed because nothing refers to it, and stored again at the same time, the new upload has other
/// parts.
struct BlobReference: Sendable, Hashable {
    /// The SHA-256 digest, in hexadecimal.
    var digest: String
    var upload: String
    /// In bytes.
    var size: Int

    init(digest: String, upload: String, size: Int) {
        self.digest = digest
        self.upload = upload
        self.size = size
    }

    /// The text in an attribute: `digest/upload/size`.
    var text: String { "\(digest)/\(upload)/\(size)" }

    init(_ text: String) throws {
        let parts = text.split(separator: "/")
        guard parts.count == 3, let size = Int(parts[2]), (0...Value.maximumLength).contains(size) else {
            throw DamagedRecord("a reference to a value cannot be read")
        }
        self.init(digest: String(parts[0]), upload: String(parts[1]), size: size)
    }
}
