import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

@Suite("Processes survive arguments without sense, keys of any letters and full items")
struct ProcessorEdgeTests {
    @Test("Durations of any length neither trap nor come early")
    func durations() async throws {
        let world = try ProcessorWorld()
        let longest = Duration.seconds(Int64.max)
        let steps = [
            Step<Order>("wait") { _, context in
                switch context.process {
                case "wait": return .wait(for: longest)
                case "signal": return .waitForSignal(atMost: longest)
                case "past": return .wait(for: .zero - longest)
                default: throw Outage()
                }
            }
        ]
        let processor = try Processor(
            "orders", in: world.table(), steps: steps, lease: longest, retention: longest,
            logger: ProcessorWorld.logger)
        for id in ["wait", "signal", "fail", "past"] { try await processor.start(id, Order(), within: longest) }
        try await processor.start("later", Order(), after: longest)
        #expect(try await processor.runDue() >= 4)
        #expect(try await processor.status(of: "later")?.attempt == 0)
        let done = try Processor(
            "orders", in: world.table(), steps: [Step<Order>("wait") { _, _ in .done }], retention: longest,
            logger: ProcessorWorld.logger)
        try await done.start("end", Order(), after: .zero - longest)
        #expect(try await done.advance("end"))
        #expect(try await done.status(of: "end")?.phase == .done)
    }

    @Test("Pauses of any numbers are within their bounds")
    func pauses() async throws {
        for retry in [
            StepRetry(first: .zero, factor: .infinity), StepRetry(first: .seconds(Int64.max), longest: .seconds(1)),
            StepRetry(factor: -5, jitter: 7), StepRetry(longest: .seconds(-1)), StepRetry(jitter: -.infinity),
        ] {
            let world = try ProcessorWorld()
            let processor = try world.processor([world.step("a", retry: retry) { _, _ in throw Outage() }])
            try await processor.start("1", Order())
            for _ in 0..<3 {
                try await processor.runDue()
                let due = try await processor.status(of: "1")?.due ?? world.time(in: 0)
                #expect(due <= world.time(in: 300))
                world.simulation.advance(by: .seconds(300))
            }
        }
    }

    @Test("Steps and leases without sense are refused at once")
    func nonsense() throws {
        let world = try ProcessorWorld()
        for retry in [StepRetry(factor: .nan), StepRetry(jitter: .nan), StepRetry(attempts: .min)] {
            #expect(throws: PatternError.self) { try world.processor([world.step("a", retry: retry)]) }
        }
        for timeout in [Duration.zero, .seconds(-1)] {
            #expect(throws: PatternError.self) {
                try world.processor([Step("a", timeout: timeout) { _, _ in .done }])
            }
        }
        for lease in [Duration.zero, .seconds(Int64.min)] {
            #expect(throws: PatternError.self) { try world.processor(world.steps("a"), lease: lease) }
        }
    }

    @Test("An identity, and a signal, may begin with an accent")
    func accents() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([
            world.step("pay") { order, context in
                order.payment = try context.signal("\u{301}paid", as: String.self)
                try context.send("paid", 1)
                return .done
            }
        ])
        for id in ["\u{301}1", "#\u{301}#", "👩‍👩‍👧"] {
            try await processor.start(id, Order())
            try await processor.signal("\u{301}paid", of: id, "yes")
            #expect(try await processor.runDue() == 1)
            #expect(try await processor.status(of: id)?.state.payment == "yes")
            let sent = EffectLedger()
            try await processor.relay { sent.note($0.process) }
            #expect(sent.all.map { Array($0.utf8) } == [Array(id.utf8)])
        }
    }

    @Test("Processes that were started before the index got more partitions go on")
    func morePartitions() async throws {
        let world = try ProcessorWorld()
        let before = try world.processor(world.steps("pay"))
        for id in 0..<10 { try await before.start("\(id)", Order()) }
        let table = PatternTable("patterns", in: world.store, clock: world.simulation.clock, duePartitions: 16)
        let after = try Processor("orders", in: table, steps: world.steps("pay"), logger: ProcessorWorld.logger)
        #expect(try await after.runDue() == 10)
    }

    @Test("An item without room for a record is set aside and listed, and the others go on")
    func full() async throws {
        for room in [0, 3, 20, 150, 800] {
            let world = try ProcessorWorld()
            let processor = try world.processor([
                world.step("pay", retry: StepRetry(attempts: 2)) { order, context in
                    if context.process == "1" { throw PatternError(.conflict, String(repeating: "x", count: 2000)) }
                    return .done
                }
            ])
            for id in ["1", "2"] { try await processor.start(id, Order()) }
            // As much as still goes in.
            var (size, tooMuch) = (0, 409_600)
            while tooMuch - size > 1 {
                let middle = (size + tooMuch) / 2
                do {
                    try await processor.signal("x", of: "1", String(repeating: "x", count: middle))
                    size = middle
                } catch is AWSError { tooMuch = middle }
            }
            try await processor.signal("x", of: "1", String(repeating: "x", count: size - room))
            for _ in 0..<5 {
                try await processor.runDue()
                world.simulation.advance(by: .seconds(100))
            }
            #expect(try await processor.status(of: "2")?.phase == .done)
            let status = try #require(try await processor.status(of: "1"))
            let isListed = try await processor.stuck() == ["1"]
            #expect(status.phase.isEnd || (status.isStuck && isListed), "\(room) bytes: \(status.phase)")
        }
    }

    @Test("A reason of any length turns the process back")
    func longReason() async throws {
        let world = try ProcessorWorld()
        let reason = "e" + String(repeating: "\u{301}", count: 300_000)
        let processor = try world.processor([world.step("pay") { _, _ in .fail(reason) }])
        try await processor.start("1", Order())
        try await processor.runDue()
        #expect(try await processor.status(of: "1")?.phase == .compensated)
        #expect(world.ledger.count(of: "orders/1/pay") == 1)
    }

    @Test("A step's write to a table that is not there is a failed attempt, and the others go on")
    func missingTable() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([
            world.step("pay", retry: StepRetry(attempts: 1)) { _, context in
                guard context.process == "1" else { return .done }
                context.write(.put(.init(tableName: "nowhere", item: ["pk": .string("1"), "sk": .string("1")])))
                return .done
            }
        ])
        for id in ["1", "2"] { try await processor.start(id, Order()) }
        #expect(try await processor.runDue() == 2)
        #expect(try await processor.status(of: "1")?.phase == .compensated)
        #expect(try await processor.status(of: "2")?.phase == .done)
    }
}
