import DiscfgCore
import Testing

@testable import DiscfgFormats

@Suite struct HostileInputTests {
    static let nested: [(ConfigFormat, String)] = [
        (.json, "{\"a\":" + String(repeating: "[", count: 100_000)), (.yaml, String(repeating: "[", count: 100_000)),
        (.yaml, "a: " + String(repeating: "[", count: 990) + String(repeating: "]", count: 990)),
        (.yaml, String(repeating: "{a: ", count: 990) + "1" + String(repeating: "}", count: 990)),
        (.yaml, String(repeating: "- ", count: 990) + "x"), (.yaml, String(repeating: "- ", count: 100_000) + "x"),
        (.toml, "a = " + String(repeating: "[", count: 100_000)),
        (.toml, "a = " + String(repeating: "{a=", count: 100_000)),
        (.toml, String(repeating: "a.", count: 100_000) + "a = 1"),
        (.toml, "[" + String(repeating: "a.", count: 100_000) + "a]"),
    ]

    @Test("nesting without end is an error", arguments: nested.indices)
    func depth(_ index: Int) async throws {
        let (format, text) = Self.nested[index]
        #expect(
            await failure { _ = try await format.leaves(of: Array(text.utf8), splitArrays: true) }?.code
                == .invalidRequest)
    }

    @Test("nesting up to the limit is read, split and written", arguments: [ConfigFormat.json, .yaml])
    func allowedDepth(_ format: ConfigFormat) async throws {
        let text = "{\"a\": " + String(repeating: "[", count: 400) + "1" + String(repeating: "]", count: 400) + "}"
        let items = try await items(text, format, splitArrays: true)
        #expect(items.count == 1)
        #expect(try await format.tree(of: format.bytes(of: items)) == format.tree(of: Array(text.utf8)))
    }

    @Test("files that are cut off or damaged are read or refused, never worse", arguments: Fixture.all.prefix(5))
    func damage(_ fixture: Fixture) async throws {
        let (format, bytes) = (try fixture.format, try fixture.bytes)
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = TreeMaker(seed: seed, for: format)
        var damaged = stride(from: 0, to: bytes.count, by: 7).map { Array(bytes[..<$0]) }
        for _ in 0..<200 {
            var copy = bytes
            for _ in 0..<3 {
                copy[Int.random(in: copy.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            damaged.append(copy)
            damaged.append((0..<40).map { _ in UInt8.random(in: 0...127, using: &random) })
        }
        for input in damaged {
            // What is read must also be written; what is not must be refused as input, not as a fault of ours.
            let error = await failure {
                _ = try await format.bytes(of: items(format.leaves(of: input, splitArrays: true)))
            }
            #expect(error == nil || error?.code == .invalidRequest || error?.code == .invalidName, "seed \(seed)")
        }
    }

    @Test("bytes that are not UTF-8 are refused with their line", arguments: [ConfigFormat.yaml, .toml, .env])
    func notUTF8(_ format: ConfigFormat) async {
        let error = await failure { _ = try await format.leaves(of: Array("# ä\n\n".utf8) + [0x61, 0xC3, 0x28]) }
        #expect(error?.message == "Line 3 of the file is not UTF-8.")
    }
}
