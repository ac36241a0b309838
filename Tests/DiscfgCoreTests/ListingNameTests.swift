import DiscfgCore
import DiscfgTestSupport
import Testing

@Suite("Names in listings") struct ListingNameTests {
    @Test("Every level of a listing names what it has, and all pages together are the whole", arguments: [1, 2, 1000])
    func listing(limit: Int) async throws {
        let service = ConfigService(engine: MemoryEngine(), logger: LogCapture().logger)
        let texts: [[UInt8]] = [
            Array("/a/x".utf8), Array("/a/".utf8), Array("/a//b".utf8), Array("//x".utf8), Array("app/name".utf8),
            Array("app/".utf8), Array("bytes:6161".utf8), [0xFF, 0x2F, 0x61], [0xFF], Array("/".utf8),
        ]
        let keys = try texts.map { try Key(bytes: $0) }.sorted()
        _ = try await service.commit(Transaction(then: keys.map { .set($0, Value("v")) }), to: .default)
        func pages(_ directory: String, recursive: Bool) async throws -> [Listing.Entry] {
            var query = ListQuery(directory, isRecursive: recursive, limit: limit)
            var entries: [Listing.Entry] = []
            while true {
                let page = try await service.list(query, in: .default)
                entries += page.entries
                guard let next = page.next else { return entries }
                query.after = next
            }
        }
        #expect(try await pages("/", recursive: true).map(\.name) == keys.map(\.name))
        let bare = keys.filter { $0.bytes.first != 0x2F }
        #expect(try await pages("bare:", recursive: true).map(\.name) == bare.map(\.name))
        #expect(
            try await pages("/", recursive: false).map(\.name) == [
                "bytes://%2F", "bytes://%2F/", "/a/", "bare:app/", "bare:bytes:6161", "bytes://%FF", "bytes://%FF/",
            ])
        #expect(
            try await pages("bare:", recursive: false).map(\.name) == [
                "bare:app/", "bare:bytes:6161", "bytes://%FF", "bytes://%FF/",
            ])
        #expect(
            try await pages("/a", recursive: false).map(\.name) == ["bytes:///a%2F", "bytes:///a%2F/", "/a/x"])
        // From the names alone, level by level, every key is found.
        var found: [Key] = []
        var directories = ["/"]
        while let directory = directories.popLast() {
            for entry in try await pages(directory, recursive: false) {
                switch entry {
                case .item: found.append(try Key(path: entry.name))
                case .directory: directories.append(entry.name)
                }
            }
        }
        #expect(found.sorted() == keys)
    }
}
