import DiscfgCore

extension ServiceConformance {
    static let watchCases: [Case] = [
        Case("A poll without waiting says at once that there is nothing") { world in
            let revision = try await world.set("/a", "1").revision
            let page = try await world.service.changes(ChangesQuery(after: revision), in: world.config)
            try expectEqual(page, ChangePage(commits: [], scanned: revision, revision: revision), "the page")
            try await expectError(.futureRevision, "following from the future") {
                try await world.service.changes(ChangesQuery(after: revision + 1), in: world.config)
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
