import DiscfgCore

extension ServiceConformance {
    static let rangeCases: [Case] = [
        Case("A range is read in order, with its count whatever the limit, and with the config's revision") { world in
            for number in 0..<7 { try await world.set("/r/\(number)", "v\(number)") }
            try await world.set("/s", "1")
            let revision = try await world.revision
            let range = KeyRange.prefix(Array("/r/".utf8))
            let all = try await world.service.range(RangeQuery(range), in: world.config)
            try expectEqual(all.items.map(\.value.text), (0..<7).map { "v\($0)" }, "the values")
            try expectEqual(all.revision, revision, "the revision")
            let some = try await world.service.range(RangeQuery(range, limit: 2), in: world.config)
            try expectEqual(some.items.map(\.key.description), ["/r/0", "/r/1"], "the first two")
            try expectEqual(some.count, 7, "the count")
            let keys = try await world.service.range(RangeQuery(range, limit: 1, values: false), in: world.config)
            try expectEqual(keys.items.map(\.value.bytes), [[]], "the value that was not asked for")
            let none = try await world.service.range(RangeQuery(range, limit: 0), in: world.config)
            try expect(none.items.isEmpty && none.count == 7, "only the count")
            let absent = try await world.service.range(RangeQuery(.key(world.key("/none"))), in: world.config)
            try expect(absent.items.isEmpty && absent.count == 0, "no item of an absent key")
            try expectEqual(absent.revision, revision, "the revision beside an absent key")
        },
        Case("A range of the past is as it was, and tells the config's revision of now") { world in
            for path in ["/a", "/b", "/c"] { try await world.set(path, "1") }
            let past = try await world.revision
            try await world.set("/b", "2")
            try await world.commit(then: [.delete(world.key("/a")), .set(world.key("/d"), Value("2"))])
            let now = try await world.revision
            let reading = try await world.service.range(RangeQuery(.all, at: past), in: world.config)
            try expectEqual(reading.items.map(\.key.description), ["/a", "/b", "/c"], "the keys")
            try expectEqual(Set(reading.items.map(\.value.text)), ["1"], "the values")
            try expectEqual(reading.revision, now, "the revision")
            let one = try await world.service.range(RangeQuery(.key(world.key("/b")), at: past), in: world.config)
            try expectEqual(one.items.map(\.value.text), ["1"], "one key")
            try await expectError(.futureRevision, "the future") {
                _ = try await world.service.range(RangeQuery(.all, at: now + 1), in: world.config)
            }
            _ = try await world.service.compact(world.config, keeping: .through(now))
            try await expectError(.compacted, "what was compacted") {
                _ = try await world.service.range(RangeQuery(.all, at: past), in: world.config)
            }
        },
        Case("A transaction that reads ranges, nests others and compares sees one state") { world in
            let (a, b) = (try world.key("/t/a"), try world.key("/t/b"))
            let range = KeyRange.prefix(Array("/t/".utf8))
            try await world.set("/t/a", "1")
            let result = try await world.commit(
                if: [Precondition(a, .compare(.version(1), .equal), over: range)],
                then: [
                    .set(b, Value("2")), .getAll(range),
                    .transaction(Transaction(if: [Precondition(b, .absent)], then: [.delete(a)])), .getAll(range),
                ])
            try expectEqual(result.failed, nil, "the failed precondition")
            try expectEqual(result.outcomes[1].found.map(\.value.text), ["1", "2"], "the range after the first write")
            try expectEqual(result.outcomes[2].nested?.outcomes.first?.previous.map(\.key), [a], "what went")
            try expectEqual(result.outcomes[3].found.map(\.key), [b], "the range in the end")
            try expectEqual(try await world.log().last?.changes.map(\.kind), [.delete, .set], "one commit")
        },
        Case("A transaction that comes to an operation that fails changes nothing; others do not notice it") { world in
            let key = try world.key("/f/a")
            let before = try await world.revision
            for failing: [Operation] in [
                [.fail(.compacted), .set(key, Value("1")), .fail(.futureRevision)],
                [.set(key, Value("1")), .transaction(Transaction(then: [.fail(.compacted)]))],
            ] {
                try await expectError(.compacted, "the first failure") { _ = try await world.commit(then: failing) }
                // What else is wrong is told first.
                try await expectError(.keyNotFound, "an absent key") {
                    _ = try await world.commit(then: failing + [.touch(world.key("/f/none"), expiry: .never)])
                }
            }
            try expectEqual(try await world.revision, before, "the revision")
            let other = Transaction(if: [Precondition(key, .present)], then: [.fail(.compacted)])
            try await world.commit(then: [.set(key, Value("1")), .transaction(other)])
            try expectEqual(try await world.get("/f/a")?.value.text, "1", "the value")
        },
        Case("What stands for a directory is no key for those who list and read") { world in
            let marker = try Key(bytes: Array("/d/".utf8))
            try await world.commit(then: [
                .set(marker, Value(bytes: [], contentType: Value.directory)), .set(world.key("/d/k"), Value("1")),
                .set(world.key("/e"), Value("1")),
            ])
            let list = { (query: ListQuery) in
                try await world.service.list(query, in: world.config).entries.map(\.name)
            }
            try expectEqual(try await list(ListQuery(isRecursive: true)), ["/d/k", "/e"], "the keys")
            try expectEqual(try await list(ListQuery()), ["/d/", "/e"], "the top")
            try expectEqual(try await list(ListQuery("/d")), ["/d/k"], "the directory")
            let reading = try await world.service.range(RangeQuery(.all), in: world.config)
            try expectEqual(reading.items.map(\.key.description), ["/d/k", "/e"], "the range")
            try expectEqual(reading.count, 2, "the count")
            let one = try await world.service.range(RangeQuery(.key(marker)), in: world.config)
            try expect(one.items.isEmpty, "the marker itself to be no key")
            try await world.commit(then: [.delete(world.key("/d/k"))])
            try expectEqual(try await list(ListQuery()), ["/d/", "/e"], "the top, with an empty directory")
        },
    ]
}
