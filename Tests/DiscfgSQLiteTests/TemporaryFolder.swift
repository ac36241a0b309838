import DiscfgCore
import DiscfgSQLite
import Foundation

/// A folder of its own for each test, removed when nothing refers to it any more.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(component: "discfg-test-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String = "store.db") -> String { path + "/" + name }
}

extension Commit {
    /// A first commit.
    static var first: Commit {
        Commit(revision: 1, time: Timestamp(milliseconds: 1000), author: "test", message: "created", changes: [])
    }
}
