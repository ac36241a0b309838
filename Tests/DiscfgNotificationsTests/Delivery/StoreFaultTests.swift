import DiscfgCore
import DiscfgTestSupport
import Testing

@testable import DiscfgNotifications

/// What becomes of notifications when the store fails at any one call, in any way.
@Suite("Faults of the store")
struct StoreFaultTests {
    /// A delivery in which everything happens: notes in between, a refusal, one that is given up, and word that is left.
    private func scene(_ engine: FailingEngine) async throws -> (Bench, Notifier) {
        let sender = RecordingSender { attempt in
            switch attempt.rule.id {
            case "r" where attempt.revision == 4: .refuse("never")
            case "s" where attempt.revision == 3 && attempt.number == 2: .refuse("once")
            default: .take
            }
        }
        let bench = try await Bench(
            engine, sender: sender,
            options: {
                $0.unsavedLimit = 2
                $0.maximumAttempts = 2
            })
        for id in ["r", "s"] { try await bench.add(id) }
        for number in 2...7 { try await bench.set("/\(number)") }
        let other = bench.another()
        sender.whileSending { attempt in
            guard attempt.revision == 6, attempt.number < 8, attempt.rule.id == "r" else { return }
            try await bench.set("/late")
            _ = try? await other.deliver(in: bench.config)
        }
        return (bench, other)
    }

    /// Delivers as a server does, which comes again for every commit that it has not seen, until nothing is left.
    private func settle(_ bench: Bench, _ notifiers: [Notifier]) async throws {
        for round in 0..<12 {
            bench.clock.advance(by: .seconds(61))
            let outcome = try? await notifiers[round % notifiers.count].deliver(in: bench.config)
            guard let outcome, outcome.next == nil else { continue }
            if try await outcome.revision == bench.engine.tail(of: bench.config).revision { return }
        }
        Issue.record("it does not come to an end")
    }

    private func check(_ bench: Bench, _ comment: Comment) async throws {
        let last = try await bench.service.revision(of: bench.config)
        for id in ["r", "s"] {
            var first: [Revision] = []
            for attempt in bench.sender.attempts where attempt.rule.id == id && !first.contains(attempt.revision) {
                first.append(attempt.revision)
            }
            #expect(first == Array(2...last), "the first time in order: \(id), \(comment)")
            let taken = Set(bench.sender.revisions(id))
            let all = Set(2...last)
            #expect(taken == (id == "r" ? all.subtracting([4]) : all), "each at least once: \(id), \(comment)")
            #expect(try await bench.status(id).sent == last, comment)
            #expect(try await bench.state(id)?.owner == "", comment)
        }
        #expect(try await bench.status("r").deadLetters.map(\.revision) == [4], comment)
        #expect(try await bench.status("s").deadLetters.isEmpty, comment)
    }

    /// How many calls the scene makes where nothing fails.
    private func callCount() async throws -> Int {
        let engine = FailingEngine(MemoryEngine())
        let (bench, other) = try await scene(engine)
        engine.plan { _, _, _ in nil }
        try await settle(bench, [bench.notifier, other])
        let count = engine.calls.count
        try await check(bench, "without a fault")
        return count
    }

    @Test("Whatever one call comes to, everything is sent, and first in order", arguments: FailingEngine.Fault.allCases)
    func one(fault: FailingEngine.Fault) async throws {
        let count = try await callCount()
        #expect(count > 40)
        for failing in 0..<count {
            let engine = FailingEngine(MemoryEngine())
            let (bench, other) = try await scene(engine)
            engine.plan { index, _, _ in index == failing ? fault : nil }
            try await settle(bench, [bench.notifier, other])
            engine.plan { _, _, _ in nil }
            try await check(bench, "call \(failing)")
        }
    }

    @Test("The same where a call and the one behind it fail", arguments: FailingEngine.Fault.allCases)
    func two(fault: FailingEngine.Fault) async throws {
        let count = try await callCount()
        for failing in 0..<count {
            let engine = FailingEngine(MemoryEngine())
            let (bench, other) = try await scene(engine)
            engine.plan { index, _, _ in
                index == failing ? fault : index == failing + 1 ? FailingEngine.Fault.allCases[failing % 3] : nil
            }
            try await settle(bench, [bench.notifier, other])
            engine.plan { _, _, _ in nil }
            try await check(bench, "calls \(failing) and \(failing + 1)")
        }
    }

    @Test("The same where every fifth call fails, one way or another", arguments: 0..<5)
    func many(offset: Int) async throws {
        let engine = FailingEngine(MemoryEngine())
        let (bench, other) = try await scene(engine)
        engine.plan { index, _, _ in
            index < 60 && index % 5 == offset ? FailingEngine.Fault.allCases[index / 5 % 3] : nil
        }
        for round in 0..<30 {
            bench.clock.advance(by: .seconds(61))
            _ = try? await (round.isMultiple(of: 2) ? bench.notifier : other).deliver(in: bench.config)
        }
        engine.plan { _, _, _ in nil }
        try await settle(bench, [bench.notifier, other])
        try await check(bench, "offset \(offset)")
    }

    @Test("A claim whose reply was lost is let go at once, and not only when its time is over")
    func lostClaim() async throws {
        let engine = FailingEngine(MemoryEngine())
        let bench = try await Bench(engine)
        try await bench.add()
        try await bench.set("/a")
        engine.plan { _, call, number in call == .replaceCell && number == 0 ? .lost : nil }
        _ = try await failure(.outcomeUnknown) { try await bench.deliver() }
        #expect(try await bench.state()?.owner == "")
        try await bench.deliver()
        #expect(bench.sender.revisions() == [2])
    }

    @Test("A store that fails for one config does not keep the others from their turn")
    func deliverAll() async throws {
        let engine = FailingEngine(MemoryEngine())
        let bench = try await Bench(engine)
        let names = try (0..<40).map { try ConfigName("c\($0)") }
        for name in names {
            _ = try await bench.service.createConfig(name, settings: ConfigSettings(), author: "")
            let rule = try NotificationRule(id: "r", to: NotificationTarget(Bench.queue))
            _ = try await bench.notifier.addNotification(rule, to: name)
            _ = try await bench.service.commit(Transaction(then: [.set(Key(path: "/a"), Value("v"))]), to: name)
        }
        engine.plan { _, call, number in call == .log && number == 2 ? .refused : nil }
        _ = try await failure(.storeUnavailable) { try await bench.notifier.deliverAll() }
        #expect(bench.sender.taken.count == 39)
        try await bench.notifier.deliverAll()
        #expect(Set(bench.sender.taken.map(\.message.config)) == Set(names) && bench.sender.taken.count == 40)
    }
}
