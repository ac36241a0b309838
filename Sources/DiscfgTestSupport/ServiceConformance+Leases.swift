import DiscfgCore

extension ServiceConformance {
    static let leaseCases: [Case] = [
        Case("A lease's keys go in one commit when nobody renews it, not before, and the lease with them") { world in
            let lease = try await world.service.grantLease(nil, ttl: .seconds(10), in: world.config)
            for path in ["/a", "/b"] { try await world.set(path, "1", expiry: .lease(lease.id)) }
            try await world.set("/free", "1")
            world.clock.advance(by: .milliseconds(9999))
            try expectEqual(try await world.service.endOverdueLeases(in: world.config), 0, "what ends too early")
            world.clock.advance(by: .milliseconds(1))
            try expectEqual(try await world.service.endOverdueLeases(in: world.config), 1, "the leases that end")
            let changes = try require(try await world.log().last, "the commit").changes
            try expectEqual(changes.map(\.key.description), ["/a", "/b"], "the keys")
            try expectEqual(Set(changes.map(\.kind)), [.expire], "the kinds")
            try expect(try await world.get("/free") != nil, "the key without a lease to stay")
            try expect(try await world.service.lease(lease.id, in: world.config) == nil, "the lease to be gone")
            try expectEqual(try await world.service.endOverdueLeases(in: world.config), 0, "what ends again")
        },
        Case("A lease that is renewed lives on, in every process, and its renewal is no commit") { world in
            let lease = try await world.service.grantLease(77, ttl: .seconds(10), in: world.config)
            try await world.set("/a", "1", expiry: .lease(77))
            let revision = try await world.revision
            world.clock.advance(by: .seconds(9))
            let other = try await world.anotherService()
            let renewed = try await other.renewLease(77, in: world.config)
            try expectEqual(renewed?.expiry, lease.expiry + .seconds(9), "the end")
            world.clock.advance(by: .seconds(9))
            try expectEqual(try await world.service.endOverdueLeases(in: world.config), 0, "what ends")
            try expectEqual(try await world.revision, revision, "the revision")
            try expectEqual(
                try await other.leases(of: world.config).map(\.id), [77], "the leases that another process sees")
        },
        Case("A process whose clock is ahead ends a lease only a time to live after its last renewal") { world in
            let right = try await world.anotherService(ahead: .zero)
            let ahead = try await world.anotherService(ahead: .seconds(30))
            _ = try await right.grantLease(7, ttl: .seconds(10), in: world.config)
            try await world.set("/a", "1", expiry: .lease(7))
            for _ in 0..<5 {
                world.clock.advance(by: .seconds(3))
                try expectEqual(try await ahead.endOverdueLeases(in: world.config), 0, "what ends while renewed")
                _ = try require(try await right.renewLease(7, in: world.config), "the renewed lease")
            }
            try expectEqual(try await ahead.endOverdueLeases(in: world.config), 0, "what ends right after a renewal")
            world.clock.advance(by: .milliseconds(9999))
            try expectEqual(try await ahead.endOverdueLeases(in: world.config), 0, "what ends too early")
            world.clock.advance(by: .milliseconds(1))
            try expectEqual(try await ahead.endOverdueLeases(in: world.config), 1, "the leases that end")
            try expect(try await world.get("/a") == nil, "the key to be gone")
        },
        Case("A renewal counts also if it comes from a process whose clock is behind") { world in
            let right = try await world.anotherService(ahead: .zero)
            let ahead = try await world.anotherService(ahead: .seconds(30))
            _ = try await ahead.grantLease(7, ttl: .seconds(10), in: world.config)
            world.clock.advance(by: .seconds(5))
            _ = try require(try await right.renewLease(7, in: world.config), "the renewed lease")
            world.clock.advance(by: .seconds(5))
            // As long after the grant as the lease lives, and after the end that the renewal has set, by its own clock.
            try expectEqual(try await ahead.endOverdueLeases(in: world.config), 0, "what ends by the clock ahead")
            world.clock.advance(by: .seconds(5))
            try expectEqual(try await right.endOverdueLeases(in: world.config), 1, "what ends by the right clock")
        },
        Case("Renewals by different clocks that set the same end are seen") { world in
            let right = try await world.anotherService(ahead: .zero)
            let ahead = try await world.anotherService(ahead: .seconds(6))
            let first = try await ahead.grantLease(7, ttl: .seconds(10), in: world.config)
            world.clock.advance(by: .seconds(6))
            let renewed = try await right.renewLease(7, in: world.config)
            try expectEqual(renewed?.expiry, first.expiry, "the end that the renewal has set")
            world.clock.advance(by: .seconds(4))
            // As long after the grant as the lease lives, and overdue by the clock ahead.
            try expectEqual(try await ahead.endOverdueLeases(in: world.config), 0, "what ends too early")
            world.clock.advance(by: .seconds(6))
            try expectEqual(try await right.endOverdueLeases(in: world.config), 1, "the leases that end")
        },
        Case("A lease that is granted again with the same end is another one") { world in
            let right = try await world.anotherService(ahead: .zero)
            let ahead = try await world.anotherService(ahead: .seconds(6))
            let first = try await ahead.grantLease(7, ttl: .seconds(10), in: world.config)
            world.clock.advance(by: .seconds(6))
            _ = try await right.revokeLease(7, in: world.config)
            let again = try await right.grantLease(7, ttl: .seconds(10), in: world.config)
            try expectEqual(again.expiry, first.expiry, "the end of the lease that was granted again")
            world.clock.advance(by: .seconds(4))
            try expectEqual(try await ahead.endOverdueLeases(in: world.config), 0, "what ends too early")
        },
        Case("A process that does not run for long ends a lease only if it is overdue by a margin") { world in
            _ = try await world.service.grantLease(7, ttl: .seconds(10), in: world.config)
            func ended() async throws -> Int {
                try await world.anotherService(ahead: .zero).endOverdueLeases(
                    in: world.config, overdueBy: ConfigService.overdueMargin)
            }
            world.clock.advance(by: .seconds(10))
            try expectEqual(try await ended(), 0, "what ends as soon as it is overdue")
            world.clock.advance(by: .milliseconds(899_999))
            try expectEqual(try await ended(), 0, "what ends too early")
            world.clock.advance(by: .milliseconds(1))
            try expectEqual(try await ended(), 1, "the leases that end")
        },
        Case("Revoking a lease removes what is attached to it then, and nothing else") { world in
            _ = try await world.service.grantLease(1, ttl: .seconds(60), in: world.config)
            _ = try await world.service.grantLease(2, ttl: .seconds(60), in: world.config)
            for path in ["/stays", "/moves", "/goes"] { try await world.set(path, "1", expiry: .lease(1)) }
            try await world.set("/stays", "2")
            try await world.set("/moves", "2", expiry: .lease(2))
            try await world.set("/goes", "2", expiry: .unchanged)
            try expectEqual(
                try await world.service.keys(attachedTo: 1, in: world.config).map(\.description), ["/goes"], "its keys")
            let revision = try await world.revision
            try expectEqual(
                try await world.service.revokeLease(1, author: "ann", in: world.config), revision + 1, "the revision")
            let commit = try require(try await world.log().last, "the commit")
            try expectEqual(commit.changes.map(\.key.description), ["/goes"], "the keys")
            try expectEqual(commit.changes.map(\.kind), [.delete], "the kind")
            try expectEqual(commit.author, "ann", "the author")
            try expectEqual(try await world.service.revokeLease(1, in: world.config), nil, "revoking again")
            try expectEqual(try await world.service.renewLease(1, in: world.config), nil, "renewing")
            try expectEqual(try await world.get("/moves")?.lease, 2, "the other lease")
        },
        Case("Nothing can be attached to a lease that is not there, and what waits beside it is written") { world in
            async let plain = world.set("/plain", "1")
            try await expectError(.leaseNotFound, "a lease that never was") {
                try await world.set("/k", "1", expiry: .lease(404))
            }
            _ = try await plain
            _ = try await world.service.grantLease(5, ttl: .seconds(5), in: world.config)
            try await world.set("/k", "1", expiry: .lease(5))
            _ = try await world.service.revokeLease(5, in: world.config)
            try await expectError(.leaseNotFound, "a lease that was revoked") {
                try await world.set("/k", "1", expiry: .lease(5))
            }
            try expect(try await world.get("/k") == nil, "the key to be absent")
        },
        Case("A lease's id is taken once, and both it and the time to live have limits") { world in
            _ = try await world.service.grantLease(9, ttl: .seconds(60), in: world.config)
            try await expectError(.leaseExists, "the same id") {
                _ = try await world.service.grantLease(9, ttl: .seconds(60), in: world.config)
            }
            for (id, ttl) in [(nil, .zero), (0, .seconds(1)), (-1, .seconds(1)), (nil, .seconds(9_000_000_001))]
                as [(Int64?, Duration)]
            {
                try await expectError(.invalidRequest, "\(id ?? 0), \(ttl)") {
                    _ = try await world.service.grantLease(id, ttl: ttl, in: world.config)
                }
            }
        },
        Case("A lease with more keys than one commit takes ends all the same") { world in
            _ = try await world.service.grantLease(3, ttl: .seconds(5), in: world.config)
            for group in 0..<3 {
                let keys = try (0..<45).map { try world.key("/many/\(group)-\($0)") }
                try await world.commit(then: keys.map { .set($0, Value("x"), expiry: .lease(3)) })
            }
            world.clock.advance(by: .seconds(5))
            try expectEqual(try await world.service.endOverdueLeases(in: world.config), 1, "the leases that end")
            try expectEqual(
                try await world.service.range(RangeQuery(.all), in: world.config).count, 0, "the keys that are left")
        },
    ]
}
