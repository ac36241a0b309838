import Testing

@testable import DiscfgCore
@testable import DiscfgEtcd

@Suite("Paths of etcd's v2 API")
struct DirectoryPathTests {
    @Test(
        "A path is names between slashes",
        arguments: [
            ("", "/"), ("/", "/"), ("//", "/"), ("/a", "/a"), ("a", "/a"), ("/a/", "/a"), ("//a///b//", "/a/b"),
            ("/a/…/b", "/a/…/b"), ("/.a/b.", "/.a/b."), ("/...", "/..."),
        ])
    func paths(text: String, path: String) throws {
        #expect(try DirectoryPath(Array(text.utf8)).description == path)
    }

    @Test(
        "What is no path is refused by name",
        arguments: [
            [0x2F, 0xFF], Array("/a/../b".utf8), Array("/.".utf8), [0x2F] + [UInt8](repeating: 0x61, count: 1023),
        ])
    func wrongPaths(bytes: [UInt8]) {
        let error = #expect(throws: DiscfgError.self) { try DirectoryPath(bytes) }
        #expect(error?.code == .invalidName)
    }

    @Test("The longest path has room for the key of its directory")
    func longest() throws {
        let path = try DirectoryPath([0x2F] + [UInt8](repeating: 0x61, count: 1022))
        #expect(path.directory.bytes.count == Key.maximumLength)
    }

    @Test(
        "A key stands for a file, with a slash behind it for a directory, or for nothing that has a path",
        arguments: [
            ("/a", "/a"), ("/a/", "/a"), ("/a/b", "/a/b"), ("/", nil), ("a", nil), ("/a//b", nil), ("/a//", nil),
            ("//a", nil),
            ("/a/./b", nil), ("/..", nil), ("/../", nil), ("/a.b", "/a.b"),
        ] as [(String, String?)])
    func keys(key: String, path: String?) throws {
        #expect(try DirectoryPath(naming: Key(bytes: key.utf8))?.description == path)
    }

    @Test("A key that is not UTF-8 has no path")
    func foreignKey() throws { #expect(try DirectoryPath(naming: Key(bytes: [0x2F, 0xC0, 0x80])) == nil) }

    @Test("The ancestors are the directories on the way, without the root")
    func ancestors() throws {
        let path = try Self.path("/a/b/c")
        #expect(path.ancestors.map(\.description) == ["/a", "/a/b"])
        #expect(try Self.path("/a").ancestors.isEmpty && DirectoryPath.root.ancestors.isEmpty)
        #expect(path.directory.text == "/a/b/c/" && DirectoryPath.root.directory.text == "/")
    }

    @Test(
        "A path covers itself, its marker and what is below it, but not what only begins the same",
        arguments: [
            ("/a", "/a", true), ("/a", "/a/", true), ("/a", "/a/b", true), ("/a", "/ab", false), ("/a", "/", false),
            ("/a/b", "/a", false), ("/", "/a/b", true), ("/a", "/b", false),
        ])
    func covers(path: String, key: String, isCovered: Bool) throws {
        #expect(try Self.path(path).covers(Key(bytes: key.utf8)) == isCovered)
    }

    @Test(
        "What is hidden is so for those who look from above",
        arguments: [
            ("/a", "/a/_h", true), ("/a", "/a/_h/b", true), ("/a/_h", "/a/_h/b", false), ("/", "/_h", true),
            ("/", "/a/b_c", false), ("/_h", "/_h/x/_y", true), ("/_h", "/_h", false),
        ])
    func hidden(above: String, path: String, isHidden: Bool) throws {
        #expect(try Self.path(path).isHidden(from: Self.path(above)) == isHidden)
    }

    static func path(_ text: String) throws -> DirectoryPath { try DirectoryPath(Array(text.utf8)) }
}
