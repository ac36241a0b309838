import DiscfgCore

extension StorageConformance {
    static let noteCases: [Case] = [
        Case("A note is written, replaced and removed by those who know its version, and by nobody else") { world in
            let (engine, config) = (world.engine, world.config)
            func replace(_ text: String?, _ version: Int64) async throws -> Bool {
                try await engine.replaceNote("a/1", with: text.map { Array($0.utf8) }, version: version, in: config)
            }
            try expectEqual(try await engine.note("a/1", in: config), nil, "the note before")
            try expect(!(try await replace("x", 1)), "what is not there has no version 1")
            try expect(try await replace("x", 0), "a new note is written")
            try expect(!(try await replace("y", 0)), "there is one now")
            try expect(try await replace("z", 1), "its version is 1")
            try expectEqual(
                try await engine.note("a/1", in: config), Note(name: "a/1", bytes: Array("z".utf8), version: 2),
                "the note")
            try expect(!(try await replace(nil, 1)), "an old version removes nothing")
            try expect(try await replace(nil, 2), "the newest is removed")
            try expectEqual(try await engine.note("a/1", in: config), nil, "the note afterwards")
        },
        Case("Notes are listed by the beginning of their names, in their order, page by page") { world in
            let (engine, config) = (world.engine, world.config)
            for name in ["b/2", "a", "b", "b/10", "c/1", "b/1", "b-"] {
                try expect(
                    try await engine.replaceNote(name, with: Array(name.utf8), version: 0, in: config), "\(name)")
            }
            let expected = ["b/1", "b/10", "b/2"]
            var found: [String] = []
            while case let page = try await engine.notes(of: config, prefix: "b/", after: found.last, limit: 2),
                !page.isEmpty
            {
                try expect(page.count <= 2, "a page has no more than was asked for")
                try expectEqual(page.map(\.bytes), page.map { Array($0.name.utf8) }, "what the notes hold")
                found += page.map(\.name)
            }
            try expectEqual(found, expected, "the names")
            try expectEqual(try await engine.notes(of: config, prefix: "d", after: nil, limit: 9), [], "none")
        },
        Case("Of many that replace one version of a note just one succeeds") { world in
            let (engine, config) = (world.engine, world.config)
            let count = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await engine.replaceNote("n", with: [UInt8(number)], version: 0, in: config)
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try expectEqual(count, 1, "the number of successes")
            try expectEqual(try await engine.note("n", in: config)?.version, 1, "its version")
        },
        Case("Notes make no commit, and go with their config") { world in
            let (engine, name) = (world.engine, try world.name("noted"))
            let large = [UInt8](repeating: 7, count: Note.maximumLength)
            try await engine.createConfig(name, settings: ConfigSettings(), first: world.commit(1, []))
            try expect(try await engine.replaceNote("n", with: large, version: 0, in: name), "it is written")
            try expectEqual(try await engine.note("n", in: name)?.bytes, large, "all of it")
            try expectEqual(try await engine.tail(of: name).revision, 1, "the revision")
            try expect(try await engine.removeConfig(name), "the config is removed")
            try await engine.createConfig(name, settings: ConfigSettings(), first: world.commit(1, []))
            try expectEqual(try await engine.note("n", in: name), nil, "the note of the one before")
            try await expectError(.configNotFound, "a note of no config") {
                _ = try await engine.note("n", in: try world.name("nowhere"))
            }
        },
    ]
}
