import DiscfgCore

extension StorageConformance {
    /// What an engine must do with leases.
    public static let leaseCases: [Case] = [
        Case("A lease is made once, and found as it was made") { world in
            let first = Lease(id: 7, ttl: .seconds(10), expiry: Timestamp(milliseconds: 10_001))
            let other = Lease(id: 7, ttl: .seconds(20), expiry: Timestamp(milliseconds: 20_001))
            let longest = Lease(id: .max, ttl: .seconds(9_000_000_000), expiry: world.time(9_000_000_001))
            for lease in [first, longest] {
                try expectEqual(try await world.create(lease), true, "whether it was made")
                try expectEqual(try await world.find(lease.id), lease, "the lease")
            }
            try expectEqual(try await world.create(other), false, "whether one of the same id was made")
            try expectEqual(try await world.find(7), first, "the lease after that")
            try expectEqual(try await world.find(8), nil, "the lease of another id")
            try expectEqual(try await world.engine.tail(of: world.config).revision, 1, "the tail")
        },
        Case("Of many who make a lease of one id at the same time just one succeeds") { world in
            let made = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 1...8 { group.addTask { try await world.create(world.lease(7, expiry: number * 1000)) } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            try expectEqual(made, 1, "the number of successes")
        },
        Case("Renewing puts off a lease's end, raises its version, and writes no history") { world in
            for (id, seconds) in [(1, 10), (2, 9_000_000_000)] as [(Int64, Int64)] {
                var lease = Lease(id: id, ttl: .seconds(seconds), expiry: world.time(1), version: id * 1000)
                _ = try await world.create(lease)
                // The same end the second time, and that of before the fourth time.
                for moment in [123, 123, 456, 123].map({ 1_767_225_600_000 + $0 }) as [Int64] {
                    let renewed = try require(try await world.renew(id, at: moment), "the renewed lease")
                    // By more than one if an answer was lost and the request was sent again.
                    try expect(renewed.version > lease.version, "a later version than \(lease.version)")
                    lease.version = renewed.version
                    lease.expiry = Timestamp(milliseconds: moment + seconds * 1000)
                    try expectEqual(renewed, lease, "the renewed lease")
                    try expectEqual(try await world.find(id), lease, "the lease after that")
                }
            }
            try expectEqual(try await world.renew(3, at: 1), nil, "a renewed lease that was never made")
            try expectEqual(try await world.find(3), nil, "that lease after that")
            try expectEqual(try await world.engine.tail(of: world.config).revision, 1, "the tail")
        },
        Case("A lease that is ending is still there, and can neither be renewed nor made anew") { world in
            try await world.grant(1, expiry: 5000)
            try expectEqual(try await world.end(1), true, "whether it is ending")
            let ending = Lease(id: 1, ttl: .seconds(10), expiry: Timestamp(milliseconds: 5000), isEnding: true)
            try expectEqual(try await world.renew(1, at: 1000), nil, "the renewed lease")
            try expectEqual(try await world.create(world.lease(1)), false, "whether it was made anew")
            try expectEqual(try await world.find(1), ending, "the lease")
            try expectEqual(try await world.end(1), true, "whether it is ending the second time")
            try expectEqual(
                try await world.end(1, unlessChangedSince: (1, 9)), true, "whether it is ending, with another end")
            try expectEqual(try await world.end(2), false, "whether a lease is ending that was never made")
            try expectEqual(try await world.find(2), nil, "that lease")
        },
        Case("A lease is ended only if it was not renewed since it was read, if that is asked for") { world in
            try await world.grant(1, expiry: 5000)
            func end(_ expiry: Int64, _ version: Int64) async throws -> Bool {
                try await world.end(1, unlessChangedSince: (expiry, version))
            }
            try expectEqual(try await end(4999, 0), false, "whether it is ending with an earlier end")
            try expectEqual(try await end(5001, 0), false, "whether it is ending with a later end")
            let renewed = try require(try await world.renew(1, at: 4999), "the renewed lease")
            try expectEqual(renewed.expiry, Timestamp(milliseconds: 14_999), "its end")
            try expectEqual(try await end(5000, 0), false, "whether it is ending although renewed")
            // By a process whose clock is behind, and then by another at whose clock it is just as late.
            let second = try require(try await world.renew(1, at: 1000), "the lease renewed again")
            try expectEqual(
                try await end(14_999, renewed.version), false, "whether it is ending although renewed")
            let third = try require(try await world.renew(1, at: 1000), "the lease renewed to the same end")
            try expectEqual(third.expiry, second.expiry, "its end")
            try expectEqual(
                try await end(11_000, second.version), false, "whether it is ending although renewed to the same end")
            try expectEqual(try await end(11_000, third.version), true, "whether it is ending as it was read")
            try expectEqual(try await world.renew(1, at: 15_000), nil, "the renewed lease")
        },
        Case("Nothing is attached to a lease that is not there, and nothing is written then") { world in
            try await world.expectRefusal(of: 1)
        },
        Case("Nothing is attached to a lease that is ending, and nothing is written then") { world in
            try await world.grant(1)
            try expectEqual(try await world.end(1), true, "whether it is ending")
            try await world.expectRefusal(of: 1)
        },
        Case("Who was first matters before the lease does") { world in
            try await world.set(["/a": "1"])
            let change = Change.set(try world.item("/b", "1", at: 2, lease: 1), previous: nil)
            guard case .conflict = try await world.engine.append([world.commit(2, [change])], to: world.config) else {
                throw ConformanceFailure(description: "Expected a conflict.")
            }
        },
        Case("A key is attached to a lease, moved to another, and detached") { world in
            for id: Int64 in [1, 2] { try await world.grant(id) }
            for lease: Int64? in [1, 2, nil, 1] {
                let item = try await world.attach("/a", to: lease)
                try expectEqual(try await world.items(), [item], "the items")
                if let lease { try expectEqual(try await world.keys(of: lease), ["/a"], "the keys of the lease") }
            }
            try expectEqual(
                try await world.log().flatMap(\.changes).map(\.item?.lease), [1, 2, nil, 1], "the leases in the log")
        },
        Case("A key that is set again with the lease that it has needs no lease") { world in
            try await world.grant(1)
            try await world.attach("/a", to: 1)
            try expectEqual(try await world.end(1), true, "whether it is ending")
            try await world.attach("/a", to: 1)
            try expectEqual(try await world.keys(of: 1), ["/a"], "the keys of the ending lease")
            try await world.engine.removeLease(1, in: world.config)
            let item = try await world.attach("/a", to: 1)
            try expectEqual(try await world.items(), [item], "the items")
            // Once it was gone it is attached anew, and that it cannot be.
            try await world.delete(item)
            let change = Change.set(try world.item("/a", "1", at: 6, lease: 1), previous: nil)
            let outcome = try await world.engine.append([world.commit(6, [change])], to: world.config)
            try expectEqual(outcome, .leaseNotFound(1), "the outcome")
        },
        Case("The keys of a lease are all that are attached to it, and none that never were") { world in
            for id: Int64 in [1, 2] { try await world.grant(id) }
            let strange = world.item(try Key(bytes: [0, 0xFF, 0x2F]), [1], at: 2)
            func item(_ key: String, _ lease: Int64?, at revision: Revision) throws -> Item {
                try world.item(key, "x", at: revision, lease: lease)
            }
            var attached = strange
            attached.lease = 1
            let (a, b) = (try item("/a", 1, at: 2), try item("/b", 1, at: 3))
            // Two commits of one append; “/c” is attached by the first and detached by the second.
            try await world.append(
                [
                    .set(attached, previous: nil), .set(a, previous: nil),
                    .set(try item("/c", 1, at: 2), previous: nil), .set(try item("/d", 2, at: 2), previous: nil),
                    .set(try item("/e", nil, at: 2), previous: nil),
                ],
                [
                    .set(b, previous: nil),
                    .set(try item("/c", nil, at: 3), previous: try item("/c", 1, at: 2)),
                ])
            try await world.append([.set(try item("/f", 1, at: 4), previous: nil), .removed(a)])
            let keys = try await world.keys(of: 1)
            let names = Set([strange.key.description, "/b", "/f"])
            try expect(names.isSubset(of: keys), "the keys \(names) among \(keys)")
            try expect(keys.isSubset(of: names.union(["/a", "/c"])), "no others among \(keys)")
            try expectEqual(try await world.keys(of: 2), ["/d"], "the keys of the other lease")
            try expectEqual(try await world.keys(of: 3), [], "the keys of a lease that was never made")
        },
        Case("What was attached before a lease's end is among its keys, and nothing is attached after it") { world in
            try await world.grant(1)
            let (attached, told) = AsyncStream.makeStream(of: Void.self)
            let all = try await withThrowingTaskGroup(of: Set<String>.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        // Who fails must not be waited for.
                        defer { told.finish() }
                        return try await world.attachUntilRefused(writer) { told.yield() }
                    }
                }
                var iterator = attached.makeAsyncIterator()
                for _ in 0..<6 { _ = await iterator.next() }
                try expectEqual(try await world.end(1), true, "whether it is ending")
                let keys = try await world.keys(of: 1)
                let all = try await group.reduce(into: Set<String>()) { $0.formUnion($1) }
                try expectEqual(keys, all, "the keys when the end had begun")
                return all
            }
            try expectEqual(Set(try await world.items().map(\.key.description)), all, "the keys in the end")
        },
        Case("Overdue and ending leases are found, and no others") { world in
            for (id, expiry) in [(1, 5000), (2, 3000), (3, 5001), (4, 9000), (5, 4000)] as [(Int64, Int)] {
                try await world.grant(id, expiry: expiry)
            }
            try expectEqual(try await world.end(4), true, "whether the fourth is ending")
            func overdue(at moment: Int64) async throws -> [Int64] {
                try await world.engine.overdueLeases(in: world.config, at: Timestamp(milliseconds: moment))
                    .map(\.id).sorted()
            }
            try expectEqual(try await overdue(at: 5000), [1, 2, 4, 5], "the overdue leases")
            let whole = try await world.engine.overdueLeases(in: world.config, at: Timestamp(milliseconds: 5000))
            for lease in whole { try expectEqual(lease, try await world.find(lease.id), "lease \(lease.id)") }
            try expectEqual(try await overdue(at: 2999), [4], "the leases that are overdue early")
            _ = try await world.renew(2, at: 5000)
            try await world.engine.removeLease(4, in: world.config)
            try expectEqual(try await overdue(at: 5000), [1, 5], "the overdue leases that are left")
        },
        Case("Leases are listed in the order of their ids, page by page") { world in
            let ids: [Int64] = [1, 2, 127, 128, 255, 256, 65_536, 1 << 40, .max - 1, .max]
            for id in ids.shuffled() { try await world.grant(id) }
            try expectEqual(try await world.end(128), true, "whether one is ending")
            var found: [Lease] = []
            while let page = try await world.engine.leases(of: world.config, after: found.last?.id, limit: 3).nonEmpty {
                try expect(page.count <= 3, "at most three on a page")
                found += page
            }
            try expectEqual(found.map(\.id), ids, "the ids of all pages")
            try expectEqual(found.filter(\.isEnding).map(\.id), [128], "the ending ones")
            let all = try await world.engine.leases(of: world.config, after: nil, limit: 100)
            try expectEqual(all, found, "all leases")
        },
        Case("A removed lease is gone, and its id can be taken again") { world in
            try await world.grant(1)
            try await world.attach("/a", to: 1)
            try expectEqual(try await world.end(1), true, "whether it is ending")
            try await world.delete(try await world.items()[0])
            for _ in 0..<2 { try await world.engine.removeLease(1, in: world.config) }
            try expectEqual(try await world.find(1), nil, "the lease")
            try expectEqual(try await world.end(1), false, "whether it is ending")
            try await world.grant(1)
            try expectEqual(try await world.keys(of: 1), [], "the keys of the new lease")
            try await world.engine.removeLease(1, in: world.config)
            try expectEqual(try await world.find(1)?.id, 1, "the new lease, which is not ending")
        },
        Case("A lease has a generation, by which it is told from another of its id") { world in
            let granted = try await world.engine.changeLease(.create(world.lease(1)), in: world.config)
            let renewed = try await world.engine.changeLease(.renew(1, at: world.time(1)), in: world.config)
            try await world.attach("/a", to: 1)
            let first = try await world.engine.endLease(1, in: world.config, ifUnchanged: nil)
            let old = try require(first, "the generation of the first lease")
            try expectEqual([granted?.generation, renewed?.generation], [old, old], "its generation before")
            let selections: [LeaseSelection] = [
                .one(1), .withKeys(1, generation: nil), .withKeys(1, generation: old), .all(after: nil, limit: 9),
                .overdue(at: world.time(1)),
            ]
            for selection in selections {
                let found = try await world.engine.leases(selection, of: world.config)
                try expectEqual(found.map(\.generation), [old], "the generation in \(selection)")
                if case .withKeys = selection { continue }
                try expectEqual(found[0].keys, [], "the keys that nobody asked for")
            }
            try expectEqual(
                try await world.engine.endLease(1, in: world.config, ifUnchanged: nil), old, "the generation, again")
            try expectEqual(
                try await world.engine.keys(of: 1, generation: old, in: world.config)?.count, 1, "the number of keys")
            try await world.delete(try await world.items()[0])
            try await world.engine.removeLease(1, generation: old, in: world.config)
            try expectEqual(
                try await world.engine.keys(of: 1, generation: old, in: world.config), nil, "the keys of no lease")
            try await world.grant(1)
            try await world.attach("/a", to: 1)
            try expectEqual(
                try await world.engine.keys(of: 1, generation: old, in: world.config), nil, "the keys of another lease")
            let second = try await world.engine.endLease(1, in: world.config, ifUnchanged: nil)
            let new = try require(second, "the generation of the second lease")
            try expect(new != old, "another generation than \(old)")
            try await world.engine.removeLease(1, generation: old, in: world.config)
            try expectEqual(try await world.find(1)?.isEnding, true, "whether the second lease is ending still")
            try await world.engine.removeLease(1, generation: new, in: world.config)
            try expectEqual(try await world.find(1), nil, "the second lease after its removal")
        },
        Case("Leases are their config's alone, and go with it") { world in
            let other = try world.name("other")
            let now = Timestamp(milliseconds: 10_000)
            for _ in 0..<2 {
                try await world.engine.createConfig(other, settings: ConfigSettings(), first: world.commit(1, []))
                try expectEqual(try await world.engine.lease(1, in: other), nil, "the lease of a new config")
                try expectEqual(
                    try await world.engine.leases(of: other, after: nil, limit: 10), [], "the leases of a new config")
                try expectEqual(
                    try await world.engine.overdueLeases(in: other, at: now), [], "the overdue leases of a new config")
                try expectEqual(try await world.engine.keys(of: 1, in: other), [], "the keys of its lease")
                try expectEqual(
                    try await world.engine.createLease(world.lease(1, expiry: 5000), in: other), true,
                    "whether it was made there")
                let change = Change.set(try world.item("/a", "1", at: 2, lease: 1), previous: nil)
                try expectEqual(
                    try await world.engine.append([world.commit(2, [change])], to: other), .appended, "the outcome")
                _ = try await world.engine.removeConfig(other)
            }
            try expectEqual(try await world.find(1), nil, "the lease of the config beside it")
            try await world.expectRefusal(of: 1)
        },
    ]
}

extension StorageWorld {
    /// A lease of ten seconds.
    func lease(_ id: Int64, expiry: Int = 1_000_000) -> Lease {
        Lease(id: id, ttl: .seconds(10), expiry: Timestamp(milliseconds: Int64(expiry)))
    }

    func create(_ lease: Lease) async throws -> Bool { try await engine.createLease(lease, in: config) }

    func find(_ id: Int64) async throws -> Lease? { try await engine.lease(id, in: config) }

    func renew(_ id: Int64, at moment: Int64) async throws -> Lease? {
        try await engine.renewLease(id, in: config, at: Timestamp(milliseconds: moment))
    }

    /// Begins the end of a lease, in any case or if its end and its version are these.
    func end(_ id: Int64, unlessChangedSince state: (expiry: Int64, version: Int64)? = nil) async throws -> Bool {
        let lease = state.map { state in
            Lease(
                id: id, ttl: .seconds(10), expiry: Timestamp(milliseconds: state.expiry), version: state.version)
        }
        return try await engine.endLease(id, in: config, ifUnchanged: lease) != nil
    }

    func keys(of lease: Int64) async throws -> Set<String> {
        let keys = try await engine.keys(of: lease, in: config)
        try expectEqual(Set(keys).count, keys.count, "the number of different keys")
        return Set(keys.map(\.description))
    }

    /// Makes a lease of ten seconds; fails where there is one of that id.
    func grant(_ id: Int64, expiry: Int = 1_000_000) async throws {
        try expectEqual(try await create(lease(id, expiry: expiry)), true, "whether lease \(id) was made")
    }

    /// Sets a key at the tail, attached to a lease or to none; returns the item.
    @discardableResult
    func attach(_ name: String, to lease: Int64?) async throws -> Item {
        let item = try item(name, "x", at: try await engine.tail(of: config).revision + 1, lease: lease)
        let previous = try await engine.items([item.key], in: config, consistency: .strong).items[item.key]
        try await append([.set(item, previous: previous)])
        return item
    }

    /// Attaches one key after the other to lease 1 until that is refused; returns those that were attached.
    func attachUntilRefused(_ writer: Int, _ report: @Sendable () -> Void) async throws -> Set<String> {
        var attached: Set<String> = []
        while attached.count < 2000 {
            // An engine in memory never waits, and would leave no thread to whoever ends the lease.
            await Task.yield()
            let revision = try await engine.tail(of: config).revision + 1
            let item = try item("/\(writer)/\(attached.count)", "x", at: revision, lease: 1)
            switch try await engine.append([commit(revision, [.set(item, previous: nil)])], to: config) {
            case .appended:
                attached.insert(item.key.description)
                report()
            case .leaseNotFound(let id):
                try expectEqual(id, 1, "the lease that is named")
                return attached
            case .conflict: break
            case .replaced: throw ConformanceFailure(description: "Expected the config to be there.")
            }
        }
        throw ConformanceFailure(description: "Expected nothing to be attached after the lease's end.")
    }

    /// Checks that nothing can be attached to a lease, that nothing is written then, and that the rest can be written after it.
    func expectRefusal(of lease: Int64) async throws {
        let tail = try await engine.tail(of: config)
        let revision = tail.revision + 1
        let plain = try item("/plain", "1", at: revision)
        let leased = try item("/leased", "1", at: revision, lease: lease)
        var later = try item("/leased", "1", at: revision + 1, lease: lease)
        let first = commit(revision, [.set(leased, previous: nil), .set(plain, previous: nil)])
        var two = [
            commit(revision, [.set(plain, previous: nil)]), commit(revision + 1, [.set(later, previous: nil)]),
        ]
        for commits in [[first], two] {
            let outcome = try await engine.append(commits, to: config)
            try expectEqual(outcome, .leaseNotFound(lease), "the outcome of \(commits.count) commits")
            try expectEqual(try await engine.tail(of: config), tail, "the tail")
            try expectEqual(try await log(after: tail.revision), [], "the log")
            try expectEqual(try await items(), [], "the items")
        }
        later.lease = nil
        two[1].changes = [.set(later, previous: nil)]
        try expectEqual(try await engine.append(two, to: config), .appended, "the outcome without the lease")
        try expectEqual(try await log(after: tail.revision), two, "the log after that")
        try expectEqual(Set(try await items()), [plain, later], "the items after that")
    }
}
