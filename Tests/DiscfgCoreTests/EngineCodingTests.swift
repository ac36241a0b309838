import DiscfgCore
import DiscfgTestSupport
import Testing

/// The encoding between a remote engine and its server.
@Suite("Engine coding")
struct EngineCodingTests {
    @Test("Every value comes back as it was, and no beginning of its bytes is taken for a whole one")
    func roundTrips() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let commits = try (0..<Int.random(in: 0..<3, using: &generator)).map { _ in try commit(&generator) }
            let items = try (0..<Int.random(in: 0..<3, using: &generator)).map { _ in try item(&generator) }
            let tail = LogTail(
                revision: number(&generator), time: Timestamp(milliseconds: number(&generator)),
                trimmed: number(&generator), incarnation: text(&generator))
            let byKey = Dictionary(items.map { ($0.key, $0) }) { first, _ in first }
            try check(commits, seed)
            try check(LogPage(commits: commits, tail: number(&generator), incarnation: text(&generator)), seed)
            try check(AppendOutcome.conflict(newer: commits), seed)
            try check(AppendOutcome.leaseNotFound(number(&generator)), seed)
            try check(ItemPage(items: items, hasMore: Bool.random(using: &generator), tail: tail), seed)
            try check(ItemBatch(items: byKey, tail: nil), seed)
            try check(WriteBasis(items: byKey, tail: tail, isExact: Bool.random(using: &generator)), seed)
            try check(KeyRange(from: bytes(&generator, 0..<9), to: optional(&generator) { bytes(&$0, 0..<9) }), seed)
            let lease = Lease(
                id: number(&generator), ttl: .milliseconds(number(&generator)),
                expiry: Timestamp(milliseconds: number(&generator)), isEnding: Bool.random(using: &generator),
                version: number(&generator))
            try check(lease, seed)
            let stored = try StoredLease(
                lease, generation: text(&generator), keys: [Key(bytes: bytes(&generator, 1..<9))])
            try check(LeasePage([stored], next: .lease(number(&generator))), seed)
            try check(LeasePage([stored], next: .key(stored.keys[0])), seed)
            let (id, generation) = (number(&generator), optional(&generator) { text(&$0) })
            let selections: [LeaseSelection] = [
                .one(id), .withKeys(id, generation: generation), .all(after: optional(&generator, number), limit: 7),
                .overdue(at: Timestamp(milliseconds: id)),
            ]
            for selection in selections { try check(selection, seed) }
            let changes: [LeaseChange] = [
                .create(lease), .renew(id, at: Timestamp(milliseconds: id)),
                .end(id, ifUnchanged: optional(&generator) { _ in lease }), .remove(id, generation: generation),
            ]
            for change in changes { try check(change, seed) }
            try check(HistoryPage(commits: commits, next: optional(&generator) { .after(number(&$0)) }), seed)
            try check(LogPart.through(number(&generator)), seed)
            try check(Cell(name: text(&generator), bytes: bytes(&generator, 0..<9), version: number(&generator)), seed)
            try check(number(&generator), seed)
        }
    }

    @Test("Bytes that are changed or made up are refused or read as another value, and nothing traps")
    func anyBytes() throws {
        var generator = SeededGenerator(seed: .random(in: 0...UInt64.max))
        for _ in 0..<2000 {
            var encoded = EngineWriter.bytes(of: [try commit(&generator)])
            for _ in 0..<Int.random(in: 1..<8, using: &generator) {
                encoded[Int.random(in: encoded.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            _ = try? EngineReader.value([Commit].self, in: encoded)
            for call in EngineCalls.all { _ = try? call.prepare(encoded) }
        }
    }

    @Test("Each call has a name of its own")
    func names() {
        #expect(Set(EngineCalls.all.map(\.name)).count == EngineCalls.all.count)
    }

    private func check<Value: EngineCodable & Equatable>(_ value: Value, _ seed: UInt64) throws {
        let bytes = EngineWriter.bytes(of: value)
        #expect(try EngineReader.value(Value.self, in: bytes) == value, "seed \(seed)")
        for count in Set([0, bytes.count / 2, bytes.count - 1]) where count < bytes.count {
            #expect(throws: DiscfgError.self, "seed \(seed)") {
                try EngineReader.value(Value.self, in: Array(bytes.prefix(count)))
            }
        }
        #expect(throws: DiscfgError.self) { try EngineReader.value(Value.self, in: bytes + [0]) }
    }

    private func number(_ generator: inout SeededGenerator) -> Int64 {
        [0, 1, -1, 63, 64, -65, .max, .min, .random(in: .min ... .max, using: &generator)]
            .randomElement(using: &generator) ?? 0
    }

    private func bytes(_ generator: inout SeededGenerator, _ count: Range<Int>) -> [UInt8] {
        (0..<Int.random(in: count, using: &generator)).map { _ in .random(in: 0...255, using: &generator) }
    }

    private func text(_ generator: inout SeededGenerator) -> String {
        ["", "a", "ü\u{0}\n\"", "e\u{301}", "👩‍👧"].randomElement(using: &generator) ?? ""
    }

    private func optional<Value>(
        _ generator: inout SeededGenerator, _ value: (inout SeededGenerator) throws -> Value
    ) rethrows -> Value? {
        try Bool.random(using: &generator) ? value(&generator) : nil
    }

    private func item(_ generator: inout SeededGenerator) throws -> Item {
        Item(
            key: try Key(bytes: bytes(&generator, 1..<9)),
            value: Value(bytes: bytes(&generator, 0..<300), contentType: text(&generator)),
            version: number(&generator), created: number(&generator), modified: number(&generator),
            modifiedAt: Timestamp(milliseconds: number(&generator)), author: text(&generator),
            expiry: optional(&generator) { Timestamp(milliseconds: number(&$0)) },
            lease: optional(&generator) { number(&$0) })
    }

    private func commit(_ generator: inout SeededGenerator) throws -> Commit {
        let changes = try (0..<Int.random(in: 0..<3, using: &generator)).map { _ in
            Change(
                kind: [.set, .delete, .expire].randomElement(using: &generator) ?? .set,
                key: try Key(bytes: bytes(&generator, 1..<9)), item: try optional(&generator) { try item(&$0) },
                previous: try optional(&generator) { try item(&$0) })
        }
        return Commit(
            revision: number(&generator), time: Timestamp(milliseconds: number(&generator)), author: text(&generator),
            message: text(&generator), changes: changes)
    }
}
