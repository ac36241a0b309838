import DiscfgCore
import Testing

@testable import DiscfgFormats

@Suite struct RoundTripTests {
    @Test("a file that is imported and exported again holds the same data", arguments: Fixture.all, [false, true])
    func fixtures(_ fixture: Fixture, splitArrays: Bool) async throws {
        let format = try fixture.format
        let leaves = try await format.leaves(of: fixture.bytes, document: fixture.document, splitArrays: splitArrays)
        let items = try items(leaves, prefix: "/some/where")
        let again = try await format.tree(of: format.bytes(of: items, under: "/some/where/"))
        #expect(try sorted(again) == sorted(format.tree(of: fixture.bytes, document: fixture.document)))
        #expect(items.count == leaves.count)
    }

    @Test("an import of what was exported changes nothing", arguments: Fixture.all, [false, true])
    func idempotent(_ fixture: Fixture, splitArrays: Bool) async throws {
        let format = try fixture.format
        let items = try await items(
            format.leaves(of: fixture.bytes, document: fixture.document, splitArrays: splitArrays))
        let exported = try await format.leaves(of: format.bytes(of: items), splitArrays: splitArrays)
        let plan = ImportPlan(
            try ImportedValues(exported, for: ImportRequest(prunes: true)), current: current(items))
        #expect(plan.counts.isEmpty)
        #expect(plan.unchanged == items.count)
    }

    @Test("JSON goes through YAML and back", arguments: [false, true])
    func jsonThroughYAML(splitArrays: Bool) async throws {
        let fixture = Fixture(name: "catalog.json")
        let items = try await items(ConfigFormat.json.leaves(of: fixture.bytes, splitArrays: splitArrays))
        let yaml = try await ConfigFormat.yaml.tree(of: ConfigFormat.yaml.bytes(of: items))
        let json = try ConfigFormat.json.tree(of: fixture.bytes)
        // YAML 1.1 needs a point before the exponent.
        let expected = json.json.text.replacing("1e400", with: "1.0e+400")
        #expect(yaml.json == (try JSONValue(parsing: expected)))
    }

    @Test(
        "random trees survive every format that can hold them", arguments: [ConfigFormat.json, .yaml, .toml],
        [false, true])
    func randomTrees(_ format: ConfigFormat, splitArrays: Bool) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = TreeMaker(seed: seed, for: format)
        for _ in 0..<150 {
            let tree = random.root()
            let stored = try items(Leaf.leaves(of: tree, splitArrays: splitArrays), prefix: "/p")
            let again = try await format.tree(of: format.bytes(of: stored, under: "/p"))
            let isSame = sorted(again) == sorted(tree)
            #expect(isSame, "seed \(seed): \(tree.json.text) came back as \(again.json.text)")
        }
    }

    @Test("random names and texts survive the flat formats", arguments: [ConfigFormat.env, .properties])
    func randomTexts(_ format: ConfigFormat) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = TreeMaker(seed: seed, for: format)
        for _ in 0..<150 {
            var object = NamedStrings()
            for position in 0..<5 { object.set(format == .env ? "NAME_\(position)" : random.text(), random.text()) }
            let again = try await format.tree(
                of: format.bytes(of: items(Leaf.leaves(of: object.tree, splitArrays: false))))
            let isSame = sorted(again) == sorted(object.tree)
            #expect(isSame, "seed \(seed): \(object.tree.json.text) came back as \(again.json.text)")
        }
    }
}
