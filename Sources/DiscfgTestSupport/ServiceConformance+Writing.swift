import DiscfgCore

extension ServiceConformance {
    static let writingCases: [Case] = [
        Case("The first write has revision 2, and each one the next") { world in
            try expectEqual(try await world.revision, 1, "the revision of a new config")
            for number in 2...6 {
                try expectEqual(try await world.set("/a", "\(number)").revision, Int64(number), "the revision")
            }
            try await world.checkLog()
        },
        Case("A key counts its versions, and begins anew after it was deleted", assumesAlone: false) { world in
            let first = try await world.set("/a", "1")
            let second = try await world.set("/a", "2")
            var item = try require(try await world.get("/a"), "the key")
            try expectEqual(item.version, 2, "the version")
            try expectEqual(item.created, first.revision, "the created revision")
            try expectEqual(item.modified, second.revision, "the modified revision")
            try expectEqual(second.outcomes.first?.previous.first?.value.text, "1", "the value before")
            try await world.delete("/a")
            try expectEqual(try await world.get("/a"), nil, "the deleted key")
            let third = try await world.set("/a", "3")
            item = try require(try await world.get("/a"), "the key that came back")
            try expectEqual(item.version, 1, "the version after a deletion")
            try expectEqual(item.created, third.revision, "the created revision after a deletion")
        },
        Case("Deleting what is not there makes no revision") { world in
            let result = try await world.delete("/missing")
            try expectEqual(result.changed, false, "whether it changed anything")
            try expectEqual(result.revision, 1, "the revision")
            try expectEqual(try await world.revision, 1, "the config's revision")
        },
        Case("Each kind of precondition holds and fails as it should", assumesAlone: false) { world in
            try await world.set("/a", "1")
            let item = try require(try await world.get("/a"), "the key")
            let (a, none) = (item.key, try world.key("/none"))
            let holding: [Precondition] = [
                .init(a, .present), .init(none, .absent), .init(a, .version(1)), .init(none, .version(0)),
                .init(a, .revision(item.modified)), .init(none, .revision(0)), .init(a, .value(Array("1".utf8))),
            ]
            let failing: [Precondition] = [
                .init(a, .absent), .init(none, .present), .init(a, .version(2)), .init(none, .version(1)),
                .init(a, .revision(item.modified - 1)), .init(none, .revision(1)), .init(a, .value(Array("2".utf8))),
                .init(none, .value([])),
            ]
            for condition in holding {
                let result = try await world.commit(if: [condition], then: [.get(a)], else: [.delete(a)])
                try expectEqual(result.failed, nil, "the failed one of \(condition)")
            }
            for condition in failing {
                let result = try await world.commit(if: holding + [condition], then: [.delete(a)], else: [.get(a)])
                try expectEqual(result.failed, condition, "the failed condition")
                try expectEqual(result.current, condition.key == a ? item : nil, "the current item")
                try expectEqual(result.outcomes.first?.item, item, "what the other branch read")
                let error = try await expectError(.conditionFailed, "orThrow") { try result.orThrow() }
                try expectEqual(error.current, result.current, "the error's item")
            }
            try expectEqual(try await world.get("/a"), item, "the key after all")
        },
        Case("A transaction changes many keys as one commit, or takes the other branch") { world in
            try await world.set("/a", "1")
            let (a, b, c) = (try world.key("/a"), try world.key("/b"), try world.key("/c"))
            let result = try await world.commit(
                if: [.init(a, .present), .init(b, .absent)],
                then: [.set(c, Value("c")), .set(b, Value("b")), .delete(a), .get(b)], else: [.set(a, Value("else"))],
                author: "ann", message: "why")
            try expectEqual(
                result.outcomes.map(\.item?.value.text), ["c", "b", nil, "b"], "the items after each operation")
            let commit = try require(try await world.log().last, "the commit")
            try expectEqual(commit.changes.map(\.key), [a, b, c], "the changed keys, in order")
            try expectEqual(commit.changes.map(\.kind), [.delete, .set, .set], "the kinds")
            try expectEqual([commit.author, commit.message], ["ann", "why"], "author and message")
            try expectEqual(commit.time, world.clock.now, "the time")
            let other = try await world.commit(
                if: [.init(a, .present)], then: [.delete(b)], else: [.set(a, Value("else"))])
            try expectEqual(other.changed, true, "whether the other branch changed something")
            try expectEqual(try await world.values(), ["/a": "else", "/b": "b", "/c": "c"], "the values")
        },
        Case("What one commit does to one key several times is one change") { world in
            try await world.set("/a", "1")
            let (a, b) = (try world.key("/a"), try world.key("/b"))
            try await world.commit(then: [
                .set(a, Value("2")), .set(a, Value("3")), .set(b, Value("1")), .delete(b), .delete(a),
                .set(a, Value("4")),
            ])
            let commit = try require(try await world.log().last, "the commit")
            try expectEqual(commit.changes.map(\.key), [a], "the changed keys")
            try expectEqual(commit.changes.first?.previous?.value.text, "1", "the value before")
            try expectEqual(commit.changes.first?.item?.value.text, "4", "the value after")
            let nothing = try await world.commit(then: [.set(b, Value("1")), .delete(b)])
            try expectEqual(nothing.changed, false, "whether a key that came and went changed anything")
        },
        Case("Deleting a directory takes what is below, and nothing beside it") { world in
            for path in ["/d/a", "/d/b/c", "/d", "/d-", "/e"] { try await world.set(path, "1") }
            let result = try await world.commit(then: [.deleteAll(try .below("/d"))])
            try expectEqual(
                result.outcomes.first?.previous.map(\.key.description), ["/d/a", "/d/b/c"], "the deleted keys")
            try expectEqual(try await world.values().keys.sorted(), ["/d", "/d-", "/e"], "the keys that are left")
        },
        Case("A merge patch changes the members it names, and keeps the time to live", assumesAlone: false) { world in
            let key = try world.key("/json")
            try await world.commit(then: [
                .set(key, Value(["a": 1, "b": [1, 2]] as JSONValue), expiry: .after(.seconds(60)))
            ])
            try await world.commit(then: [.patch(key, ["a": .null, "c": "x"])])
            let item = try require(try await world.get("/json"), "the key")
            try expectEqual(try item.value.parsedJSON(), ["b": [1, 2], "c": "x"], "the document")
            try expectEqual(item.expiry, world.clock.now + .seconds(60), "the expiry")
            try await world.commit(then: [.set(key, Value("text"))])
            try await expectError(.notJSON, "patching text") { try await world.commit(then: [.patch(key, ["a": 1])]) }
        },
        Case("Keys and values of any bytes come back, up to 1.5 MiB", assumesAlone: false) { world in
            let keys = [
                try Key(bytes: [0]), try Key(bytes: [0xFF, 0xFE]), try Key(bytes: Array(repeating: 0x80, count: 1024)),
            ]
            let largest = (0..<Value.maximumLength).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
            let values = [[], [0, 0xFF, 0xC3], largest].map { Value(bytes: $0, contentType: Value.octets) }
            for (key, value) in zip(keys, values) { try await world.commit(then: [.set(key, value)]) }
            for (key, value) in zip(keys, values) {
                try expectEqual(
                    try await world.service.get(key, in: world.config, at: nil).item.value, value, "the value")
            }
            try expectEqual(try await world.list().map(\.key), keys.sorted(), "the keys")
            let over = Value(bytes: largest + [0], contentType: Value.octets)
            try await expectError(.tooLarge, "a byte more") { try await world.commit(then: [.set(keys[0], over)]) }
            try expectEqual(try await world.get("/never"), nil, "another key")
        },
        Case("Many writers leave no gap, and every one of their writes", assumesAlone: false) { world in
            let other = try await world.anotherService()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<16 {
                    let service = writer % 2 == 0 ? world.service : other
                    group.addTask {
                        for number in 0..<10 {
                            let counter = try world.key("/counter")
                            while true {
                                let seen = try await service.commit(
                                    Transaction(then: [.get(counter)]), to: world.config)
                                let item = seen.outcomes.first?.item
                                let count = (item?.value.text).flatMap { Int($0) } ?? 0
                                let result = try await service.commit(
                                    Transaction(
                                        if: [.init(counter, .version(item?.version ?? 0))],
                                        then: [
                                            .set(counter, Value("\(count + 1)")),
                                            .set(try world.key("/\(writer)/\(number)"), Value("x")),
                                        ]), to: world.config)
                                if result.failed == nil { break }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try expectEqual(try await world.get("/counter")?.value.text, "160", "the counter")
            try expectEqual(try await world.get("/counter")?.version, 160, "the counter's version")
            try expectEqual(try await world.list().count, 161, "the number of keys")
            try await world.checkLog()
        },
        Case("Configs have revisions of their own, and go with all they hold", assumesAlone: false) { world in
            let name = try ConfigName("other")
            _ = try await world.service.createConfig(name, settings: ConfigSettings(), author: "ann")
            try await expectError(.configExists, "making it again") {
                try await world.service.createConfig(name, settings: ConfigSettings(), author: "")
            }
            let key = try world.key("/a")
            let set = Transaction(then: [.set(key, Value("there"))])
            _ = try await world.service.commit(set, to: name)
            try expectEqual(try await world.get("/a"), nil, "the key in the other config")
            try expectEqual(try await world.service.configs().map(\.name), [.default, name], "the configs")
            let info = try await world.service.updateConfig(name, patch: ["retention": ["revisions": 5]])
            try expectEqual(info.settings.retention.revisions, 5, "the changed setting")
            try expectEqual(info.settings.retention.age, ConfigSettings().retention.age, "the setting that was left")
            try await world.service.deleteConfig(name)
            try await expectError(.configNotFound, "writing to what was deleted") {
                try await world.service.commit(set, to: name)
            }
            try await expectError(.configNotFound, "deleting it again") { try await world.service.deleteConfig(name) }
            try await expectError(.invalidRequest, "deleting the default config") {
                try await world.service.deleteConfig(.default)
            }
        },
    ]
}
