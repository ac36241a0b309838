import DiscfgCore

extension ServiceConformance {
    static let readingCases: [Case] = [
        Case("Every revision of the past can be read, key by key and as a whole", assumesAlone: false) { world in
            var generator = SeededGenerator(seed: world.seed)
            let paths = (0..<9).map { "/\($0 / 3)/\($0 % 3)" }
            var states: [Revision: [String: String]] = [try await world.revision: [:]]
            var state: [String: String] = [:]
            for step in 0..<60 {
                var operations: [Operation] = []
                for path in paths.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator)) {
                    if Int.random(in: 0..<3, using: &generator) == 0 {
                        operations.append(.delete(try world.key(path)))
                        state[path] = nil
                    } else {
                        operations.append(.set(try world.key(path), Value("\(path) \(step)")))
                        state[path] = "\(path) \(step)"
                    }
                }
                states[try await world.commit(then: operations).revision] = state
            }
            for (revision, state) in states {
                try expectEqual(try await world.values(at: revision), state, "the values at \(revision)")
                for path in paths {
                    let found = try await world.get(path, at: revision)?.value.text
                    try expectEqual(found, state[path], "\(path) at \(revision)")
                }
                let level = try await world.service.list(ListQuery("/1", at: revision), in: world.config)
                let expected = state.keys.filter { $0.hasPrefix("/1/") }.sorted()
                try expectEqual(level.entries.map(\.name), expected, "the level at \(revision)")
            }
            try await expectError(.futureRevision, "reading the future") {
                try await world.get("/0/0", at: try await world.revision + 1)
            }
        },
        Case("All pages of a listing hold at one revision, whatever is written meanwhile", assumesAlone: false) {
            world in
            let paths = (10..<40).map { "/k/\($0)" }
            try await world.commit(then: try paths.map { .set(try world.key($0), Value("old")) })
            let first = try await world.service.list(
                ListQuery("/k", isRecursive: true, limit: 7, consistency: .strong), in: world.config)
            var items = first.items
            var next = first.next
            while let after = next {
                // Changes before and after where the reader is, additions and removals.
                try await world.set("/k/39", "new")
                try await world.set("/k/\(Int.random(in: 100...999))", "new")
                try await world.delete(paths[items.count % paths.count])
                let query = ListQuery("/k", isRecursive: true, at: first.revision, after: after, limit: 7)
                let page = try await world.service.list(query, in: world.config)
                try expectEqual(page.revision, first.revision, "the page's revision")
                items += page.items
                next = page.next
            }
            try expectEqual(items.map(\.key.description), paths, "the keys")
            try expect(items.allSatisfy { $0.value.text == "old" }, "no value of later")
        },
        Case("One level shows keys, and directories in place of what is below", assumesAlone: false) { world in
            let paths = ["/a", "/a/b", "/a/b/c", "/a-", "/b/1", "/b/2", "/b/2/x", "/c"]
            for path in paths { try await world.set(path, "1") }
            for number in 0..<250 { try await world.set("/m/\(number)", "1") }
            func names(_ directory: String, limit: Int = 1000) async throws -> [String] {
                var names: [String] = []
                var query = ListQuery(directory, limit: limit)
                while true {
                    let page = try await world.service.list(query, in: world.config)
                    try expect(page.entries.count <= limit, "at most \(limit) entries")
                    names += page.entries.map(\.name)
                    guard let next = page.next else { return names }
                    (query.after, query.revision) = (next, page.revision)
                }
            }
            let root = ["/a", "/a-", "/a/", "/b/", "/c", "/m/"]
            for limit in [1, 2, 3, 1000] {
                try expectEqual(try await names("", limit: limit), root, "the root by \(limit)")
                try expectEqual(try await names("/b/", limit: limit), ["/b/1", "/b/2", "/b/2/"], "/b by \(limit)")
            }
            try expectEqual(try await names("/a"), ["/a/b", "/a/b/"], "/a")
            try expectEqual(try await names("/none"), [], "a directory that is not there")
            try expectEqual(try await names("/m", limit: 100).count, 250, "the number of keys in a large directory")
        },
        Case("Without values a listing has everything else", assumesAlone: false) { world in
            try await world.set("/a", "secret")
            let query = ListQuery(isRecursive: true, keysOnly: true)
            let item = try require(try await world.service.list(query, in: world.config).items.first, "the item")
            try expectEqual(item.value, Value(bytes: [], contentType: Value.text), "the value")
            try expectEqual(item.version, 1, "the version")
            for limit in [0, 10_001] {
                try await expectError(.invalidRequest, "a limit of \(limit)") {
                    try await world.service.list(ListQuery(limit: limit), in: world.config)
                }
            }
        },
    ]
}
