import DiscfgCore

extension ServiceConformance {
    static let rollbackCases: [Case] = [
        Case("A rollback leaves out keys that have or had a lease, and reports how many") { world in
            for id: Int64 in [1, 2] { _ = try await world.service.grantLease(id, ttl: .seconds(60), in: world.config) }
            try await world.set("/lock", "1", expiry: .lease(1))
            try await world.set("/a", "1")
            let past = try await world.revision
            _ = try await world.service.revokeLease(1, in: world.config)
            try await world.set("/held", "1", expiry: .lease(2))
            try await world.set("/a", "2")
            let result = try await world.service.rollback(RollbackRequest(to: past), in: world.config)
            try expectEqual(result.changes.map(\.key.description), ["/a"], "the changed keys")
            try expectEqual(result.leftOut, 2, "the number of keys left out")
            try expectEqual(try await world.values(), ["/a": "1", "/held": "1"], "the values")
            try expectEqual(try await world.get("/held")?.lease, 2, "the lease of the key that is held")
            let rest = try await world.service.diff(DiffQuery(from: past, to: result.revision), in: world.config)
            try expectEqual(rest.changes.map(\.key.description), ["/held", "/lock"], "what still differs")
        },
        Case("A rollback that one commit cannot take is split, and ends as the revision was") { world in
            let keys = try (0..<120).map { try world.key("/many/\($0)") }
            for text in ["old", "new"] {
                for half in [keys.prefix(60), keys.dropFirst(60)] {
                    try await world.commit(then: half.map { .set($0, Value(text)) })
                }
            }
            let result = try await world.service.rollback(
                RollbackRequest(to: 3, selection: .below("/many")), in: world.config)
            try expectEqual(result.commits, world.engine.limits.changes < 120 ? 2 : 1, "the number of commits")
            try expectEqual(result.changes.count, 120, "the number of changed keys")
            try expectEqual(Set(try await world.values().values), ["old"], "the values")
            let rest = try await world.service.diff(DiffQuery(from: 3, to: result.revision), in: world.config)
            try expectEqual(rest.changes, [], "what still differs")
        },
        Case("A condition on unchanged keys holds until a commit changes one of them") { world in
            let other = try await world.anotherService()
            func holds(_ selection: KeySelection, since revision: Revision) async throws -> Bool {
                try await world.commit(if: [.unchanged(selection, since: revision)], then: []).failed == nil
            }
            try await world.set("/a/x", "1")
            let base = try await world.revision
            _ = try await other.commit(Transaction(then: [.set(world.key("/b"), Value("1"))]), to: world.config)
            try expectEqual(try await holds(.below("/a"), since: base), true, "the directory beside the change")
            try expectEqual(try await holds(.key(world.key("/a/x")), since: base), true, "the key beside the change")
            try expectEqual(try await holds(.all, since: base), false, "the config")
            try expectEqual(try await holds(.all, since: base + 1), true, "the config at its revision")
            try expectEqual(try await holds(.below("/a"), since: base + 2), false, "a revision of the future")
            _ = try await other.commit(Transaction(then: [.delete(world.key("/a/x"))]), to: world.config)
            try expectEqual(try await holds(.below("/a"), since: base), false, "the directory of a deleted key")
            try expectEqual(try await holds(.key(world.key("/a/x")), since: base), false, "the deleted key")
            try expectEqual(try await holds(.below("/a"), since: base + 2), true, "the directory since then")
            // Commits that are younger than a minute are kept for readers of the log.
            world.clock.advance(by: .seconds(61))
            _ = try await world.service.compact(world.config, keeping: .through(base + 2))
            try await world.set("/c", "1")
            try expectEqual(try await holds(.below("/b"), since: base), false, "a revision that was compacted")
        },
    ]
}
