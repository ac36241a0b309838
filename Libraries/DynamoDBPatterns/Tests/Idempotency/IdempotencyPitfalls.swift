import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

@Suite("Pitfalls of idempotent handlers, with deliveries of which every fourth call goes wrong")
struct IdempotencyPitfalls {
    @Test("Duplicates: a call that is made twenty times has one answer and one effect", arguments: PitfallPlace.all)
    func duplicates(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        var answers: Set<Int> = []
        var runs = 0
        for _ in 1...20 {
            let answer = try await world.deliver { table in
                let handler = try IdempotentHandler<Int>(
                    "calls", in: table, timeout: .seconds(60), logger: ProcessorWorld.logger)
                return try await handler.handle("1", payload: [1, 2]) { call in
                    runs += 1
                    call.write(world.effect("1"))
                    return runs
                }.answer
            }
            answers.insert(answer)
        }
        #expect(answers.count == 1)
        #expect(try await world.effects("1") == 1)
    }

    @Test(
        "Claims: refused with another payload, busy, taken over after the deadline, fenced", arguments: PitfallPlace.all
    )
    func claims(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        let handler = try IdempotentHandler<String>("calls", in: world.table, logger: ProcessorWorld.logger)
        await expect(.fenced) {
            try await handler.handle("1", payload: "p") { call in
                await expect(.payloadMismatch) { try await handler.handle("1", payload: "q") { _ in "other" } }
                await expect(.busy) { try await handler.handle("1", payload: "p") { _ in "early" } }
                world.time.advance(by: .seconds(61))
                call.write(world.effect("1"))
                let taken = try await handler.handle("1", payload: "p") { "attempt \($0.attempt)" }
                #expect(taken.answer == "attempt 2")
                return "late"
            }
        }
        #expect(try await world.effects("1") == 0)
        #expect(try await handler.handle("1", payload: "p") { _ in "again" }.answer == "attempt 2")
    }

    @Test("An inbox's transactions: the change happens once", arguments: PitfallPlace.all)
    func transactions(place: PitfallPlace) async throws {
        let world = try await PitfallWorld(place)
        for _ in 1...5 {
            try await world.deliver { table in
                try await Inbox("inbox", in: table, logger: ProcessorWorld.logger).transact("m") {
                    try $0.add(world.effect("m"))
                }
            }
        }
        #expect(try await world.effects("m") == 1)
    }
}
