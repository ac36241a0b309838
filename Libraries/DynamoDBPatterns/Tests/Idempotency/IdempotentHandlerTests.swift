import AWSClient
import DynamoDBPatternsTesting
import Testing

@testable import DynamoDBPatterns

struct Receipt: Codable, Sendable, Equatable {
    var number: Int
    var bytes: [UInt8] = [0, 255]
}

@Suite struct IdempotentHandlerTests {
    private struct Failure: Error {}

    let world: PatternWorld
    let payments: IdempotentHandler<Receipt>

    init() throws {
        world = try PatternWorld()
        payments = try IdempotentHandler("payments", in: world.table(), logger: ProcessorWorld.logger)
    }

    @Test("A repetition gets the stored answer, and the handler does not run")
    func repeated() async throws {
        let first = try await payments.handle("7", payload: ["amount": 1]) { call in
            #expect(call.idempotencyKey == "payments/7" && call.attempt == 1)
            #expect(call.deadline.milliseconds == world.time.clock.milliseconds + 60_000)
            return Receipt(number: 1)
        }
        let second = try await payments.handle("7", payload: ["amount": 1]) { _ in
            Issue.record("It ran again.")
            return Receipt(number: 2)
        }
        #expect(first.answer == Receipt(number: 1) && !first.isRepeated)
        #expect(second.answer == Receipt(number: 1) && second.isRepeated)
        #expect(try await payments.handle("8") { _ in Receipt(number: 8) }.answer.number == 8)
    }

    @Test("The same key with another payload is refused, done or not")
    func mismatch() async throws {
        try await payments.handle("7", payload: Receipt(number: 1)) { _ in
            await expect(.payloadMismatch) {
                try await payments.handle("7", payload: Receipt(number: 2)) { _ in Receipt(number: 2) }
            }
            return Receipt(number: 1)
        }
        for payload in [Receipt(number: 1, bytes: [0, 254]), nil] {
            await expect(.payloadMismatch) {
                try await payments.handle("7", payload: payload) { _ in Receipt(number: 2) }
            }
            await expect(.payloadMismatch) {
                try await payments.transact("7", payload: payload) { _ in Receipt(number: 2) }
            }
        }
    }

    @Test("Payloads are the same by their values, not by the order or spelling of their members")
    func payloads() throws {
        let members = (1...40).map { ("m\($0)", $0) }
        let one = Dictionary(uniqueKeysWithValues: members)
        let other = Dictionary(uniqueKeysWithValues: members.reversed())
        #expect(try PayloadHash.of(one) == PayloadHash.of(other))
        // A Set's order follows from its capacity, too, and differs in each process.
        for count in 2...40 {
            var spacious = Set<String>(minimumCapacity: 1000)
            let elements = (1...count).map { "e\($0)" }
            for element in elements { spacious.insert(element) }
            #expect(try PayloadHash.of(Set(elements)) == PayloadHash.of(spacious))
            #expect(try PayloadHash.of(Set(elements.map { [$0] })) == PayloadHash.of(Set(spacious.map { [$0] })))
            var (one, other): ([[String]: String], [[String]: String]) = ([:], [:])
            for element in elements { one[[element]] = element }
            for element in elements.reversed() { other[[element]] = element }
            #expect(try PayloadHash.of(one) == PayloadHash.of(other))
        }
        let different: [any Encodable] = [
            "a", ["a"], [["a"]], ["a", "b"], ["ab"], ["a": "b"], 1, 1.5, true, [1] as [UInt8], [2] as [UInt8], "1",
            AttributeValue.stringSet(["a"]), AttributeValue.numberSet(["1"]), AttributeValue.binarySet([[1]]),
            AttributeValue.null, [String](), "", [["b"], ["a"]], [["a"], ["b"]],
        ]
        let hashes = try different.map(PayloadHash.of)
        #expect(Set(hashes).count == different.count)
        #expect(try PayloadHash.of(AttributeValue.number("1.0")) == PayloadHash.of(1))
        #expect(
            try PayloadHash.of(AttributeValue.stringSet(["a", "b"]))
                == PayloadHash.of(AttributeValue.stringSet(["b", "a"])))
    }

    @Test("While a call is at work, others are refused; after its deadline one takes over, and it stores nothing")
    func takeover() async throws {
        await expect(.fenced) {
            try await payments.handle("7") { call in
                call.write(PatternWorld.effect("slow"))
                world.time.advance(by: .seconds(59))
                await expect(.busy) { try await payments.handle("7") { _ in Receipt(number: 2) } }
                await expect(.busy) { try await payments.transact("7") { _ in Receipt(number: 2) } }
                world.time.advance(by: .seconds(2))
                let other = try await payments.handle("7") { call in
                    #expect(call.attempt == 2)
                    call.write(PatternWorld.effect("fast"))
                    return Receipt(number: 2)
                }
                #expect(other.answer.number == 2 && !other.isRepeated)
                return Receipt(number: 1)
            }
        }
        #expect(PatternWorld.effects("slow", in: world.store) == 0)
        #expect(PatternWorld.effects("fast", in: world.store) == 1)
        #expect(try await payments.handle("7") { _ in Receipt(number: 3) }.answer.number == 2)
    }

    @Test("A call that was taken over stores nothing, although the other one is still at work")
    func takeoverAtWork() async throws {
        let (slowBegan, slowBegins) = AsyncStream<Void>.makeStream()
        let (slowMayEnd, letSlowEnd) = AsyncStream<Void>.makeStream()
        let slow = Task { [payments] in
            defer { slowBegins.finish() }
            return try await payments.handle("7") { call in
                call.write(PatternWorld.effect("slow"))
                slowBegins.finish()
                for await _ in slowMayEnd {}
                return Receipt(number: 1)
            }
        }
        for await _ in slowBegan {}
        world.time.advance(by: .seconds(61))
        let fast = try await payments.handle("7") { _ in
            letSlowEnd.finish()
            await expect(.fenced) { _ = try await slow.value }
            return Receipt(number: 2)
        }
        #expect(fast.answer.number == 2 && !fast.isRepeated)
        #expect(PatternWorld.effects("slow", in: world.store) == 0)
    }

    @Test("A handler that throws gives the claim back: a repetition runs at once, as the next attempt")
    func givenBack() async throws {
        await #expect(throws: Failure.self) {
            try await payments.handle("7", payload: "p") { call in
                call.write(PatternWorld.effect("7"))
                throw Failure()
            }
        }
        #expect(PatternWorld.effects("7", in: world.store) == 0)
        let answer = try await payments.handle("7", payload: "p") { call in Receipt(number: call.attempt) }
        #expect(answer.answer.number == 2 && !answer.isRepeated)
    }

    @Test("A cancelled handler gives its claim back, too")
    func cancelled() async throws {
        // A DynamoDB whose requests end with their task, as those of AWSClient do.
        let api = Cancellable(base: world.store)
        let payments = try IdempotentHandler<Receipt>("payments", in: world.table(api), logger: ProcessorWorld.logger)
        let task = Task {
            try await payments.handle("7") { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                try Task.checkCancellation()
                return Receipt(number: 1)
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await payments.handle("7") { _ in Receipt(number: 2) }.answer.number == 2)
    }

    @Test("A refused write of the handler stores nothing, and gives the claim back")
    func refusedWrite() async throws {
        let refused = TransactWriteItem.conditionCheck(
            .init(
                tableName: PatternWorld.tableName, key: ["pk": .string("x"), "sk": .string("x")],
                conditionExpression: "attribute_exists(pk)"))
        await expect(.conflict) {
            try await payments.handle("7") { call in
                call.write(PatternWorld.effect("7"))
                call.write(refused)
                return Receipt(number: 1)
            }
        }
        #expect(PatternWorld.effects("7", in: world.store) == 0)
        #expect(try await payments.handle("7") { _ in Receipt(number: 2) }.answer.number == 2)
    }

    @Test("After the retention a key is new, although DynamoDB has not deleted it, also with another payload")
    func expiry() async throws {
        try await payments.handle("7", payload: "a") { _ in Receipt(number: 1) }
        world.time.advance(by: .seconds(86_399))
        #expect(try await payments.handle("7", payload: "a") { _ in Receipt(number: 2) }.isRepeated)
        world.time.advance(by: .seconds(3))
        #expect(try await payments.handle("7", payload: "b") { _ in Receipt(number: 2) }.answer.number == 2)
        world.time.advance(by: .seconds(90_000))
        #expect(try await payments.transact("7", payload: "c") { _ in Receipt(number: 3) }.answer.number == 3)
        let ttl = world.store.items(in: PatternWorld.tableName).first?["ttl"]?.int64
        #expect(ttl == world.time.clock.milliseconds / 1000 + 86_401)
    }

    @Test("Arguments that are not allowed are refused before anything runs")
    func arguments() async throws {
        await expect(.invalidArgument) { try await payments.handle("") { _ in Receipt(number: 1) } }
        await expect(.invalidArgument) {
            try await payments.handle("7", until: world.time.clock.now()) { _ in Receipt(number: 1) }
        }
        await expect(.invalidArgument) { _ = try IdempotentHandler<Receipt>("no name", in: world.table()) }
        await expect(.invalidArgument) { _ = try IdempotentHandler<Receipt>("n", in: world.table(), timeout: .zero) }
        #expect(world.store.items(in: PatternWorld.tableName).isEmpty)
    }

    @Test("An answer that is too large or of another type is named; the claim of the first is given back")
    func answers() async throws {
        let texts = try IdempotentHandler<String>("payments", in: world.table(), logger: ProcessorWorld.logger)
        await expect(.tooLarge) { try await texts.handle("7") { _ in String(repeating: "a", count: 390_000) } }
        try await texts.handle("7") { _ in "short" }
        await expect(.corrupt) { try await payments.handle("7") { _ in Receipt(number: 1) } }
    }

    @Test("What it costs")
    func costs() async throws {
        let inbox = try Inbox("inbox", in: world.table(), logger: ProcessorWorld.logger)
        let effect = PatternWorld.effect("x")
        #expect(
            try await world.cost { try await payments.handle("1") { _ in Receipt(number: 1) } }
                == .init(requests: 2, written: 2))
        #expect(
            try await world.cost { try await payments.handle("1") { _ in Receipt(number: 1) } }
                == .init(requests: 1, written: 1))
        #expect(
            try await world.cost { try await inbox.receive("2") { $0.write(effect) } } == .init(requests: 2, written: 5)
        )
        #expect(
            try await world.cost { try await inbox.receive("2") { $0.write(effect) } } == .init(requests: 1, written: 1)
        )
        #expect(
            try await world.cost { try await inbox.transact("3") { try $0.add(effect) } }
                == .init(requests: 2, written: 4, read: 1))
        #expect(
            try await world.cost { try await inbox.transact("3") { try $0.add(effect) } } == .init(requests: 1, read: 1)
        )
    }
}

/// A DynamoDB whose requests end with their task.
struct Cancellable: DynamoDBDecorator {
    let base: any DynamoDBAPI

    func around<Answer: Sendable>(
        _ call: DynamoDBCall, _ carryOut: () async throws -> Answer
    ) async throws -> Answer {
        try Task.checkCancellation()
        return try await carryOut()
    }
}
