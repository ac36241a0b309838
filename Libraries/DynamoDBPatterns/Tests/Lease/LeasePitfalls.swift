import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

@Suite("Pitfalls of leases, with deliveries of which every fourth call goes wrong")
struct LeasePitfalls {
    @Test("Taken in turns: the fence grows with each holder", arguments: PitfallPlace.all)
    func turns(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        var fences: [Int64] = []
        for _ in 1...10 {
            try await world.deliver { table in
                // A short lease takes few looks to outwait: each look can fail, and the next delivery starts over.
                let leases = try LeaseManager(
                    "jobs", in: table, duration: .milliseconds(100), logger: ProcessorWorld.logger)
                let lease = try #require(try await leases.acquire("x", waiting: .seconds(1)))
                fences.append(lease.fence)
                try await leases.renew(lease)
                try await leases.release(lease)
            }
        }
        #expect(fences.count >= 10 && Set(fences).count == fences.count && fences == fences.sorted())
    }

    @Test("Zombies: a holder that was taken over cannot write, renew or release", arguments: PitfallPlace.all)
    func zombies(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let leases = try LeaseManager("jobs", in: world.table, owner: "zombie", logger: ProcessorWorld.logger)
        let next = try LeaseManager("jobs", in: world.table, owner: "next", logger: ProcessorWorld.logger)
        let zombie = try #require(try await leases.acquire("x"))
        let holder = try #require(try await next.acquire("x", waiting: .seconds(31)))
        await expect(.leaseLost) {
            try await world.api.transact(clock: world.time.clock) { transaction in
                try transaction.check(zombie)
                try transaction.add(world.effect("x"))
            }
        }
        await expect(.leaseLost) { try await leases.renew(zombie) }
        try await leases.release(zombie)
        try await next.renew(holder)
        try await world.api.transact(clock: world.time.clock) { transaction in
            try transaction.check(holder)
            try transaction.add(world.effect("x"))
        }
        #expect(try await world.effects("x") == 1)
    }

    @Test("A scope releases its lease for the next one, whose fence is larger", arguments: PitfallPlace.all)
    func scope(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let table = PatternTable(world.name, in: world.api)
        let leases = try LeaseManager("jobs", in: table, logger: ProcessorWorld.logger)
        let other = try LeaseManager("jobs", in: table, logger: ProcessorWorld.logger)
        try await leases.withLease("x") { lease in
            #expect(lease.isHeld)
            await expect(.busy) { try await other.withLease("x") { _ in } }
        }
        #expect(try await other.withLease("x") { $0.fence } == 2)
    }
}
