import DiscfgCore

extension ServiceConformance {
    static let watchCases: [Case] = [
        Case("A poll without waiting says at once that there is nothing") { world in
            let revision = try await world.set("/a", "1").revision
            let page = try await world.service.changes(ChangesQuery(after: revision), in: world.config)
            let info = try await world.service.info(of: world.config)
            try expect(info.log != nil, "the config to name its log")
            try expectEqual(
                page, ChangePage(commits: [], scanned: revision, revision: revision, log: info.log), "the page")
            try await expectError(.futureRevision, "following from the future") {
                try await world.service.changes(ChangesQuery(after: revision + 1), in: world.config)
            }
        },
        Case("A page of changes ends with the commit that reaches 1 MiB, and the next goes on after it") { world in
            let start = try await world.revision
            for number in 0..<4 { try await world.set("/\(number)", String(repeating: "v", count: 400_000)) }
            // Some from the store, and some from memory.
            for wait in [nil, Duration.seconds(60)] {
                let page = try await world.service.changes(ChangesQuery(after: start, wait: wait), in: world.config)
                try expectEqual(page.commits.map(\.revision), [start + 1, start + 2, start + 3], "the first page")
                try expectEqual(page.scanned, start + 3, "how far it reaches")
                let next = try await world.service.changes(
                    ChangesQuery(after: page.scanned, wait: wait), in: world.config)
                try expectEqual(next.commits.map(\.revision), [start + 4], "the next page")
            }
        },
        Case("A waiting poll wakes on a write of its own service, and of another", assumesAlone: false) { world in
            let other = try await world.anotherService()
            for writer in [world.service, other] {
                let after = try await world.revision
                async let page = world.service.changes(
                    ChangesQuery(after: after, selection: .below("/d"), wait: .seconds(60)), in: world.config)
                for path in ["/elsewhere", "/d/a"] {
                    _ = try await writer.commit(
                        Transaction(then: [.set(world.key(path), Value("x"))]), to: world.config)
                }
                let found = try await page
                try expectEqual(found.commits.flatMap(\.changes).map(\.key.description), ["/d/a"], "the keys")
                try expect(found.scanned > after, "the position to have moved on")
            }
        },
        Case("A waiting poll ends with its time, and with its task", assumesAlone: false) { world in
            let after = try await world.revision
            let query = ChangesQuery(after: after, wait: .milliseconds(30))
            try expectEqual(try await world.service.changes(query, in: world.config).commits, [], "the commits")
            let task = Task {
                try await world.service.changes(ChangesQuery(after: after, wait: .seconds(250)), in: world.config)
            }
            task.cancel()
            do {
                let page = try await task.value
                throw ConformanceFailure(description: "Expected a cancelled poll to throw, found \(page).")
            } catch is CancellationError {}
        },
        Case("Watchers that go on from where they were miss nothing and see nothing twice", assumesAlone: false) {
            world in
            let other = try await world.anotherService()
            let start = try await world.revision
            let count = 60
            let seen = try await withThrowingTaskGroup(of: [String].self) { group in
                for writer in 0..<2 {
                    let service = writer == 0 ? world.service : other
                    group.addTask {
                        for number in 0..<count / 2 {
                            let set = Operation.set(try world.key("/w/\(writer)/\(number)"), Value("x"))
                            _ = try await service.commit(Transaction(then: [set]), to: world.config)
                        }
                        return []
                    }
                }
                for watcher in 0..<3 {
                    group.addTask {
                        var keys: [String] = []
                        var position = start
                        while keys.count < count {
                            // Each page by another service, as after a reconnect.
                            let service = keys.count % 2 == watcher % 2 ? world.service : other
                            let query = ChangesQuery(after: position, limit: 7, wait: .seconds(60))
                            let page = try await service.changes(query, in: world.config)
                            keys += page.commits.flatMap(\.changes).map(\.key.description)
                            position = page.scanned
                        }
                        return keys
                    }
                }
                return try await group.reduce(into: [[String]]()) { if !$1.isEmpty { $0.append($1) } }
            }
            try expectEqual(seen.count, 3, "the number of watchers")
            for keys in seen {
                try expectEqual(keys, seen[0], "what each watcher saw, in order")
                try expectEqual(Set(keys).count, count, "the number of keys seen")
            }
        },
        Case("A watcher of a config that is deleted and created again is told so") { world in
            let name = try ConfigName("other")
            let settings = ConfigSettings()
            let first = try await world.service.createConfig(name, settings: settings, author: "")
            let key = try world.key("/a")
            let set = Transaction(then: [.set(key, Value("x"))])
            for _ in 0..<5 { _ = try await world.service.commit(set, to: name) }
            let other = try await world.anotherService()
            var (old, log) = (try await other.changes(ChangesQuery(after: first.revision), in: name), first.log)
            for round in 1...2 {
                try expectEqual(old.log, log, "the log that the changes are of")
                try await (round == 1 ? world.service : other).deleteConfig(name)
                let again = try await world.service.createConfig(name, settings: settings, author: "")
                try expect(again.log != log, "another log")
                try expect(again.revision > old.revision + 1, "the new log to begin beyond the old one")
                // As long as the old one was, and longer.
                for _ in 0..<9 { _ = try await other.commit(set, to: name) }
                for service in [world.service, other] {
                    for after in [old.scanned - 1, old.scanned, old.revision + 1] {
                        try await expectError(.compacted, "going on after \(after) in round \(round)") {
                            try await service.changes(ChangesQuery(after: after), in: name)
                        }
                    }
                    try await expectError(.compacted, "naming the old log") {
                        try await service.changes(ChangesQuery(after: again.revision, log: log), in: name)
                    }
                    let page = try await service.changes(
                        ChangesQuery(after: again.revision, log: again.log), in: name)
                    try expectEqual(page.commits.count, 9, "the commits of the new log")
                }
                (old, log) = (
                    try await other.changes(ChangesQuery(after: again.revision), in: name), again.log
                )
            }
        },
        Case("A watcher misses nothing of what another process commits and compacts to the newest") { world in
            let other = try await world.anotherService()
            let log = try await world.service.info(of: world.config).log
            let start = try await world.revision
            var position = try await other.changes(ChangesQuery(after: start, log: log), in: world.config).scanned
            for number in 0..<20 {
                try await world.set("/a", "\(number)")
                let newest = try await world.set("/b", "\(number)").revision
                _ = try await world.service.compact(world.config, keeping: .through(newest))
                for service in [world.service, other] {
                    try await expectError(.compacted, "beginning before it") {
                        try await service.changes(ChangesQuery(after: position), in: world.config)
                    }
                }
                let page = try await other.changes(
                    ChangesQuery(after: position, wait: .seconds(60), log: log), in: world.config)
                try expectEqual(page.commits.map(\.revision), [newest - 1, newest], "the commits of round \(number)")
                position = page.scanned
            }
            // What is older than any look at the log is removed, by the next compaction or by maintenance.
            let last = try await world.set("/c", "x").revision
            world.clock.advance(by: .seconds(61))
            _ = try await world.service.compact(world.config, keeping: .through(last))
            try await expectError(.compacted, "going on too late") {
                try await other.changes(ChangesQuery(after: position, log: log), in: world.config)
            }
            let kept = try await world.set("/d", "x").revision
            _ = try await world.service.compact(world.config, keeping: .through(kept))
            func record() async throws -> ConfigRecord {
                guard let record = try await world.engine.config(world.config) else {
                    throw DiscfgError.noConfig(world.config)
                }
                return record
            }
            try await world.service.enforceRetention(of: try await record())
            try expectEqual(
                try await other.changes(ChangesQuery(after: last, log: log), in: world.config).commits.map(\.revision),
                [kept], "what maintenance leaves")
            world.clock.advance(by: .seconds(61))
            try await world.service.enforceRetention(of: try await record())
            try expectEqual(try await record().hasRemains, false, "whether something is left")
            // Of a process that has none of it in memory.
            let fresh = try await world.anotherService()
            try await expectError(.compacted, "going on after maintenance") {
                try await fresh.changes(ChangesQuery(after: last, log: log), in: world.config)
            }
        },
        Case("Waiting on a compacted revision says so", assumesAlone: false) { world in
            for _ in 0..<5 { try await world.set("/a", "x") }
            let revision = try await world.revision
            _ = try await world.service.compact(world.config, keeping: .through(revision - 1))
            try await expectError(.compacted, "the wait") {
                try await world.service.changes(ChangesQuery(after: 2, wait: .seconds(60)), in: world.config)
            }
        },
    ]
}
