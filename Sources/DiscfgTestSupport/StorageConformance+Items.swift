import DiscfgCore

extension StorageConformance {
    static let itemCases: [Case] = [
        Case("Items are found by key, those that there are, with the revision at which they hold") { world in
            let items = try await world.set(["/a": "1", "/b": "2", "/c": "3"])
            let keys = try ["/a", "/c", "/missing"].map { try world.key($0) }
            let batch = try await world.engine.items(keys, in: world.config, consistency: .strong)
            try expectEqual(batch.items, [keys[0]: items[0], keys[1]: items[2]], "the items")
            let tail = try await world.engine.tail(of: world.config)
            try world.expectTail(batch.tail, tail)
            let none = try await world.engine.items([keys[2]], in: world.config, consistency: .eventual)
            try expectEqual(none.items, [:], "the item of a missing key")
            try world.expectTail(none.tail, tail)
            let nothing = try await world.engine.items([], in: world.config, consistency: .strong)
            try expectEqual(nothing.items, [:], "the items of no key")
            try world.expectTail(nothing.tail, tail)
        },
        Case("A writer is given what it needs: strong items, and a tail that is not newer than they are") { world in
            let items = try await world.set(["/a": "1", "/b": "2"])
            let keys = [items[0].key, try world.key("/missing")]
            let basis = try await world.engine.basis(for: keys, in: world.config)
            let tail = try await world.engine.tail(of: world.config)
            try expectEqual(basis.items, [items[0].key: items[0]], "the items")
            try expect(basis.tail.revision <= tail.revision, "the tail is there")
            try expectEqual(basis.tail.incarnation, tail.incarnation, "the incarnation")
            if basis.isExact { try expectEqual(basis.tail, tail, "the exact tail") }
            let empty = try await world.engine.basis(for: [], in: world.config)
            try expectEqual(empty.items, [:], "the items of no key")
        },
        Case("A range gives items in the order of their bytes, with its lower bound and without its upper") { world in
            let bytes: [[UInt8]] = [
                [0], [0, 0], [0x2F], [0x2F, 0x61], [0x2F, 0x61, 0], [0x7F], [0x80], [0xFF], [0xFF, 0xFF],
            ]
            let items = try bytes.map { world.item(try Key(bytes: $0), $0, at: 2) }
            try await world.append(items.shuffled().map { .set($0, previous: nil) })
            try expectEqual(try await world.items(), items, "all items")
            for lower in bytes + [[]] {
                for upper in bytes.map({ Optional($0) }) + [nil] {
                    let range = KeyRange(from: lower, to: upper)
                    try expectEqual(
                        try await world.items(range), items.filter { range.contains($0.key) }, "the items of \(range)")
                }
            }
        },
        Case("A page has at most as many items as asked for, and says whether there are more") { world in
            try await world.set(["/a": "1", "/b": "2", "/c": "3", "/d": "4"])
            for limit in 1...5 {
                let page = try await world.engine.items(
                    .all, in: world.config, limit: limit, values: true, consistency: .strong)
                try expect(page.items.count <= limit, "at most \(limit) items")
                try expectEqual(page.hasMore, page.items.count < 4, "whether there are more than \(limit)")
                try world.expectTail(page.tail, try await world.engine.tail(of: world.config))
            }
            let exact = try await world.engine.items(
                KeyRange(from: Array("/a".utf8), to: Array("/c".utf8)), in: world.config, limit: 2, values: true,
                consistency: .strong)
            try expectEqual(exact.hasMore, false, "whether there are more than fit exactly")
            var names: [String] = []
            var range = KeyRange.all
            while true {
                let page = try await world.engine.items(
                    range, in: world.config, limit: 1, values: true, consistency: .strong)
                names += page.items.map(\.key.description)
                guard page.hasMore, let last = page.items.last else { break }
                range = range.after(last.key)
            }
            try expectEqual(names, ["/a", "/b", "/c", "/d"], "the keys of all pages")
        },
        Case("Without values an item has all but its bytes") { world in
            let items = [
                world.item(try world.key("/large"), Array(repeating: 7, count: 100_000), at: 2),
                try world.item("/small", "1", at: 2, expiry: 9000),
            ]
            try await world.append(items.map { .set($0, previous: nil) })
            let page = try await world.engine.items(
                .all, in: world.config, limit: 9, values: false, consistency: .strong)
            let expected = items.map { item in
                var item = item
                item.value.bytes = []
                return item
            }
            try expectEqual(page.items, expected, "the items")
        },
        Case("Many large values make pages that are short, not empty") { world in
            for number in 0..<12 {
                let key = try world.key("/large/\(number)")
                let bytes = Array(repeating: UInt8(number), count: Value.maximumLength)
                try await world.append([.set(world.item(key, bytes, at: Int64(number) + 2), previous: nil)])
            }
            try expectEqual(try await world.items().count, 12, "the number of items")
            try expectEqual(try await world.log().map(\.revision), Array(2...13), "the revisions")
        },
        Case("Overdue keys are found, the most overdue first") { world in
            let items = [
                try world.item("/a", "1", at: 2, expiry: 5000), try world.item("/b", "1", at: 2, expiry: 3000),
                try world.item("/c", "1", at: 2, expiry: 5001), try world.item("/d", "1", at: 2),
                try world.item("/e", "1", at: 2, expiry: 4000),
            ]
            try await world.append(items.map { .set($0, previous: nil) })
            let now = Timestamp(milliseconds: 5000)
            let overdue = try await world.engine.overdueKeys(in: world.config, at: now, limit: 10)
            try expectEqual(overdue.map(\.description), ["/b", "/e", "/a"], "the overdue keys")
            let first = try await world.engine.overdueKeys(in: world.config, at: now, limit: 1)
            try expectEqual(first.map(\.description), ["/b"], "the most overdue key")
            // A key that lives longer, or for ever, now is not overdue any more.
            try await world.append([
                .set(try world.item("/b", "2", at: 3, expiry: 9000), previous: items[1]),
                .set(try world.item("/e", "2", at: 3), previous: items[4]),
            ])
            let left = try await world.engine.overdueKeys(in: world.config, at: now, limit: 10)
            try expectEqual(left.map(\.description), ["/a"], "the overdue keys that are left")
        },
    ]
}
