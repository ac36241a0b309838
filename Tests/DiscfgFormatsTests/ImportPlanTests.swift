import DiscfgCore
import Testing

@testable import DiscfgFormats

@Suite struct ImportPlanTests {
    private func plan(_ values: [String: Value], _ text: String, splitArrays: Bool = false, prune: Bool = false) throws
        -> ImportPlan
    {
        let values = try Dictionary(uniqueKeysWithValues: values.map { (try key($0), $1) })
        let leaves = try Leaf.leaves(of: ConfigFormat.json.tree(of: Array(text.utf8)), splitArrays: splitArrays)
        return ImportPlan(
            try ImportedValues(leaves, for: ImportRequest(prefix: "/p", prunes: prune)), current: current(values))
    }

    @Test("only what differs in bytes or type is set")
    func differences() throws {
        let plan = try plan(
            ["/p/same": Value("1"), "/p/type": Value("1"), "/p/old": Value("x"), "/q/same": Value("1")],
            #"{"same":"1","type":1,"new":"n"}"#)
        #expect(plan.added == [try key("/p/new")])
        #expect(plan.changed == [try key("/p/type")])
        #expect(plan.removed.isEmpty)
        #expect(plan.unchanged == 1)
    }

    @Test("what was imported before an import began again is not counted twice, also if it has a lease since")
    func begunAgain() throws {
        var (earlier, last) = (ImportPlan(), ImportPlan())
        for name in ["/p/a", "/p/b", "/p/c"] { earlier.note(.add, on: try key(name)) }
        last.note(.keep, on: try key("/p/a"))
        last.note(.change, on: try key("/p/b"))
        last.note(.leaveOut, on: try key("/p/c"))
        last.include(earlier)
        #expect(last.counts == ImportCounts(added: 1, changed: 1, unchanged: 0, leftOut: 1))
    }

    @Test("prune deletes what the file lacks, below the prefix only")
    func prune() throws {
        let plan = try plan(["/p/old": Value("x"), "/px": Value("x"), "/q/y": Value("x")], #"{"a":"b"}"#, prune: true)
        #expect(plan.added == [try key("/p/a")])
        #expect(plan.removed == [try key("/p/old")])
    }

    @Test("an array replaces the array that was there, in whichever form", arguments: [false, true])
    func arrays(splitArrays: Bool) async throws {
        let current = [
            "/p/l": Value([9]), "/p/l/0": Value("a"), "/p/l/1": Value("b"), "/p/l/2/x": Value("c"), "/p/k": Value("d"),
        ]
        let text = #"{"l":["a","B"]}"#
        let plan = try plan(current, text, splitArrays: splitArrays)
        var items = try Dictionary(uniqueKeysWithValues: current.map { (try key($0), $1) })
        for key in plan.removed { items[key] = nil }
        let leaves = try Leaf.leaves(of: ConfigFormat.json.tree(of: Array(text.utf8)), splitArrays: splitArrays)
        items.merge(try ImportedValues(leaves, for: ImportRequest(prefix: "/p")).values) { $1 }
        #expect(
            try await ConfigFormat.json.tree(of: ConfigFormat.json.bytes(of: items, under: "/p")).json == [
                "k": "d", "l": ["a", "B"],
            ])
    }

    @Test("an array removes the elements beyond its end, and no key with another name")
    func arrayElements() throws {
        let names = ["0", "1", "1/y", "2/x", "10", "name", "name/3", "01", "2x", "-1", "9999999999"]
        var current = Dictionary(uniqueKeysWithValues: names.map { ("/p/l/" + $0, Value("v")) })
        current["/p/l"] = Value("text")
        current["/p/7"] = Value("v")
        func removed(_ text: String, splitArrays: Bool = false) throws -> [String] {
            try plan(current, text, splitArrays: splitArrays).removed.map(\.name)
        }
        #expect(try removed(#"{"l":["a","B"]}"#, splitArrays: true) == ["/p/l/10", "/p/l/2/x"])
        let elements = ["/p/l/0", "/p/l/1", "/p/l/1/y", "/p/l/10", "/p/l/2/x"]
        #expect(try removed(#"{"l":["a","B"]}"#) == elements, "an array as one value has no elements beside it")
        #expect(try removed(#"{"l":[]}"#, splitArrays: true) == elements)
        #expect(try removed(#"["a"]"#, splitArrays: true) == ["/p/7"], "nothing else of the prefix")
        #expect(try removed(#"{"k":1}"#).isEmpty)
        current["/p/l"] = Value([1, 2, 3])
        #expect(try removed(#"{"l":["a","B"]}"#, splitArrays: true) == ["/p/l", "/p/l/10", "/p/l/2/x"])
    }

    @Test("a path that makes too long a key is refused by name")
    func longKey() throws {
        let name = String(repeating: "n", count: 1100)
        let error = failure { _ = try plan([:], "{\"short\":{\"\(name)\":1}}") }
        #expect(error?.code == .invalidName)
        #expect(error?.message.contains("short/nnn") == true)
    }

    @Test("a value that is too large is refused by the name of its key")
    func largeValue() throws {
        let error = failure {
            _ = try plan([:], "{\"big\":\"\(String(repeating: "x", count: Value.maximumLength + 1))\"}")
        }
        #expect(error?.code == .tooLarge)
        #expect(error?.message.contains("“/p/big”") == true)
    }
}
