import DiscfgCore

extension StorageConformance {
    static let cellCases: [Case] = [
        Case("A cell is written, replaced and removed by a caller that names its version, and by no other") { world in
            let (engine, config) = (world.engine, world.config)
            func replace(_ text: String?, _ version: Int64) async throws -> Bool {
                try await engine.replaceCell("a/1", with: text.map { Array($0.utf8) }, version: version, in: config)
            }
            try expectEqual(try await engine.cell("a/1", in: config), nil, "the cell before")
            try expect(!(try await replace("x", 1)), "what is not there has no version 1")
            try expect(try await replace("x", 0), "a new cell is written")
            try expect(!(try await replace("y", 0)), "there is one now")
            try expect(try await replace("z", 1), "its version is 1")
            try expectEqual(
                try await engine.cell("a/1", in: config), Cell(name: "a/1", bytes: Array("z".utf8), version: 2),
                "the cell")
            try expect(!(try await replace(nil, 1)), "an old version removes nothing")
            try expect(try await replace(nil, 2), "the newest is removed")
            try expectEqual(try await engine.cell("a/1", in: config), nil, "the cell afterwards")
        },
        Case("Cells are listed by the beginning of their names, in their order, page by page") { world in
            let (engine, config) = (world.engine, world.config)
            for name in ["b/2", "a", "b", "b/10", "c/1", "b/1", "b-"] {
                try expect(
                    try await engine.replaceCell(name, with: Array(name.utf8), version: 0, in: config), "\(name)")
            }
            let expected = ["b/1", "b/10", "b/2"]
            var found: [String] = []
            while case let page = try await engine.cells(of: config, prefix: "b/", after: found.last, limit: 2),
                !page.isEmpty
            {
                try expect(page.count <= 2, "a page has no more than was asked for")
                try expectEqual(page.map(\.bytes), page.map { Array($0.name.utf8) }, "what the cells hold")
                found += page.map(\.name)
            }
            try expectEqual(found, expected, "the names")
            func names(_ prefix: String, after: String? = nil) async throws -> [String] {
                try await engine.cells(of: config, prefix: prefix, after: after, limit: 9).map(\.name)
            }
            try expectEqual(try await names("b"), ["b", "b-", "b/1", "b/10", "b/2"], "a name begins with itself")
            try expectEqual(try await names(""), ["a", "b", "b-", "b/1", "b/10", "b/2", "c/1"], "all names")
            try expectEqual(try await names("b/", after: "a"), expected, "after a name before the prefix")
            try expectEqual(try await names("b/", after: "c/1"), [], "after a name that follows the prefix")
            try expectEqual(try await names("b/", after: "b/1"), ["b/10", "b/2"], "after a name that begins another")
            try expectEqual(try await names("d"), [], "none")
            try expectEqual(try await engine.cell("b/", in: config), nil, "a cell whose name only begins others")
        },
        Case("One of many replacements of one version of a cell succeeds") { world in
            let (engine, config) = (world.engine, world.config)
            let count = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        try await engine.replaceCell("n", with: [UInt8(number)], version: 0, in: config)
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try expectEqual(count, 1, "the number of successes")
            try expectEqual(try await engine.cell("n", in: config)?.version, 1, "its version")
        },
        Case("Writing a cell makes no commit, and cells are removed with their config") { world in
            let (engine, name) = (world.engine, try world.name("noted"))
            let large = [UInt8](repeating: 7, count: Cell.maximumLength)
            try await engine.createConfig(name, settings: ConfigSettings(), first: world.commit(1, []))
            try expect(try await engine.replaceCell("n", with: large, version: 0, in: name), "it is written")
            try expectEqual(try await engine.cell("n", in: name)?.bytes, large, "all of it")
            try expectEqual(try await engine.tail(of: name).revision, 1, "the revision")
            try expect(try await engine.removeConfig(name), "the config is removed")
            try await engine.createConfig(name, settings: ConfigSettings(), first: world.commit(1, []))
            try expectEqual(try await engine.cell("n", in: name), nil, "the cell of the one before")
            try await expectError(.configNotFound, "a cell of no config") {
                _ = try await engine.cell("n", in: try world.name("nowhere"))
            }
        },
        Case("A cell holds any bytes, also none, and a config does not see the cells of another") { world in
            let (engine, config, name) = (world.engine, world.config, try world.name("beside"))
            try await engine.createConfig(name, settings: ConfigSettings(), first: world.commit(1, []))
            for bytes in [[], Array(0...255)] as [[UInt8]] {
                let version = try await engine.cell("n", in: name)?.version ?? 0
                try expect(try await engine.replaceCell("n", with: bytes, version: version, in: name), "it is written")
                try expectEqual(
                    try await engine.cell("n", in: name), Cell(name: "n", bytes: bytes, version: version + 1),
                    "the cell")
            }
            try expectEqual(try await engine.cell("n", in: config), nil, "the cell of the other config")
            try expectEqual(try await engine.cells(of: config, prefix: "", after: nil, limit: 9), [], "its cells")
        },
    ]
}
