import AWSClient
import DynamoDBPatterns
import Testing

@testable import DynamoDBPatternsTesting

@Suite struct FaultyDynamoDBTests {
    /// What a fault does to a write of 1 on the condition that there is nothing.
    struct Case: Sendable {
        var fault: Fault
        var value: Int
        var code: AWSError.Code?
        var mayHaveTakenEffect = false
    }

    @Test(
        "What happens to a conditional write, and what its caller sees",
        arguments: [
            Case(fault: .lostReply, value: 1, code: .noAnswer, mayHaveTakenEffect: true),
            Case(fault: .lostReplyThenRetried, value: 1, code: .conditionalCheckFailed, mayHaveTakenEffect: true),
            Case(fault: .notSent, value: 0, code: .noAnswer, mayHaveTakenEffect: true),
            Case(fault: .throttled, value: 0, code: "ProvisionedThroughputExceededException"),
            Case(fault: .conflict, value: 0, code: .transactionConflict),
        ])
    func conditionalWrite(_ example: Case) async throws {
        let register = try Register()
        let api = FaultyDynamoDB(register.store, plan: .at(call: 1, example.fault))
        let error = await #expect(throws: AWSError.self) { try await register.write(1, ifIs: 0, api) }
        #expect(error?.code == example.code)
        #expect(error?.mayHaveTakenEffect == example.mayHaveTakenEffect)
        #expect(register.value == example.value)
        #expect(api.calls == 1)
        if example.fault == .lostReplyThenRetried { #expect(error?.conditionCheckFailedItem?["n"] == .integer(1)) }
    }

    @Test(
        "A crash is before or after the effect, and the last that happens", arguments: [Fault.crashBefore, .crashAfter])
    func crash(_ fault: Fault) async throws {
        let register = try Register()
        let api = FaultyDynamoDB(register.store, plan: .at(call: 2, fault))
        #expect(try await register.read(api) == 0)
        await #expect(throws: SimulatedCrash()) { try await register.write(1, api) }
        await #expect(throws: SimulatedCrash()) { try await register.write(2, api) }
        await #expect(throws: SimulatedCrash()) { try await api.describeStream(.init(streamArn: "")) }
        #expect(api.hasCrashed)
        #expect(register.value == (fault == .crashAfter ? 1 : 0))
    }

    @Test("A write that is made again has its effect twice; a transaction once")
    func retried() async throws {
        let register = try Register()
        try await register.add(FaultyDynamoDB(register.store, plan: .at(call: 1, .lostReplyThenRetried)))
        #expect(register.value == 2)
        try await register.addInTransaction(
            FaultyDynamoDB(register.store, plan: .at(call: 1, .lostReplyThenRetried)))
        #expect(register.value == 3)
    }

    @Test("A refusal whose answer was lost is in doubt too, although nothing happened")
    func refusedTwice() async throws {
        let register = try Register()
        try await register.write(5, register.store)
        let api = FaultyDynamoDB(register.store, plan: .at(call: 1, .lostReplyThenRetried))
        let error = await #expect(throws: AWSError.self) { try await register.write(1, ifIs: 0, api) }
        #expect(error?.code == .conditionalCheckFailed && error?.mayHaveTakenEffect == true)
        #expect(register.value == 5)
    }

    @Test("A lost answer to a read leaves nothing in doubt")
    func reads() async throws {
        let register = try Register()
        let api = FaultyDynamoDB(register.store, plan: .at(call: 1, .lostReply))
        let error = await #expect(throws: AWSError.self) { try await register.read(api) }
        #expect(error?.code == .noAnswer && error?.mayHaveTakenEffect == false)
    }

    @Test("A transaction that meets another one says so for its items")
    func conflict() async throws {
        let register = try Register()
        let api = FaultyDynamoDB(register.store, plan: .at(call: 1, .conflict))
        let error = await #expect(throws: AWSError.self) { try await register.addInTransaction(api) }
        #expect(error?.isContention == true)
        #expect(Fault.explains(try #require(error)))
        #expect(register.value == 0)
    }

    @Test("A plan for some calls neither counts nor touches the others")
    func filtered() async throws {
        let register = try Register()
        let api = FaultyDynamoDB(register.store, plan: .at(call: 1, .crashBefore).where(\.isWrite))
        _ = try await register.read(api)
        #expect(api.calls == 0)
        await #expect(throws: SimulatedCrash()) { try await register.write(1, api) }
    }
}
