import DiscfgCore

extension ServiceConformance {
    static let expiryCases: [Case] = [
        Case("An overdue key is absent at once for every reader", assumesAlone: false) { world in
            try await world.set("/ttl", "1", expiry: .after(.seconds(30)))
            try await world.set("/stays", "1")
            let past = try await world.revision
            try expectEqual(try await world.get("/ttl")?.expiry, world.clock.now + .seconds(30), "the expiry")
            world.clock.advance(by: .milliseconds(29_999))
            try expect(try await world.get("/ttl") != nil, "the key to be there until its time")
            world.clock.advance(by: .milliseconds(1))
            let other = try await world.anotherService()
            for service in [world.service, other] {
                try await expectError(.keyNotFound, "reading it") {
                    try await service.get(world.key("/ttl"), in: world.config, at: nil)
                }
                for recursive in [true, false] {
                    let page = try await service.list(ListQuery(isRecursive: recursive), in: world.config)
                    try expectEqual(page.entries.map(\.name), ["/stays"], "the listing")
                }
            }
            let test = try await world.commit(
                if: [.init(world.key("/ttl"), .absent)], then: [.get(world.key("/stays"))])
            try expectEqual(test.failed, nil, "the failed precondition")
            // The transaction has committed the expiry: what was there before it is the past.
            try expectEqual(try await world.get("/ttl", at: past)?.value.text, "1", "the value in the past")
        },
        Case("Expiry is committed as such, once, and the key begins anew") { world in
            for path in ["/a", "/b"] { try await world.set(path, "1", expiry: .after(.seconds(5))) }
            try await world.set("/a", "2", expiry: .after(.seconds(5)))
            try await world.set("/later", "1", expiry: .after(.seconds(50)))
            try expectEqual(try await world.service.expireOverdue(in: world.config), 0, "what expires too early")
            world.clock.advance(by: .seconds(5))
            try expectEqual(try await world.service.expireOverdue(in: world.config), 2, "what expires")
            let commits = try await world.log().suffix(2)
            try expectEqual(commits.map { $0.changes.map(\.kind) }, [[.expire], [.expire]], "the kinds")
            try expectEqual(
                commits.flatMap(\.changes).map(\.key.description), ["/a", "/b"], "the keys, as they fell due")
            try expectEqual(commits.first?.changes.first?.previous?.value.text, "2", "the value before")
            let revision = try await world.revision
            try expectEqual(try await world.service.expireOverdue(in: world.config), 0, "what expires again")
            try expectEqual(try await world.revision, revision, "the revision")
            try await world.set("/a", "3")
            try expectEqual(try await world.get("/a")?.version, 1, "the version of the key that came back")
        },
        Case("A write to an overdue key finds it absent, and the log says that it expired first") { world in
            try await world.set("/a", "1", expiry: .after(.seconds(5)))
            world.clock.advance(by: .seconds(6))
            let result = try await world.commit(
                if: [.init(world.key("/a"), .absent)], then: [.set(world.key("/a"), Value("2"), expiry: .unchanged)])
            try expectEqual(result.failed, nil, "the failed precondition")
            try expectEqual(try await world.log().flatMap(\.changes).map(\.kind), [.set, .expire, .set], "the kinds")
            let item = try require(try await world.get("/a"), "the key")
            try expectEqual(item.version, 1, "the version")
            try expectEqual(item.expiry, nil, "the expiry")
        },
        Case("A time to live can be renewed, kept and taken away", assumesAlone: false) { world in
            let key = try world.key("/a")
            let start = world.clock.now
            try await world.set("/a", "1", expiry: .after(.seconds(10)))
            world.clock.advance(by: .seconds(5))
            try await world.set("/a", "2", expiry: .unchanged)
            try expectEqual(try await world.get("/a")?.expiry, start + .seconds(10), "the kept expiry")
            try await world.set("/a", "3", expiry: .after(.seconds(10)))
            try expectEqual(try await world.get("/a")?.expiry, start + .seconds(15), "the renewed expiry")
            try await world.set("/a", "4")
            world.clock.advance(by: .seconds(1000))
            try expectEqual(try await world.get("/a")?.value.text, "4", "the value without expiry")
            try await expectError(.invalidRequest, "a time to live of nothing") {
                try await world.commit(then: [.set(key, Value("5"), expiry: .after(.zero))])
            }
        },
    ]
}
