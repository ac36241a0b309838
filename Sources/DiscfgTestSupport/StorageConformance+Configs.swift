import DiscfgCore

extension StorageConformance {
    static let configCases: [Case] = [
        Case("A new config has its first commit, its settings and nothing else") { world in
            let name = try world.name("new")
            let settings = ConfigSettings(retention: .init(age: .seconds(60), revisions: 7))
            let first = world.commit(1, [])
            try await world.engine.createConfig(name, settings: settings, first: first)
            let record = try require(try await world.engine.config(name), "the config")
            let tail = LogTail(revision: 1, time: first.time, trimmed: 0, incarnation: record.tail.incarnation)
            try expectEqual(
                record, ConfigRecord(name: name, settings: settings, created: first.time, tail: tail), "the config")
            try expectEqual(try await world.engine.tail(of: name), tail, "the tail")
            try expectEqual(try await world.engine.entries(of: name, after: 0, limit: 10), [first], "the log")
            let page = try await world.engine.items(.all, in: name, limit: 10, values: true, consistency: .strong)
            try expectEqual(page.items, [], "the items")
            try expect(!page.hasMore, "there is nothing more")
            try world.expectTail(page.tail, tail)
        },
        Case("Making a config of a name that is taken fails and changes nothing") { world in
            try await world.set(["/a": "1"])
            let before = try await world.engine.config(world.config)
            try await expectError(.configExists, "making it again") {
                try await world.engine.createConfig(
                    world.config, settings: ConfigSettings(retention: .init(revisions: 1)), first: world.commit(1, []))
            }
            try expectEqual(try await world.engine.config(world.config), before, "the config")
            try expectEqual(try await world.items().count, 1, "the number of items")
        },
        Case("Of many tasks that make one config at the same time just one succeeds") { world in
            let name = try world.name("contested")
            let made = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        do {
                            try await world.engine.createConfig(
                                name, settings: ConfigSettings(), first: world.commit(1, []))
                            return true
                        } catch let error as DiscfgError where error.code == .configExists {
                            return false
                        }
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try expectEqual(made, 1, "the number of successes")
            try expectEqual(try await world.engine.tail(of: name).revision, 1, "the revision")
        },
        Case("Configs are listed in the order of their names, page by page") { world in
            for text in ["b", "a", "Z", "c.1", "c-1"] {
                try await world.engine.createConfig(
                    try world.name(text), settings: ConfigSettings(), first: world.commit(1, []))
            }
            let expected = ["Z", "a", "b", "c-1", "c.1", "default"]
            let all = try await world.engine.configNames(after: nil, limit: 100)
            try expectEqual(all.map(\.description), expected, "the names")
            var names: [String] = []
            while let page = try await world.engine.configNames(after: names.last.map { try world.name($0) }, limit: 2)
                .nonEmpty
            {
                try expect(page.count <= 2, "at most two on a page")
                names += page.map(\.description)
            }
            try expectEqual(names, expected, "the names of all pages")
        },
        Case("Settings are replaced") { world in
            let settings = ConfigSettings(retention: .init(age: .seconds(5), revisions: 3))
            let old = ConfigSettings()
            let first = try await world.engine.updateConfig(world.config, settings: settings, replacing: old)
            try expectEqual(first, true, "whether they were as they had been read")
            let second = try await world.engine.updateConfig(world.config, settings: old, replacing: old)
            try expectEqual(second, false, "whether others' were overwritten")
            try expectEqual(try await world.engine.config(world.config)?.settings, settings, "the settings")
        },
        Case("A removed config is gone with all it held, and one of its name begins anew") { world in
            let other = try world.name("other")
            try await world.engine.createConfig(other, settings: ConfigSettings(), first: world.commit(1, []))
            let item = try world.item("/a", "1", at: 2, expiry: 5)
            _ = try await world.engine.append([world.commit(2, [.set(item, previous: nil)])], to: other)
            try await world.set(["/kept": "1"])
            let incarnation = try await world.engine.tail(of: other).incarnation
            try expectEqual(try await world.engine.removeConfig(other), true, "whether it was there")
            try expectEqual(try await world.engine.removeConfig(other), false, "whether it was there again")
            try expectEqual(try await world.engine.config(other), nil, "the removed config")
            try await world.engine.createConfig(other, settings: ConfigSettings(), first: world.commit(1, []))
            try expectEqual(try await world.engine.tail(of: other).revision, 1, "the new revision")
            let page = try await world.engine.items(.all, in: other, limit: 10, values: true, consistency: .strong)
            try expectEqual(page.items, [], "the new items")
            let history = try await world.engine.history(of: other, selection: .key(item.key), .through(10), limit: 10)
            try expectEqual(history.commits, [], "the history of a key of the removed config")
            let overdue = try await world.engine.overdueKeys(in: other, at: world.time(9), limit: 10)
            try expectEqual(overdue, [], "the overdue keys")
            let late = try await world.engine.append([world.commit(2, [])], to: other, incarnation: incarnation)
            try expectEqual(late, .replaced, "a write that was meant for the removed config")
            try await expectError(.compacted, "following the log of the removed config") {
                try await world.engine.log(
                    of: other, after: 1, limit: 1, incarnation: incarnation, consistency: .strong)
            }
            try expectEqual(try await world.engine.tail(of: other).revision, 1, "the revision after that")
            try expectEqual(try await world.items().count, 1, "the items of the config beside it")
        },
        Case("A config may begin at any revision, as if what is before it was trimmed") { world in
            let other = try world.name("other")
            try await world.engine.createConfig(other, settings: ConfigSettings(), first: world.commit(500, []))
            let tail = try await world.engine.tail(of: other)
            try expectEqual([tail.revision, tail.trimmed, tail.oldest], [500, 499, 499], "the ends of the log")
            let item = try world.item("/a", "1", at: 501)
            let commit = world.commit(501, [.set(item, previous: nil)])
            try expectEqual(try await world.engine.append([commit], to: other), .appended, "the next append")
            let entries = try await world.engine.entries(of: other, after: 499, limit: 10)
            try expectEqual(entries.map(\.revision), [500, 501], "the log")
            let history = try await world.engine.history(of: other, selection: .all, .through(501), limit: 10)
            try expectEqual(history.commits.map(\.revision), [501, 500], "the history")
            for after: Revision in [0, 498] {
                try await expectError(.compacted, "the log after \(after)") {
                    try await world.engine.entries(of: other, after: after, limit: 10)
                }
            }
            try await expectError(.compacted, "an append before its beginning") {
                try await world.engine.append([world.commit(2, [])], to: other)
            }
            while try await !world.engine.trim(other, through: 500) {}
            try expectEqual(try await world.engine.tail(of: other).trimmed, 500, "what was trimmed")
            try expectEqual(
                try await world.engine.entries(of: other, after: 500, limit: 10).map(\.revision), [501], "the rest")
        },
        Case("Every call says which config is unknown") { world in
            let (engine, name, key) = (world.engine, try world.name("unknown"), try world.key("/a"))
            try expectEqual(try await engine.config(name), nil, "the unknown config")
            try expectEqual(try await engine.removeConfig(name), false, "whether it was removed")
            try await expectError(.configNotFound, "updateConfig") {
                try await engine.updateConfig(name, settings: ConfigSettings(), replacing: ConfigSettings())
            }
            try await expectError(.configNotFound, "tail") { try await engine.tail(of: name) }
            try await expectError(.configNotFound, "append") {
                try await engine.append([world.commit(1, [])], to: name)
            }
            try await expectError(.configNotFound, "entries") { try await engine.entries(of: name, after: 0, limit: 1) }
            try await expectError(.configNotFound, "history") {
                try await engine.history(of: name, selection: .all, .through(1), limit: 1)
            }
            try await expectError(.configNotFound, "history of a key") {
                try await engine.history(of: name, selection: .key(key), .through(1), limit: 1)
            }
            try await expectError(.configNotFound, "firstChange") {
                try await engine.firstChange(to: key, in: name, after: 0)
            }
            try await expectError(.configNotFound, "trim") { try await engine.trim(name, through: 1) }
            try await expectError(.configNotFound, "items of one key") {
                try await engine.items([key], in: name, consistency: .strong)
            }
            try await expectError(.configNotFound, "items of no key") {
                try await engine.items([], in: name, consistency: .eventual)
            }
            try await expectError(.configNotFound, "items of a range") {
                try await engine.items(.all, in: name, limit: 1, values: true, consistency: .strong)
            }
            try await expectError(.configNotFound, "overdueKeys") {
                try await engine.overdueKeys(in: name, at: world.time(1), limit: 1)
            }
            try await expectError(.configNotFound, "createLease") {
                try await engine.createLease(world.lease(1), in: name)
            }
            try await expectError(.configNotFound, "lease") { try await engine.lease(1, in: name) }
            try await expectError(.configNotFound, "leases") {
                try await engine.leases(of: name, after: nil, limit: 1)
            }
            try await expectError(.configNotFound, "renewLease") {
                try await engine.renewLease(1, in: name, at: world.time(1))
            }
            try await expectError(.configNotFound, "endLease") {
                try await engine.endLease(1, in: name, ifUnchanged: nil)
            }
            try await expectError(.configNotFound, "keys of a lease") { try await engine.keys(of: 1, in: name) }
            try await expectError(.configNotFound, "removeLease") { try await engine.removeLease(1, in: name) }
            try await expectError(.configNotFound, "overdueLeases") {
                try await engine.overdueLeases(in: name, at: world.time(1))
            }
            try await expectError(.configNotFound, "lastRevision") {
                try await engine.lastRevision(of: name, before: world.time(1))
            }
        },
    ]
}

extension Array {
    /// The array, unless it is empty.
    var nonEmpty: Self? { isEmpty ? nil : self }
}
