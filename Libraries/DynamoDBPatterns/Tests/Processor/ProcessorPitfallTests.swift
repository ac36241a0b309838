import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Testing

@Suite("Processes survive zombies, crashes, poison and indexes that are behind")
struct ProcessorPitfallTests {
    @Test("Pitfall, zombie worker: one whose lease ran out writes nothing, and its effect was repeated by the same key")
    func zombie() async throws {
        let world = try ProcessorWorld()
        let successor = try world.processor([
            world.step("pay") { order, _ in
                order.payment = "successor"
                return .done
            }, world.step("ship"),
        ])
        let zombie = try world.processor([
            world.step("pay") { order, context in
                order.payment = "zombie"
                try context.send("paid", "by the zombie")
                world.simulation.advance(by: .seconds(61))
                try await successor.runDue()
                return .done
            }, world.step("ship"),
        ])
        try await zombie.start("1", Order())
        try await zombie.runDue()
        let status = try #require(try await zombie.status(of: "1"))
        #expect(status.phase == .done)
        #expect(status.state == Order(steps: ["pay", "ship"], payment: "successor"))
        #expect(world.ledger.all == ["orders/1/pay", "orders/1/pay", "orders/1/ship"])
        #expect(try await zombie.relay { _ in } == 0, "nothing is sent that was not written down")
    }

    @Test("Pitfall, two workers: while one has a process, the other leaves it alone")
    func twoWorkers() async throws {
        let world = try ProcessorWorld()
        let other = try world.processor(world.steps("pay"))
        let processor = try world.processor([
            world.step("pay") { _, _ in
                world.simulation.advance(by: .seconds(59))
                let others = (try await other.runDue(), try await other.advance("1"))
                #expect(others == (0, false))
                return .done
            }
        ])
        try await processor.start("1", Order())
        #expect(try await processor.runDue() == 1)
        #expect(world.ledger.all == ["orders/1/pay"])
    }

    @Test("Pitfall, crash between effect and record: the step is repeated with its key, earlier steps are not")
    func crashAfterEffect() async throws {
        let world = try ProcessorWorld()
        let steps = world.steps("reserve", "pay", "ship")
        // The claim, the record of the first step, and then the crash instead of the record of the second.
        let dying = FaultyDynamoDB(world.store, plan: .at(call: 3, .crashBefore).where(\.isWrite))
        let processor = try world.processor(steps)
        try await processor.start("1", Order())
        await #expect(throws: SimulatedCrash.self) { try await world.processor(steps, in: dying).runDue() }
        #expect(try await processor.runDue() == 0, "its lease still counts")
        world.simulation.advance(by: .seconds(60))
        #expect(try await processor.runDue() == 1)
        #expect(
            world.ledger.all == ["orders/1/reserve", "orders/1/pay", "orders/1/pay", "orders/1/ship"])
        #expect(try await processor.status(of: "1")?.state.steps == ["reserve", "pay", "ship"])
    }

    @Test("Pitfall, poison record: a step that takes its worker along uses its attempts up, and is undone")
    func killer() async throws {
        let world = try ProcessorWorld()
        let steps = [world.step("reserve"), world.step("kill", retry: StepRetry(attempts: 3))]
        try await world.processor(steps).start("1", Order())
        for life in 1...4 {
            #expect(try await world.processor(steps).status(of: "1")?.phase == .running)
            // The worker is gone as soon as the effect has begun: not even the failure is written down.
            let dying = DiesWithEffect(base: world.store, ledger: world.ledger, key: "orders/1/kill")
            _ = try? await world.processor(steps, in: dying).runDue()
            #expect(world.ledger.count(of: "orders/1/kill") == min(life, 3))
            world.simulation.advance(by: .seconds(61))
        }
        let status = try #require(try await world.processor(steps).status(of: "1"))
        #expect(status.phase == .compensated)
        #expect(status.state.steps == ["reserve", "!kill", "!reserve"])
    }

    @Test("Pitfall, poison record: an item that cannot be read is set aside, and the others go on")
    func unreadable() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor(world.steps("pay"))
        for id in ["1", "2", "3"] { try await processor.start(id, Order()) }
        var broken = try #require(world.item("2"))
        broken["state"] = .map(["steps": .string("not a list")])
        _ = try await world.store.putItem(PutItemRequest(tableName: "patterns", item: broken))
        #expect(try await processor.runDue() == 2)
        #expect(try await processor.stuck() == ["2"])
        #expect(try await processor.runDue() == 0)
        #expect(world.item("2")?["state"] == broken["state"], "it is left as it is")
        #expect(world.item("2")?["lastError"]?.string?.contains("not a list") == false)

        var mended = try #require(world.item("2"))
        mended["state"] = .map(["steps": .list([]), "sent": .list([])])
        _ = try await world.store.putItem(PutItemRequest(tableName: "patterns", item: mended))
        try await processor.resume("2")
        #expect(try await processor.runDue() == 1)
        #expect(try await processor.status(of: "2")?.phase == .done)
    }

    @Test("Pitfall, poison record: a state that DynamoDB refuses is a failed attempt, not the end of the worker")
    func tooLarge() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([
            world.step("pay", retry: StepRetry(attempts: 1)) { order, context in
                if context.process == "1" { order.payment = String(repeating: "x", count: 500_000) }
                return .done
            }
        ])
        for id in ["1", "2"] { try await processor.start(id, Order()) }
        #expect(try await processor.runDue() == 2)
        #expect(try await processor.status(of: "1")?.phase == .compensated)
        #expect(try await processor.status(of: "1")?.failure?.contains("tooLarge") == true)
        #expect(try await processor.status(of: "2")?.phase == .done)
    }

    @Test("Pitfall, index behind: what it still shows is claimed by nobody, and what it hides is found later")
    func indexBehind() async throws {
        let world = try ProcessorWorld()
        world.store.indexLag = 30
        let processor = try world.processor([
            world.step("pay", retry: StepRetry(attempts: 2, first: .seconds(60), jitter: 0)) { _, context in
                if context.attempt == 1 { throw Outage() }
                return .done
            }, world.step("ship"),
        ])
        for number in 0..<10 { try await processor.start("\(number)", Order()) }
        for _ in 0..<20 {
            try await processor.runDue()
            #expect(!world.ledger.all.contains { $0.hasSuffix("ship") }, "nobody goes on before the pause is over")
        }
        world.simulation.advance(by: .seconds(60))
        world.store.indexLag = 0
        try await processor.runDue()
        for number in 0..<10 {
            #expect(try await processor.status(of: "\(number)")?.phase == .done)
            #expect(world.ledger.count(of: "orders/\(number)/pay") == 2)
            #expect(world.ledger.count(of: "orders/\(number)/ship") == 1)
        }
    }

    @Test("A deployment may add steps; one whose step stays unknown is left to an operator, and nothing is guessed")
    func deployments() async throws {
        let world = try ProcessorWorld()
        let retry = StepRetry(first: .seconds(1))
        let failing = world.step("pay", retry: retry) { _, _ in throw Outage() }
        try await world.processor([world.step("reserve"), failing, world.step("ship")]).start("1", Order())
        try await world.processor([world.step("reserve"), failing, world.step("ship")]).runDue()
        world.simulation.advance(by: .seconds(10))

        let without = try world.processor(world.steps("reserve", "ship"))
        for minute in 0..<20 {
            try await without.runDue()
            let status = try #require(try await without.status(of: "1"))
            #expect(status.lastError == "There is no step “pay”.")
            #expect(status.attempt == 1, "what is not begun is no attempt")
            #expect(status.isStuck == (minute >= 15))
            world.simulation.advance(by: .seconds(60))
        }
        #expect(try await without.stuck() == ["1"])

        let with = try world.processor(world.steps("check", "reserve", "pay", "pack", "ship"))
        try await with.resume("1")
        try await with.runDue()
        #expect(try await with.status(of: "1")?.state.steps == ["reserve", "pay", "pack", "ship"])
    }

    @Test("In a rolling deployment an older worker puts off a step that it does not know, for the newer ones")
    func rollingDeployment() async throws {
        let world = try ProcessorWorld()
        let older = try world.processor(world.steps("reserve"))
        let newer = try world.processor([world.step("pay", retry: StepRetry(attempts: 1)), world.step("reserve")])
        try await newer.start("1", Order())
        for _ in 0..<10 {
            try await older.runDue()
            world.simulation.advance(by: .seconds(40))
        }
        try await newer.runDue()
        #expect(try await newer.status(of: "1")?.phase == .done)
        #expect(world.ledger.all == ["orders/1/pay", "orders/1/reserve"])
    }

    @Test("A worker that knows the step ends the time after which an older one gives up; so does who resumes")
    func unknownAgain() async throws {
        let world = try ProcessorWorld()
        let older = try world.processor(world.steps("reserve"))
        let newer = try world.processor([
            world.step("pay") { _, _ in .wait(for: .seconds(60)) }, world.step("reserve"),
        ])
        try await newer.start("1", Order())
        for _ in 0..<20 {
            try await older.runDue()
            world.simulation.advance(by: .seconds(60))
            try await newer.runDue()
            world.simulation.advance(by: .seconds(60))
        }
        #expect(try await older.stuck() == [])
        for _ in 0..<20 {
            try await older.runDue()
            world.simulation.advance(by: .seconds(60))
        }
        #expect(try await older.stuck() == ["1"])
        try await older.resume("1")
        try await older.runDue()
        #expect(try await older.stuck() == [])
    }

    @Test("A worker whose time is short begins no step that may not end, and hands the process over")
    func workerDeadline() async throws {
        let world = try ProcessorWorld()
        let processor = try world.processor([
            world.step("pay") { _, _ in
                world.simulation.advance(by: .seconds(40))
                return .done
            }, world.step("ship"),
        ])
        try await processor.start("1", Order())
        await #expect(throws: PatternError.self) { try await processor.runDue(until: world.time(in: 59)) }
        #expect(try await processor.runDue(until: world.time(in: 90)) == 1)
        #expect(try await processor.status(of: "1")?.step == "ship")
        #expect(world.ledger.all == ["orders/1/pay"])
        #expect(try await processor.runDue() == 1, "another worker need not wait for the lease")
        #expect(world.ledger.all == ["orders/1/pay", "orders/1/ship"])
    }
}
