import DiscfgSimulation
import Testing

@Suite struct LinearizabilityTests {
    private typealias Register = LinearizabilityCheck<RegisterModel>
    private typealias Lock = LinearizabilityCheck<LockModel>

    private func verdict(_ history: [Register.Entry]) -> Register.Verdict {
        Register(RegisterModel()).verdict(on: history)
    }

    @Test("Operations one after the other are linearizable")
    func sequential() {
        let history: [Register.Entry] = [
            .init(.write("a"), .done, call: 1, answer: 2), .init(.read, .value("a"), call: 3, answer: 4),
            .init(.replace("a", with: "b"), .done, call: 5, answer: 6), .init(.read, .value("b"), call: 7, answer: 8),
            .init(.replace("a", with: "c"), .refused("b"), call: 9, answer: 10),
        ]
        #expect(verdict(history) == .linearizable)
        #expect(verdict([]) == .linearizable)
    }

    @Test("A read of what was overwritten before the read began is a violation")
    func staleRead() {
        let history: [Register.Entry] = [
            .init(.write("a"), .done, call: 1, answer: 2), .init(.write("b"), .done, call: 3, answer: 4),
            .init(.read, .value("a"), call: 5, answer: 6),
        ]
        #expect(verdict(history) == .violation(unplaced: [2]))
    }

    @Test("A read beside a write may see either value, but no second read may go back")
    func concurrentReads() {
        let write: Register.Entry = .init(.write("a"), .done, call: 1, answer: 10)
        let new: Register.Entry = .init(.read, .value("a"), call: 2, answer: 3)
        let old: Register.Entry = .init(.read, .value(nil), call: 4, answer: 5)
        #expect(verdict([write, new]) == .linearizable)
        #expect(verdict([write, old]) == .linearizable)
        #expect(verdict([write, new, old]) != .linearizable)
    }

    @Test("A lost update is a violation: two compares of one value cannot both succeed")
    func lostUpdate() {
        let history: [Register.Entry] = [
            .init(.write("a"), .done, call: 1, answer: 2),
            .init(.replace("a", with: "b"), .done, call: 3, answer: 6),
            .init(.replace("a", with: "c"), .done, call: 4, answer: 5),
        ]
        #expect(verdict(history) != .linearizable)
    }

    @Test("A write of unknown outcome may take effect late, or never, but not before its call")
    func unknownOutcome() {
        let unknown: Register.Entry = .init(.write("u"), nil, call: 5, answer: nil)
        let none: Register.Entry = .init(.read, .value(nil), call: 7, answer: 8)
        let late: Register.Entry = .init(.read, .value("u"), call: 9, answer: 10)
        let early: Register.Entry = .init(.read, .value("u"), call: 1, answer: 2)
        #expect(verdict([unknown, none]) == .linearizable)
        #expect(verdict([unknown, none, late]) == .linearizable)
        #expect(verdict([unknown, none, late, .init(.read, .value(nil), call: 11, answer: 12)]) != .linearizable)
        #expect(verdict([unknown, early]) != .linearizable)
    }

    @Test("Each object's part of a history is checked by itself")
    func objects() {
        struct Two: SequentialModel {
            let register = RegisterModel()
            var initial: String? { register.initial }
            func apply(
                _ input: (key: String, RegisterModel.Input), answering output: RegisterModel.Output?, to state: String?
            ) -> String?? { register.apply(input.1, answering: output, to: state) }
        }
        let verdicts = LinearizabilityCheck(Two()).verdicts(on: [
            .init(("a", .write("1")), .done, call: 1, answer: 2), .init(("b", .write("2")), .done, call: 1, answer: 2),
            .init(("a", .read), .value("1"), call: 3, answer: 4), .init(("b", .read), .value("1"), call: 3, answer: 4),
        ]) { $0.input.key }
        #expect(verdicts["a"] == .linearizable)
        #expect(verdicts["b"] == .violation(unplaced: [1]))
    }

    @Test("Two holders of a lock at the same time are a violation")
    func twoHolders() {
        let first: [Lock.Entry] = [
            .init(.acquire("a"), true, call: 1, answer: 2), .init(.release("a"), true, call: 5, answer: 6),
        ]
        let after: Lock.Entry = .init(.acquire("b"), true, call: 3, answer: 7)
        let during: Lock.Entry = .init(.acquire("b"), true, call: 3, answer: 4)
        let check = Lock(LockModel())
        #expect(check.verdict(on: first + [after]) == .linearizable)
        #expect(check.verdict(on: first + [during]) != .linearizable)
        // Of a client that was not answered it is unknown when it gives the lock back.
        let lost: [Lock.Entry] = [
            .init(.acquire("c"), nil, call: 1, answer: nil), .init(.release("c"), nil, call: 2, answer: nil),
        ]
        #expect(check.verdict(on: lost + first + [after]) == .linearizable)
    }

    @Test("Many concurrent operations are decided, and a bound ends what cannot be")
    func bounded() {
        var history: [Register.Entry] = (0..<12).map { .init(.write("\($0)"), .done, call: $0, answer: 100) }
        history.append(.init(.read, .value("7"), call: 101, answer: 102))
        #expect(verdict(history) == .linearizable)
        history.append(.init(.read, .value("6"), call: 103, answer: 104))
        #expect(verdict(history) != .linearizable)
        #expect(Register(RegisterModel(), maximumSteps: 50).verdict(on: history) == .undecided)
    }
}
