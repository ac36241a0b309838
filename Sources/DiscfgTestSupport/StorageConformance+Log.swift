import DiscfgCore

extension StorageConformance {
    static let logCases: [Case] = [
        Case("An append is in the log as it was written, and implies the items") { world in
            let full = Item(
                key: try Key(bytes: [0, 0xFF, 0x2F]),
                value: Value(bytes: [0, 0xC3, 0x28, 0xFF], contentType: "image/png"),
                version: 9, created: 2, modified: 3, modifiedAt: world.time(5), author: "Zoë", expiry: world.time(99),
                lease: 0x7FFF_FFFF_FFFF_FFFF)
            let previous = Item(
                key: full.key, value: Value(bytes: [], contentType: "text/plain; charset=utf-8"), version: 8,
                created: 2,
                modified: 2, modifiedAt: world.time(4), author: "", expiry: nil, lease: 1)
            try await world.grant(1)
            let earlier = world.commit(2, [.set(previous, previous: nil)])
            try expectEqual(try await world.engine.append([earlier], to: world.config), .appended, "the outcome")
            var commit = world.commit(3, [.set(full, previous: previous)])
            commit.author = ""
            commit.message = "a “quoted” \u{0} message\n"
            try await world.grant(0x7FFF_FFFF_FFFF_FFFF)
            try expectEqual(try await world.engine.append([commit], to: world.config), .appended, "the outcome")
            try expectEqual(
                try await world.engine.entries(of: world.config, after: 1, limit: 10), [earlier, commit], "the log")
            let batch = try await world.engine.items([full.key], in: world.config, consistency: .strong)
            try expectEqual(batch.items, [full.key: full], "the item")
            let tail = try await world.engine.tail(of: world.config)
            try expectEqual(
                [tail.revision, tail.time.milliseconds, tail.trimmed], [3, commit.time.milliseconds, 0], "the tail")
            try world.expectTail(batch.tail, tail)
        },
        Case("An append at any other revision than the next is a conflict, says who was first, and writes nothing") {
            world in
            try await world.set(["/a": "1"])
            let first = try await world.log()
            let mine = try world.item("/mine", "x", at: 2)
            let outcome = try await world.engine.append(
                [world.commit(2, [.set(mine, previous: nil)])], to: world.config)
            guard case .conflict(let newer) = outcome else {
                throw ConformanceFailure(description: "Expected a conflict, found \(outcome).")
            }
            try expectEqual(newer, first, "the newer commits")
            try expectEqual(try await world.log(), first, "the log")
            try expectEqual(try await world.items().map(\.key), [world.key("/a")], "the keys")
        },
        Case("A conflict names at least the first of many newer commits") { world in
            for number in 0..<20 { try await world.set(["/a": "\(number)"]) }
            guard case .conflict(let newer) = try await world.engine.append([world.commit(5, [])], to: world.config)
            else {
                throw ConformanceFailure(description: "Expected a conflict.")
            }
            try expectEqual(newer.first?.revision, 5, "the first newer revision")
            try expectEqual(newer.map(\.revision), Array(5..<(5 + Int64(newer.count))), "the newer revisions")
        },
        Case("Several commits in one append each have a revision, and the last change of a key counts") { world in
            let old = try world.item("/a", "1", at: 2)
            let new = try world.item("/a", "2", at: 3)
            let gone = try world.item("/b", "1", at: 2)
            try await world.append(
                [.set(old, previous: nil), .set(gone, previous: nil)], [.set(new, previous: old)], [.removed(gone)])
            try expectEqual(try await world.log().map(\.revision), [2, 3, 4], "the revisions")
            try expectEqual(try await world.items(), [new], "the items")
            try expectEqual(try await world.engine.tail(of: world.config).revision, 4, "the tail")
        },
        Case("A batch of which the first is taken is refused as a whole") { world in
            try await world.set(["/a": "1"])
            let commits = [
                world.commit(2, []), world.commit(3, [.set(try world.item("/b", "1", at: 3), previous: nil)]),
            ]
            guard case .conflict = try await world.engine.append(commits, to: world.config) else {
                throw ConformanceFailure(description: "Expected a conflict.")
            }
            try expectEqual(try await world.engine.tail(of: world.config).revision, 2, "the tail")
            try expectEqual(try await world.items().count, 1, "the number of items")
        },
        Case("Removed keys are gone, and the log knows how") { world in
            let items = try await world.set(["/a": "1", "/b": "1"])
            try await world.delete(items[0])
            try await world.delete(items[1], kind: .expire)
            try expectEqual(try await world.items(), [], "the items")
            try expectEqual(
                try await world.log().flatMap(\.changes).map(\.kind), [.set, .set, .delete, .expire], "the kinds")
            try expectEqual(
                try await world.log().flatMap(\.changes).suffix(2).map(\.previous), items, "the items before")
        },
        Case("Of many who append at one revision just one succeeds, and the log has no gap") { world in
            let rounds = 20
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        var written = 0
                        while written < rounds {
                            let revision = try await world.engine.tail(of: world.config).revision + 1
                            let item = try world.item("/\(writer)/\(written)", "x", at: revision)
                            let commit = world.commit(revision, [.set(item, previous: nil)])
                            if try await world.engine.append([commit], to: world.config) == .appended { written += 1 }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let log = try await world.log()
            try expectEqual(log.map(\.revision), Array(2...Int64(4 * rounds + 1)), "the revisions")
            try expectEqual(Set(log.flatMap(\.changes).map(\.key)).count, 4 * rounds, "the number of keys in the log")
            try expectEqual(try await world.items().count, 4 * rounds, "the number of items")
        },
        Case("Entries begin beyond a revision, and never stop before the tail without reason") { world in
            for number in 0..<10 { try await world.set(["/a": "\(number)"]) }
            for after: Revision in 0...11 {
                let found = try await world.engine.entries(of: world.config, after: after, limit: 3)
                try expect(found.count <= 3, "at most three entries")
                try expectEqual(found.first?.revision, after < 11 ? after + 1 : nil, "the first beyond \(after)")
                try expectEqual(
                    found.map(\.revision), Array((after + 1)..<(after + 1 + Int64(found.count))), "the revisions")
            }
            try await expectError(.futureRevision, "reading beyond the tail") {
                try await world.engine.entries(of: world.config, after: 12, limit: 3)
            }
        },
        Case("One commit takes as many changes as the limit says, or thousands") { world in
            let count = min(5000, world.engine.limits.changes)
            let changes = try (0..<count).map { number -> Change in
                let digits = String(number)
                let name = "/many/" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
                return .set(try world.item(name, "v\(number)", at: 2), previous: nil)
            }
            try await world.append(changes)
            try expectEqual(try await world.log().first?.changes, changes, "the changes")
            try expectEqual(try await world.items().count, count, "the number of items")
        },
        Case("Values of 1.5 MiB come back from everywhere, and large and small replace each other") { world in
            let key = try world.key("/large")
            let large = world.item(key, (0..<Value.maximumLength).map { UInt8(truncatingIfNeeded: $0 &* 31) }, at: 2)
            let small = world.item(key, [1], at: 3)
            let again = world.item(key, large.value.bytes, at: 4)
            let changes: [Change] = [
                .set(large, previous: nil), .set(small, previous: large), .set(again, previous: small),
            ]
            for change in changes { try await world.append([change]) }
            try expectEqual(try await world.log().flatMap(\.changes), changes, "the log")
            try expectEqual(try await world.items(), [again], "the items")
            let batch = try await world.engine.items([key], in: world.config, consistency: .strong)
            try expectEqual(batch.items[key], again, "the item")
            try expectEqual(
                try await world.engine.firstChange(to: key, in: world.config, after: 2)?.previous, large,
                "the item at 2")
            try await world.trim(through: 4)
            try expectEqual(try await world.items(), [again], "the items after all history is gone")
        },
        Case("Configs do not mix") { world in
            let other = try world.name("other")
            try await world.engine.createConfig(other, settings: ConfigSettings(), first: world.commit(1, []))
            try await world.set(["/a": "here"])
            let there = try world.item("/a", "there", at: 2)
            _ = try await world.engine.append([world.commit(2, [.set(there, previous: nil)])], to: other)
            let batch = try await world.engine.items([there.key], in: other, consistency: .strong)
            try expectEqual(batch.items[there.key], there, "the item of the other config")
            try expectEqual(try await world.items().map(\.value.text), ["here"], "the values of this config")
            try expectEqual(
                try await world.engine.entries(of: other, after: 1, limit: 10).flatMap(\.changes).compactMap(\.item),
                [there],
                "the log of the other config")
        },
    ]
}
