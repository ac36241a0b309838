import DiscfgCore

extension ServiceConformance {
    static let historyCases: [Case] = [
        Case("History tells what happened to a key, a directory and all, newest first, page by page") { world in
            for number in 0..<5 {
                try await world.set("/d/a", "\(number)")
                try await world.set("/e", "\(number)")
            }
            try await world.delete("/d/a")
            func texts(_ selection: KeySelection, limit: Int) async throws -> [String?] {
                var found: [Commit] = []
                var query = HistoryQuery(selection, limit: limit)
                while true {
                    let page = try await world.service.history(query, in: world.config)
                    found += page.commits
                    guard page.scanned > 1, !page.commits.isEmpty else { break }
                    query.before = page.scanned
                }
                return found.flatMap(\.changes).map(\.item?.value.text)
            }
            for limit in [1, 2, 100] {
                let key = try await texts(.key(world.key("/d/a")), limit: limit)
                try expectEqual(key, [nil, "4", "3", "2", "1", "0"], "the history of a key by \(limit)")
                let directory = try await texts(.below("/d"), limit: limit)
                try expectEqual(directory, key, "the history of the directory by \(limit)")
                try expectEqual(try await texts(.all, limit: limit).count, 11, "the number of changes by \(limit)")
            }
        },
        Case("A difference has what changed altogether, in both directions") { world in
            try await world.set("/same", "1")
            try await world.set("/changed", "1")
            try await world.set("/removed", "1")
            let from = try await world.revision
            try await world.set("/same", "2")
            try await world.set("/same", "1")
            try await world.set("/changed", "2")
            try await world.delete("/removed")
            try await world.set("/added", "1")
            try await world.set("/brief", "1")
            try await world.delete("/brief")
            let to = try await world.revision
            func summary(_ difference: Difference) -> [String] {
                difference.changes.map {
                    "\($0.kind) \($0.key) \($0.previous?.value.text ?? "-") \($0.item?.value.text ?? "-")"
                }
            }
            let forward = try await world.service.diff(DiffQuery(from: from), in: world.config)
            try expectEqual(
                summary(forward), ["set /added - 1", "set /changed 1 2", "delete /removed 1 -"], "the difference")
            try expectEqual([forward.from, forward.to], [from, to], "the revisions")
            let back = try await world.service.diff(DiffQuery(from: to, to: from), in: world.config)
            try expectEqual(
                summary(back), ["delete /added 1 -", "set /changed 2 1", "set /removed - 1"], "the difference backwards"
            )
            let none = try await world.service.diff(DiffQuery(from: to, to: to), in: world.config)
            try expectEqual(none.changes, [], "the difference of a revision to itself")
            let selected = try await world.service.diff(
                DiffQuery(from: from, selection: .key(world.key("/added"))), in: world.config)
            try expectEqual(selected.changes.count, 1, "the number of selected changes")
            for (from, to, text) in [
                (to + 5, to + 9, "Revisions \(to + 5) and \(to + 9) are not there yet; the newest is \(to)."),
                (from, to + 9, "Revision \(to + 9) is not there yet; the newest is \(to)."),
            ] {
                let error = try await expectError(.futureRevision, "a difference with the future") {
                    try await world.service.diff(DiffQuery(from: from, to: to), in: world.config)
                }
                try expectEqual(error.message, text, "the message")
            }
        },
        Case("A rollback puts back what was, as one commit, or makes none where nothing differs") { world in
            try await world.set("/d/kept", "1")
            try await world.set("/d/deleted", "1")
            try await world.set("/e", "1")
            let past = try await world.revision
            let values = try await world.values()
            try await world.set("/d/kept", "2")
            try await world.delete("/d/deleted")
            try await world.set("/d/added", "1")
            try await world.set("/e", "2")
            let before = try await world.revision
            let part = try await world.service.rollback(
                RollbackRequest(to: past, selection: .below("/d"), author: "ann"), in: world.config)
            try expectEqual(part.revision, before + 1, "the revision: one commit")
            try expectEqual(
                part.changes.map(\.key.description), ["/d/added", "/d/deleted", "/d/kept"], "the changed keys")
            try expectEqual(try await world.get("/e")?.value.text, "2", "the key outside the prefix")
            let commit = try require(try await world.log().last, "the commit")
            try expectEqual(commit.message, "rollback to revision \(past)", "the message")
            try expectEqual(commit.author, "ann", "the author")
            let whole = try await world.service.rollback(RollbackRequest(to: past, message: "undo"), in: world.config)
            try expectEqual(whole.revision, before + 2, "the revision of the whole rollback")
            try expectEqual(try await world.values(), values, "the values")
            let again = try await world.service.rollback(RollbackRequest(to: past), in: world.config)
            try expectEqual(again, RollbackResult(revision: before + 2, changes: []), "a rollback with nothing to do")
            try expectEqual(try await world.revision, before + 2, "the revision after it")
        },
        Case("What was compacted cannot be read, and everything from the boundary on can") { world in
            for number in 0..<8 { try await world.set("/a", "\(number)") }
            let oldest = try await world.service.compact(world.config, keeping: .through(5))
            try expectEqual(oldest, 5, "the oldest revision")
            try expectEqual(try await world.service.info(of: world.config).oldest, 5, "the oldest revision in the info")
            try await expectError(.compacted, "reading a key before it") { try await world.get("/a", at: 4) }
            try await expectError(.compacted, "listing before it") { try await world.list(at: 4) }
            try await expectError(.compacted, "following from before it") {
                try await world.service.changes(ChangesQuery(after: 4), in: world.config)
            }
            try await expectError(.compacted, "comparing from before it") {
                try await world.service.diff(DiffQuery(from: 4), in: world.config)
            }
            for revision: Revision in 5...9 {
                let text = "\(revision - 2)"
                try expectEqual(try await world.get("/a", at: revision)?.value.text, text, "the value at \(revision)")
                try expectEqual(try await world.values(at: revision), ["/a": text], "the values at \(revision)")
                let page = try await world.service.changes(ChangesQuery(after: revision), in: world.config)
                try expectEqual(page.commits.count, Int(9 - revision), "the number of commits beyond \(revision)")
            }
            try expectEqual(
                try await world.service.compact(world.config, keeping: .through(3)), 5, "the oldest, after less")
            try await expectError(.futureRevision, "compacting the future") {
                try await world.service.compact(world.config, keeping: .through(10))
            }
        },
        Case("Compaction by age keeps what is younger") { world in
            for _ in 0..<4 {
                try await world.set("/a", "x")
                world.clock.advance(by: .seconds(10))
            }
            let oldest = try await world.service.compact(world.config, keeping: .olderThan(.seconds(25)))
            // Revisions 2 to 5 are 40, 30, 20 and 10 seconds old.
            try expectEqual(oldest, 3, "the oldest revision")
        },
        Case("Retention keeps what is young enough or among the last") { world in
            _ = try await world.service.updateConfig(
                world.config, patch: ["retention": ["age": "60s", "revisions": 3]])
            for _ in 0..<9 { try await world.set("/a", "x") }
            func enforced() async throws -> Revision {
                let record = try require(try await world.engine.config(world.config), "the config")
                try await world.service.enforceRetention(of: record)
                let info = try await world.service.info(of: world.config)
                return info.oldest
            }
            try expectEqual(try await enforced(), 1, "the oldest revision while all are young")
            world.clock.advance(by: .seconds(61))
            try expectEqual(try await enforced(), 7, "the oldest revision when all are old")
            try await world.set("/a", "y")
            try expectEqual(try await enforced(), 8, "the oldest revision after another write")
        },
    ]
}
