import DiscfgTestSupport
import Testing

@testable import DiscfgModel

/// What a client sends is what a server reads, for every operation and condition there is.
@Suite("Transactions on the wire")
struct WireTransactionTests {
    static let seed: UInt64 = 46_368

    @Test("Every operation, condition and result comes back as it was written")
    func roundTrip() throws {
        print("transactions on the wire: seed \(Self.seed)")
        var maker = TransactionMaker(seed: Self.seed)
        for _ in 0..<4000 {
            let transaction = try maker.transaction(depth: 1)
            try transaction.validateWire()
            let bytes = JSONWriter.bytes { transaction.write(to: &$0) }
            #expect(
                try Transaction(parsing: bytes, author: "ann") == transaction,
                "\(String(decoding: bytes, as: UTF8.self))")
            #expect(try Transaction(wire: JSONValue(parsing: bytes), author: "ann") == transaction)
            let result = try maker.result(of: transaction)
            let answer = JSONWriter.bytes { result.write(to: &$0, WireTests.exact) }
            #expect(try TransactionResult(wire: JSONValue(parsing: answer)) == result)
        }
        #expect(maker.kinds.count == TransactionMaker.kindCount, "\(maker.kinds)")
    }

    @Test("What has no exact form is refused before it is sent")
    func refused() throws {
        let key = try Key(path: "/a")
        let operations: [Operation] = [
            .set(key, Value("x"), expiry: .after(.microseconds(1500))), .touch(key, expiry: .after(.seconds(-1))),
            .set(key, Value("x"), expiry: .at(Timestamp(milliseconds: .max))),
            .set(key, Value("x"), expiry: .at(Timestamp(milliseconds: -100_000_000_000_000))), .fail(.internalError),
            .transaction(Transaction(then: [], else: [.fail(.overloaded)])), .deleteAll(.keys(.all)),
        ]
        for operation in operations {
            let error = #expect(throws: DiscfgError.self, "\(operation)") {
                try Transaction(then: [operation]).validateWire()
            }
            #expect(error?.code == .unsupported)
        }
    }

    @Test(
        "A condition or operation that is not understood is refused",
        arguments: [
            #"{"if":[{"key":"/a","version":1,"is":"more"}]}"#, #"{"if":[{"key":"/a","exists":true,"is":"equal"}]}"#,
            #"{"if":[{"key":"/a","unchangedSince":1,"is":"equal"}]}"#, #"{"if":[{"key":"/a","is":"equal"}]}"#,
            #"{"if":[{"ranges":[],"unchangedSince":1}]}"#, #"{"if":[{"key":"/a","version":1,"range":"/a"}]}"#,
            #"{"if":[{"ranges":[{"from":"/b","to":"/c"},{"from":"/a"}],"unchangedSince":1}]}"#,
            #"{"if":[{"ranges":[{"from":"/a"},{"from":"/b"}],"unchangedSince":1}]}"#,
            #"{"then":[{"fail":300}]}"#, #"{"then":[{"fail":101}]}"#, #"{"then":[{"getAll":"/a"}]}"#,
            #"{"then":[{"deleteAll":[{"from":"/a","until":"/b"}]}]}"#, #"{"then":[{"deleteAll":7}]}"#,
            #"{"then":[{"touch":"/a","value":1}]}"#, #"{"then":[{"set":"/a","value":1,"ttl":"1s","lease":1}]}"#,
            #"{"then":[{"get":"/a","lease":1}]}"#, #"{"then":[{"txn":{"then":[{"get":"/a//b"}]}}]}"#,
        ])
    func bad(text: String) {
        #expect(throws: DiscfgError.self) { try Transaction(wire: JSONValue(parsing: text), author: "") }
    }

    @Test("Transactions are nested as deep as a store takes them, and no deeper")
    func depth() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: #"{"then":[{"txn":"#, count: depth - 1) + #"{"then":[]}"#
                    + String(repeating: "}]}", count: depth - 1)).utf8)
        }
        #expect(throws: Never.self) { try Transaction(parsing: nested(Transaction.maximumDepth), author: "") }
        for depth in [Transaction.maximumDepth + 1, 60] {
            let error = #expect(throws: DiscfgError.self) { try Transaction(parsing: nested(depth), author: "") }
            #expect(error?.code == .tooLarge)
        }
    }
}

/// Makes transactions with everything that can be in them.
struct TransactionMaker {
    private var generator: SeededGenerator
    /// What was made so far.
    private(set) var kinds: Set<String> = []
    /// 9 operations, 6 ends of a key, 7 tests, 5 operands of 4 relations, and a condition on a range.
    static let kindCount = 9 + 6 + 7 + 20 + 1

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func transaction(depth: Int) throws -> Transaction {
        var transaction = Transaction(then: [], author: depth == 1 ? "ann" : "", message: depth == 1 ? "why" : "")
        for _ in 0..<number(3) { transaction.preconditions.append(try precondition()) }
        for _ in 0..<number(3) { transaction.success.append(try operation(depth)) }
        for _ in 0..<number(2) { transaction.failure.append(try operation(depth)) }
        return transaction
    }

    mutating func result(of transaction: Transaction) throws -> TransactionResult {
        var result = TransactionResult(revision: Int64(number(100)), changed: number(2) == 0)
        result.failed = transaction.preconditions.last
        result.current = number(2) == 0 ? try item() : nil
        for operation in transaction.success {
            var outcome = TransactionResult.Outcome(item: number(2) == 0 ? try item() : nil)
            for _ in 0..<number(3) { outcome.previous.append(try item()) }
            for _ in 0..<number(3) { outcome.found.append(try item()) }
            if case .transaction(let nested) = operation { outcome.nested = try self.result(of: nested) }
            result.outcomes.append(outcome)
        }
        return result
    }

    private mutating func operation(_ depth: Int) throws -> Operation {
        let kind = number(depth < Transaction.maximumDepth ? 9 : 8)
        kinds.insert("operation \(kind)")
        switch kind {
        case 0: return .set(try key(), value(), expiry: expiry())
        case 1: return .touch(try key(), expiry: expiry())
        case 2: return .patch(try key(), ["a": ["b": .null, "c": 1]])
        case 3: return .delete(try key())
        case 4: return .deleteAll(try selection())
        case 5: return .get(try key())
        case 6: return .getAll(try range())
        case 7: return .fail([.keyNotFound, .compacted, .futureRevision][number(3)])
        default: return .transaction(try transaction(depth: depth + 1))
        }
    }

    private mutating func expiry() -> Operation.Expiry {
        let kind = number(6)
        kinds.insert("expiry \(kind)")
        switch kind {
        case 0: return .never
        case 1: return .unchanged
        case 2: return .kept
        case 3: return .after(.milliseconds(1 + number(100_000)))
        case 4: return .at(Timestamp(milliseconds: 1_800_000_000_000 + Int64(number(1_000_000))))
        default: return .lease(Int64.random(in: .min ... .max, using: &generator))
        }
    }

    private mutating func precondition() throws -> Precondition {
        let kind = number(7)
        kinds.insert("test \(kind)")
        let test: Precondition.Test
        switch kind {
        case 0: test = .absent
        case 1: test = .present
        case 2: test = .version(Int64(number(9)))
        case 3: test = .revision(Int64(number(9)))
        case 4: test = .value(bytes(4))
        case 5: test = .compare(operand(), relation())
        default: return .unchanged(try selection(), since: Int64(number(9)))
        }
        if number(3) > 0 { return Precondition(try key(), test) }
        kinds.insert("range")
        return Precondition(try key(), test, over: try range())
    }

    private var lastOperand = 0

    private mutating func operand() -> Precondition.Operand {
        lastOperand = number(5)
        let value = Int64.random(in: .min ... .max, using: &generator)
        switch lastOperand {
        case 0: return .version(value)
        case 1: return .created(value)
        case 2: return .modified(value)
        case 3: return .lease(value)
        default: return .value(bytes(4))
        }
    }

    private mutating func relation() -> Precondition.Relation {
        let relation = [Precondition.Relation.equal, .notEqual, .less, .greater][number(4)]
        kinds.insert("operand \(lastOperand) \(relation)")
        return relation
    }

    private mutating func selection() throws -> KeySelection {
        switch number(6) {
        case 0: .all
        case 1: .bare
        case 2: .key(try key())
        case 3: try .subtree(key().name)
        case 4: try .below(key().name)
        default: .range(try range())
        }
    }

    private mutating func range() throws -> KeyRange {
        switch number(5) {
        case 0: .key(try key())
        case 1: .prefix(try key().bytes)
        case 2: KeyRange(from: [], to: number(2) == 0 ? [] : try key().bytes)
        case 3: .all
        default: KeyRange(from: try key().bytes, to: number(2) == 0 ? nil : try key().bytes)
        }
    }

    private mutating func key() throws -> Key { try KeyNameTests.key(using: &generator) }

    private mutating func value() -> Value {
        switch number(3) {
        case 0: Value(bytes: bytes(8), contentType: "image/png")
        case 1: Value(["a": 1])
        default: Value("x")
        }
    }

    private mutating func item() throws -> Item {
        Item(
            key: try key(), value: value(), version: 3, created: 2, modified: 4,
            modifiedAt: Timestamp(milliseconds: 1_800_000_000_000), author: "ann",
            expiry: number(2) == 0 ? Timestamp(milliseconds: 1_800_000_050_000) : nil, lease: number(2) == 0 ? 7 : nil)
    }

    private mutating func bytes(_ most: Int) -> [UInt8] {
        (0..<number(most + 1)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private mutating func number(_ end: Int) -> Int { Int.random(in: 0..<end, using: &generator) }
}
