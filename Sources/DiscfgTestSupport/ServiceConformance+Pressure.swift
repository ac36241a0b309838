import DiscfgCore
import Synchronization

extension ServiceConformance {
    static let pressureCases: [Case] = [
        Case("Writes that wait together are appended together, each with its revision") { world in
            let gate = GatedEngine(world.engine)
            let service = try await world.service { _ in gate }
            gate.close()
            try await withThrowingTaskGroup(of: Revision.self) { group in
                func write(_ number: Int) {
                    group.addTask {
                        let set = Operation.set(try world.key("/\(number)"), Value("x"))
                        gate.arrive()
                        return try await service.commit(Transaction(then: [set]), to: world.config).revision
                    }
                }
                // The first is held in its append; the others wait in line behind it.
                write(0)
                await gate.waitForAppend()
                for number in 1..<50 { write(number) }
                while gate.arrivals < 50 { await Task.yield() }
                gate.open()
                let revisions = try await group.reduce(into: []) { $0.append($1) }
                try expectEqual(revisions.sorted(), Array(2...51), "the revisions")
            }
            try expect(gate.appendCount <= 10, "a few appends for 50 writes, not \(gate.appendCount)")
            try expectEqual(gate.mostInFlight, 1, "the most appends at the same time")
            try await world.checkLog()
        },
        Case("Beyond 10,000 waiting writes the next is refused at once") { world in
            let gate = GatedEngine(world.engine)
            let service = try await world.service { _ in gate }
            gate.close()
            let codes = try await withThrowingTaskGroup(of: DiscfgError.Code?.self) { group in
                for _ in 0..<10_600 {
                    group.addTask {
                        do {
                            let get = Transaction(then: [.set(try world.key("/a"), Value("x"))])
                            _ = try await service.commit(get, to: world.config)
                            return nil
                        } catch let error as DiscfgError {
                            // One that was refused proves that the line is full.
                            if error.code == .overloaded { gate.open() }
                            return error.code
                        }
                    }
                }
                return try await group.reduce(into: [DiscfgError.Code?: Int]()) { $0[$1, default: 0] += 1 }
            }
            try expectEqual(Set(codes.keys), [nil, .overloaded], "the outcomes")
            try expect(codes[nil] ?? 0 >= 10_000, "at least 10,000 to succeed, found \(codes)")
            try expectEqual(try await world.revision, Int64(1 + (codes[nil] ?? 0)), "the revision")
        },
        Case("A transaction that is too large harms none of those beside it") { world in
            let gate = GatedEngine(world.engine, limits: StorageLimits(changes: 20, bytes: 4000))
            let service = try await world.service { _ in gate }
            gate.close()
            let outcomes = try await withThrowingTaskGroup(of: (Int, DiscfgError.Code?).self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let count = number % 10 == 5 ? 21 : 1
                        let text = number % 10 == 7 ? String(repeating: "x", count: 4001) : "x"
                        let operations = try (0..<count).map {
                            Operation.set(try world.key("/\(number)/\($0)"), Value(text))
                        }
                        do {
                            _ = try await service.commit(Transaction(then: operations), to: world.config)
                            return (number, nil)
                        } catch let error as DiscfgError {
                            return (number, error.code)
                        }
                    }
                }
                await gate.waitForAppend()
                gate.open()
                return try await group.reduce(into: [Int: DiscfgError.Code?]()) { $0[$1.0] = .some($1.1) }
            }
            for (number, code) in outcomes {
                let expected: DiscfgError.Code? = number % 10 == 5 || number % 10 == 7 ? .tooLarge : nil
                try expectEqual(code, expected, "the outcome of transaction \(number)")
            }
            try expectEqual(try await world.list().count, 32, "the number of keys")
            try await world.checkLog()
        },
        Case("A write that a lost reply leaves in doubt is found out about, not made twice", bringsFaults: true) {
            world in
            let faulty = FaultyEngine(
                world.engine,
                plan: .init([.lostReply, .lostRequest], percentage: 100, maximumInARow: 3, seed: world.seed))
            let service = try await world.service { _ in faulty }
            for number in 0..<20 {
                let set = Operation.set(try world.key("/a"), Value("\(number)"))
                let result = try await service.commit(Transaction(then: [set]), to: world.config)
                try expectEqual(result.revision, Int64(number) + 2, "the revision")
            }
            try expectEqual(try await world.get("/a")?.version, 20, "the version")
            try await world.checkLog()
        },
        Case("Neither a condition nor a read is answered from what is remembered, when others have written since") {
            world in
            let key = try world.key("/a")
            try await world.set("/a", "1")
            let other = try await world.anotherService()
            for text in ["2", "3"] {
                _ = try await other.commit(Transaction(then: [.set(key, Value(text))]), to: world.config)
                let read = try await world.commit(then: [.get(key)])
                try expectEqual(read.outcomes.first?.item?.value.text, text, "what a transaction reads")
            }
            _ = try await other.commit(Transaction(then: [.set(key, Value("4"))]), to: world.config)
            let result = try await world.commit(
                if: [Precondition(key, .version(4))], then: [.set(key, Value("5"))], else: [.get(key)])
            try expectEqual(result.failed, nil, "the condition that failed")
            try expectEqual(
                try await other.get(key, in: world.config, at: nil, consistency: .strong).item.version, 5, "the version"
            )
        },
    ]
}

/// An engine whose appends wait at a gate, so that a test decides when they go on.
private final class GatedEngine: EngineWrapper {
    private struct State {
        var isClosed = false
        var appends = 0
        var arrivals = 0
        var inFlight = 0
        var mostInFlight = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    let engine: any StorageEngine
    let traits: StorageTraits
    private let state = Mutex(State())

    init(_ engine: any StorageEngine, limits: StorageLimits? = nil) {
        self.engine = engine
        traits = engine.traits.with(\.limits, limits ?? engine.limits)
    }

    var appendCount: Int { state.withLock { $0.appends } }
    var arrivals: Int { state.withLock { $0.arrivals } }
    /// Counts a writer that is about to write.
    func arrive() { state.withLock { $0.arrivals += 1 } }
    var mostInFlight: Int { state.withLock { $0.mostInFlight } }

    func close() { state.withLock { $0.isClosed = true } }

    func open() {
        let waiting = state.withLock { state in
            state.isClosed = false
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until an append stands at the gate.
    func waitForAppend() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if !state.waiting.isEmpty { return true }
                state.watchers.append(continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func append(_ commits: [Commit], to config: ConfigName, incarnation: String?) async throws -> AppendOutcome {
        await withCheckedContinuation { continuation in
            let (passes, watchers) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
                state.appends += 1
                state.inFlight += 1
                state.mostInFlight = max(state.mostInFlight, state.inFlight)
                guard state.isClosed else { return (true, []) }
                state.waiting.append(continuation)
                defer { state.watchers = [] }
                return (false, state.watchers)
            }
            if passes { continuation.resume() }
            for watcher in watchers { watcher.resume() }
        }
        defer { state.withLock { $0.inFlight -= 1 } }
        return try await engine.append(commits, to: config, incarnation: incarnation)
    }
}
