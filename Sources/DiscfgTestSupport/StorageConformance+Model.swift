import DiscfgCore

extension StorageConformance {
    static let modelCases: [Case] = [
        Case("Random appends and trims give what the engine in memory gives") { world in
            var generator = SeededGenerator(seed: world.seed)
            let model = MemoryEngine()
            let first = world.commit(1, [])
            let config = try world.name("model")
            for engine in [world.engine, model] as [any StorageEngine] {
                try await engine.createConfig(config, settings: ConfigSettings(), first: first)
            }
            let keys = try (0..<12).map { try world.key("/\($0 / 4)/\($0 % 4)") }
            for _ in 0..<60 {
                let commits = try await randomCommits(keys, on: model, config: config, using: &generator)
                for engine in [world.engine, model] as [any StorageEngine] {
                    try expectEqual(try await engine.append(commits, to: config), .appended, "the outcome")
                }
                if Int.random(in: 0..<8, using: &generator) == 0 {
                    let tail = try await model.tail(of: config)
                    let revision = Int64.random(in: 0...tail.revision, using: &generator)
                    for engine in [world.engine, model] as [any StorageEngine] {
                        while try await !engine.trim(config, through: revision) {}
                    }
                }
                try await compare(world.engine, model, config: config, keys: keys, using: &generator)
            }
        }
    ]

    private static func randomCommits(
        _ keys: [Key], on model: MemoryEngine, config: ConfigName, using generator: inout SeededGenerator
    ) async throws -> [Commit] {
        let tail = try await model.tail(of: config)
        var items = try await model.items(keys, in: config, consistency: .strong).items
        return (1...Int64.random(in: 1...4, using: &generator)).map { offset in
            let revision = tail.revision + offset
            let time = Timestamp(milliseconds: revision * 1000)
            let chosen = keys.shuffled(using: &generator).prefix(Int.random(in: 0...4, using: &generator)).sorted()
            let changes = chosen.map { key -> Change in
                let previous = items[key]
                if let previous, Bool.random(using: &generator) {
                    items[key] = nil
                    return .removed(previous, kind: Bool.random(using: &generator) ? .delete : .expire)
                }
                // Few different contents, some of them large: so that they are shared.
                let count = [0, 3, 40_000, 50_000].randomElement(using: &generator) ?? 0
                let fill = UInt8.random(in: 0..<3, using: &generator)
                let item = Item(
                    key: key, value: Value(bytes: Array(repeating: fill, count: count), contentType: "text/plain"),
                    version: (previous?.version ?? 0) + 1, created: previous?.created ?? revision, modified: revision,
                    modifiedAt: time, author: "a",
                    expiry: Bool.random(using: &generator)
                        ? time + .seconds(Int.random(in: 0..<50, using: &generator)) : nil)
                items[key] = item
                return .set(item, previous: previous)
            }
            return Commit(revision: revision, time: time, author: "a", message: "m", changes: changes)
        }
    }

    private static func compare(
        _ engine: any StorageEngine, _ model: MemoryEngine, config: ConfigName, keys: [Key],
        using generator: inout SeededGenerator
    ) async throws {
        let tail = try await model.tail(of: config)
        let found = try await engine.tail(of: config)
        try expectEqual([found.revision, found.trimmed], [tail.revision, tail.trimmed], "the tail")
        try expectEqual(found.time, tail.time, "the time of the tail")
        let batch = try await model.items(keys, in: config, consistency: .strong)
        try expectEqual(try await engine.items(keys, in: config, consistency: .strong).items, batch.items, "the items")
        let page = try await model.items(.all, in: config, limit: 100, values: true, consistency: .strong)
        try expectEqual(
            try await engine.items(.all, in: config, limit: 100, values: true, consistency: .strong).items, page.items,
            "the page")
        let after = Int64.random(in: tail.trimmed...tail.revision, using: &generator)
        let entries = try await model.entries(of: config, after: after, limit: 5)
        try expectEqual(
            try await engine.entries(of: config, after: after, limit: 5), entries, "the entries after \(after)")
        let key = keys.randomElement(using: &generator) ?? keys[0]
        for selection in [KeySelection.key(key), .range(KeyRange(from: key.bytes, to: nil))] {
            for part in [LogPart.through(after), .after(after)] {
                let history = try await model.history(of: config, selection: selection, part, limit: 5)
                let found = try await engine.history(of: config, selection: selection, part, limit: 5)
                try expectEqual(found.commits, history.commits, "the history of \(selection.path), \(part)")
            }
        }
        let moment = Timestamp(milliseconds: after * 1000)
        let last = try await model.lastRevision(of: config, before: moment)
        try expectEqual(
            try await engine.lastRevision(of: config, before: moment), last, "the last revision before \(after) s")
        let overdue = try await model.overdueKeys(in: config, at: moment, limit: 5)
        try expectEqual(try await engine.overdueKeys(in: config, at: moment, limit: 5), overdue, "the overdue keys")
    }
}
