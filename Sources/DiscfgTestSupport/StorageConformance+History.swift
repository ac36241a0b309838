import DiscfgCore

extension StorageConformance {
    static let historyCases: [Case] = [
        Case("History is newest first, up to a revision, and reaches the oldest page by page") { world in
            for number in 0..<6 { try await world.set(["/a": "\(number)", "/b": "\(number)"]) }
            let log = try await world.engine.entries(of: world.config, after: 0, limit: 100)
            var found: [Commit] = []
            var next: LogPart? = .through(100)
            while let part = next {
                let page = try await world.history(of: .all, part, limit: 4)
                try expect(page.commits.count <= 4, "at most four commits")
                found += page.commits
                next = page.next
            }
            try expectEqual(found, log.reversed(), "the history")
            let some = try await world.history(of: .all, .through(3), limit: 1)
            try expectEqual(some.commits.map(\.revision), [3], "the history from 3")
            try expectEqual(some.next, .through(2), "where it continues")
        },
        Case("The history of a key has its changes alone, also when the key is gone") { world in
            let items = try await world.set(["/a": "1", "/b": "1"])
            try await world.set(["/b": "2"])
            try await world.set(["/a": "2", "/c": "1"])
            try await world.delete(world.item("/a", "2", at: 4))
            let page = try await world.history(of: .key(items[0].key), .through(5), limit: 10)
            let found = page.commits
            try expectEqual(page.next, nil, "where it continues")
            try expectEqual(found.map(\.revision), [5, 4, 2], "the revisions")
            try expectEqual(found.flatMap(\.changes).map(\.kind), [.delete, .set, .set], "the kinds")
            try expect(found.allSatisfy { $0.changes.allSatisfy { $0.key == items[0].key } }, "no other keys")
            try expectEqual(found.map(\.message), ["message 5", "message 4", "message 2"], "the messages")
            let some = try await world.history(of: .key(items[0].key), .through(4), limit: 1)
            try expectEqual(some.commits.map(\.revision), [4], "the history from 4")
        },
        Case("The history of a key and what is below it is found in one call, however many others changed since") {
            world in
            try await world.set(["/d": "1", "/d/a": "1", "/d/b": "1", "/d0": "1"])
            try await world.set(["/d/b": "2", "/e": "1"])
            for number in 0..<30 { try await world.set(["/busy": "\(number)", "/c": "\(number)"]) }
            try await world.set(["/d/c": "1"])
            func names(_ page: HistoryPage) -> [[String]] { page.commits.map { $0.changes.map(\.key.name) } }
            let subtree = try await world.history(of: .subtree("/d"), .through(100), limit: 3)
            try expectEqual(subtree.commits.map(\.revision), [34, 3, 2], "the revisions")
            try expectEqual(names(subtree), [["/d/c"], ["/d/b"], ["/d", "/d/a", "/d/b"]], "the keys")
            let below = try await world.history(of: .below("/d"), .through(33), limit: 10)
            try expectEqual(names(below), [["/d/b"], ["/d/a", "/d/b"]], "the keys below")
            try expectEqual(below.next, nil, "where it continues")
            let first = try await world.history(of: .subtree("/d"), .through(100), limit: 2)
            try expectEqual(
                [first.commits.last?.revision, first.next?.revision], [3, 2], "the last of a page, and what follows")
            let nothing = try await world.history(of: .subtree("/none"), .through(100), limit: 2)
            try expectEqual(nothing, HistoryPage(commits: [], next: nil), "the history of nothing")
        },
        Case("The first change to a key beyond a revision knows what the key was") { world in
            let key = try world.key("/a")
            let first = try await world.set(["/a": "1"])
            try await world.set(["/b": "1"])
            try await world.set(["/a": "2"])
            try await world.set(["/a": "3"])
            func change(after revision: Revision) async throws -> Change? {
                try await world.engine.firstChange(to: key, in: world.config, after: revision)
            }
            try expectEqual(try await change(after: 1)?.item, first[0], "the change after 1")
            try expectEqual(try await change(after: 2)?.previous, first[0], "the item before the change after 2")
            try expectEqual(try await change(after: 3)?.item?.value.text, "2", "the value of the change after 3")
            try expectEqual(try await change(after: 5), nil, "the change after the tail")
            try await expectError(.futureRevision, "asking beyond the tail") { try await change(after: 6) }
        },
        Case("The changes to keys after a revision are in the order of the log, page by page") { world in
            let key = try world.key("/a")
            for number in 1...4 { try await world.set(["/a": "\(number)", "/a/b": "x", "/b": "x"]) }
            try await world.set(["/b": "y"])
            let all = try await world.history(of: .key(key), .after(2), limit: 9)
            try expectEqual(all.commits.map(\.revision), [3, 4, 5], "the revisions")
            try expect(all.commits.allSatisfy { $0.changes.map(\.key) == [key] }, "no other keys")
            try expectEqual(all.commits.map(\.message), ["message 3", "message 4", "message 5"], "the messages")
            var found: [Revision] = []
            var next: LogPart? = .after(1)
            while let part = next {
                let page = try await world.history(of: .subtree("/a"), part, limit: 3)
                try expect(page.commits.count <= 3, "at most three commits")
                try expect(page.commits.allSatisfy { $0.changes.count == 2 }, "both keys, and no others")
                found += page.commits.map(\.revision)
                next = page.next
            }
            try expectEqual(found, [2, 3, 4, 5], "the revisions of all pages")
            let none = try await world.history(of: .key(key), .after(5), limit: 9)
            try expectEqual(none, HistoryPage(commits: [], next: nil), "the changes after the last one")
            let rest = try await world.history(of: .all, .after(4), limit: 9)
            try expectEqual(rest.commits, try await world.log(after: 4), "all commits")
            let first = try await world.history(of: .all, .after(4), limit: 1)
            try expectEqual(first.commits.map(\.revision), [5], "one of them")
            try expectEqual(first.next, .after(5), "where it continues")
        },
        Case("Trimming forgets commits up to a revision, and no items") { world in
            for number in 0..<8 { try await world.set(["/a": "\(number)", "/b\(number)": "x"]) }
            let items = try await world.items()
            let log = try await world.log()
            try await world.trim(through: 5)
            let tail = try await world.engine.tail(of: world.config)
            try expectEqual(
                [tail.revision, tail.time.milliseconds, tail.trimmed], [9, world.time(9).milliseconds, 5], "the tail")
            try expectEqual(tail.oldest, 5, "the oldest revision")
            try expectEqual(try await world.items(), items, "the items")
            try expectEqual(try await world.log(after: 5), log.filter { $0.revision > 5 }, "the log that is left")
            try await expectError(.compacted, "reading what is gone") {
                try await world.engine.entries(of: world.config, after: 4, limit: 10)
            }
            try await expectError(.compacted, "asking for a change that is gone") {
                try await world.engine.firstChange(to: world.key("/a"), in: world.config, after: 4)
            }
            let history = try await world.history(of: .all, .through(100), limit: 100)
            try expectEqual(history.commits.map(\.revision), [9, 8, 7, 6], "the history that is left")
            let ofKey = try await world.history(of: .key(world.key("/b0")), .through(100), limit: 100)
            try expectEqual(ofKey.commits, [], "the history of a key whose changes are gone")
        },
        Case("Trimming goes no further than the tail, never back, and writing goes on after it") { world in
            try await world.set(["/a": "1"])
            try await world.trim(through: 1000)
            try expectEqual(try await world.engine.tail(of: world.config).trimmed, 2, "the trimmed revision")
            try expectEqual(try await world.engine.entries(of: world.config, after: 2, limit: 10), [], "the log")
            try await world.trim(through: 1)
            try expectEqual(
                try await world.engine.tail(of: world.config).trimmed, 2, "the trimmed revision after a lesser one")
            try await world.set(["/a": "2"])
            try expectEqual(try await world.log(after: 2).map(\.revision), [3], "the log after another write")
            try expectEqual(
                try await world.log(after: 2).first?.changes.first?.previous?.value.text, "1", "the value before")
        },
        Case("Trimmed commits that are young are kept for readers that follow the log") { world in
            for number in 0..<8 { try await world.set(["/a": "\(number)"]) }
            let log = try await world.log(after: 0)
            let incarnation = try await world.engine.tail(of: world.config).incarnation
            func trim(through revision: Revision, keepingSince time: Timestamp) async throws {
                while try await !world.engine.trim(world.config, through: revision, keepingSince: time) {}
            }
            func follow(after revision: Revision, _ consistency: Consistency = .strong) async throws -> [Commit] {
                let page = try await world.engine.log(
                    of: world.config, after: revision, limit: 100, incarnation: incarnation, consistency: consistency)
                return page.commits
            }
            func hasRemains() async throws -> Bool? {
                let record = try await world.engine.config(world.config)
                return record?.hasRemains
            }
            try await trim(through: 7, keepingSince: world.time(6))
            try expectEqual(try await world.engine.tail(of: world.config).trimmed, 7, "the trimmed revision")
            for consistency in [Consistency.strong, .eventual] {
                try expectEqual(try await follow(after: 5, consistency), Array(log[5...]), "what is kept")
            }
            try expectEqual(try await follow(after: 6), Array(log[6...]), "a part of what is kept")
            try await expectError(.compacted, "following from what is gone") { try await follow(after: 4) }
            try await expectError(.compacted, "reading the log without having followed it") {
                try await world.engine.entries(of: world.config, after: 6, limit: 10)
            }
            try await expectError(.compacted, "asking for a change that is kept") {
                try await world.engine.firstChange(to: world.key("/a"), in: world.config, after: 6)
            }
            let history = try await world.history(of: .all, .through(100), limit: 100)
            try expectEqual(history.commits.map(\.revision), [9, 8], "the history")
            let ofKey = try await world.history(of: .key(world.key("/a")), .through(100), limit: 100)
            try expectEqual(ofKey.commits.map(\.revision), [9, 8], "the history of a key")
            let last = try await world.engine.lastRevision(of: world.config, before: world.time(7))
            try expectEqual(last, 0, "the last revision before a moment")
            try expectEqual(try await hasRemains(), true, "whether something is kept")
            try await trim(through: 3, keepingSince: world.time(7))
            try expectEqual(try await follow(after: 6), Array(log[6...]), "what is kept later")
            try await expectError(.compacted, "following from what is too old now") { try await follow(after: 5) }
            try await trim(through: 7, keepingSince: world.time(8))
            try await expectError(.compacted, "following when nothing is kept") { try await follow(after: 6) }
            try expectEqual(try await hasRemains(), false, "whether something is kept at last")
            // Up to the tail.
            try await trim(through: 9, keepingSince: world.time(9))
            try expectEqual(try await follow(after: 8), [log[8]], "the newest")
            try await trim(through: 9, keepingSince: world.time(9))
            try await world.set(["/a": "9"])
            try expectEqual(try await follow(after: 8).map(\.revision), [9, 10], "the newest and the next")
            try await trim(through: 9, keepingSince: world.time(10))
            try await expectError(.compacted, "following from the one before") { try await follow(after: 8) }
            try expectEqual(try await follow(after: 9).map(\.revision), [10], "the next")
            try expectEqual(try await hasRemains(), false, "whether something is kept in the end")
        },
        Case("An append that knows less than what was trimmed is told so") { world in
            for number in 0..<5 { try await world.set(["/a": "\(number)"]) }
            try await world.trim(through: 4)
            try await expectError(.compacted, "an append at revision 3") {
                try await world.engine.append([world.commit(3, [])], to: world.config)
            }
        },
        Case("The last revision before a moment is found") { world in
            try expectEqual(
                try await world.engine.lastRevision(of: world.config, before: world.time(1)), 0, "before all")
            for number in 0..<9 { try await world.set(["/a": "\(number)"]) }
            func last(before time: Timestamp) async throws -> Revision {
                try await world.engine.lastRevision(of: world.config, before: time)
            }
            for revision: Revision in 1...10 {
                try expectEqual(
                    try await last(before: world.time(revision)), revision - 1, "before revision \(revision)")
                let after = try await last(before: world.time(revision) + .milliseconds(1))
                try expectEqual(after, revision, "just after revision \(revision)")
            }
            try await world.trim(through: 4)
            try expectEqual(try await last(before: world.time(4)), 0, "among the trimmed")
            try expectEqual(try await last(before: world.time(5)), 0, "before the oldest that is left")
            try expectEqual(try await last(before: world.time(6)), 5, "after the oldest that is left")
        },
    ]
}

extension StorageWorld {
    fileprivate func history(of selection: KeySelection, _ part: LogPart, limit: Int) async throws -> HistoryPage {
        try await engine.history(of: config, selection: selection, part, limit: limit)
    }
}
