import DiscfgCore
import DiscfgTestSupport
import Foundation
import Testing

@testable import DiscfgFormats

/// Damaged files, from a corpus of real ones: each is refused with a hint, or what it says survives being written again.
///
/// `DISCFG_FUZZ_ROUNDS` says how many for each format, `DISCFG_FUZZ_SEED` repeats a run.
@Suite struct FormatFuzzTests {
    @Test(
        "a damaged file is refused with a hint, or read the same after it was written", arguments: ConfigFormat.allCases
    )
    func damaged(_ format: ConfigFormat) async throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["DISCFG_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 300
        let seed = environment["DISCFG_FUZZ_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        var mutator = Mutator(corpus: try Self.corpus(format), seed: seed)
        for round in 0..<rounds {
            let input = mutator.next()
            let split = round % 2 == 0
            if let problem = await Self.problem(input, format, split: split) {
                let text = String(decoding: input, as: UTF8.self).debugDescription
                Issue.record("seed \(seed), round \(round), splitArrays \(split): \(problem) in \(text)")
                return
            }
        }
    }

    /// What is wrong with how the input is read and written; `nil` if nothing is.
    private static func problem(_ input: [UInt8], _ format: ConfigFormat, split: Bool) async -> String? {
        do {
            let first = try await read(input, format, split: split)
            let text = try await format.bytes(of: first)
            do {
                let again = try await read(text, format, split: split)
                return again == first ? nil : "it comes back as \(String(decoding: text, as: UTF8.self))"
            } catch { return "what was written is refused: \(error)" }
        } catch let error as DiscfgError {
            return error.hint == nil && error.code != .tooLarge ? "an error without a hint: \(error)" : nil
        } catch { return "another error: \(error)" }
    }

    private static func read(_ input: [UInt8], _ format: ConfigFormat, split: Bool) async throws -> [Key: Value] {
        try items(await format.leaves(of: input, splitArrays: split))
    }

    /// Files of the format: the fixtures, and what once was a defect or nearly one.
    private static func corpus(_ format: ConfigFormat) throws -> [[UInt8]] {
        let files = try Fixture.all.filter { try $0.format == format }.map { try $0.bytes }
        return files + (seeds[format] ?? []).map { Array($0.utf8) }
    }

    private static let seeds: [ConfigFormat: [String]] = [
        .json: [#"{"a":[0,-1.5e3,null,true,"\u00e9\ud83d\ude00"],"0":{},"~m":{"/":"~"},"":[]}"#, #"{"0":1,"1":[[]]}"#],
        .yaml: [
            "a: &a {x: 1, <<: {y: 2}}\nb: [*a, *a]\n? c\n: |+\n  x\n\n",
            "%TAG !t! tag:x,2000:\n---\na: \"\\ufeffx\"\n...\n---\nb: !!binary AAAA\n",
            "l:\n- 2024-01-01\n- 010\n- .inf\n- ~\n- 'it''s'\n- >-\n  a\n  b\n",
        ],
        .toml: [
            "[[a]]\nb.c = 1\n[[a]]\n[a.d]\ne = [1, {f = 2}]\n", "a = \"\"\"\n\\u00e9\\\n  x\"\"\"\"\nb = '''c'''\n",
            "d = 1979-05-27 07:32:00.5Z\nt = 07:32:00\ni = 0xff\nf = -1_0.5e+3\nn = nan\n",
        ],
        .env: ["export A='x\ny' # c\nB=\"\\n\\\"\"\nC=a b # d\nD=\nE=\\\\\n"],
        .properties: ["a.b : c\\\n   d\n! e\n\\u00e9=\\t\\\\\nf\ng=\n"],
    ]
}

/// Makes inputs out of a corpus: bytes changed, parts deleted, repeated, moved from one file to another, and signs put in.
private struct Mutator {
    private let corpus: [[UInt8]]
    private var random: SeededGenerator

    private static let words = [
        "\"", "'", "\\", "\n", "\r\n", "[", "]", "{", "}", "[[", "]]", ":", ": ", "=", ",", "#", "- ", "? ", "&a ",
        "*a", "<<: ",
        "!!str ", "!", "%TAG ", "---\n", "...\n", "|\n", ">-\n", "\"\"\"", "'''", "\\u", "\\ud83d", "\\U", "~", "~0",
        "~m", "/",
        ".", "0", "1e999", "-", "+", "_", "nan", "null", "true", "1979-05-27", "\u{FEFF}", "\u{0}", "\u{85}",
        "\u{2028}",
        "e\u{301}", "\t", "  ", "export ",
    ].map { Array($0.utf8) }

    init(corpus: [[UInt8]], seed: UInt64) {
        self.corpus = corpus
        random = SeededGenerator(seed: seed)
    }

    mutating func next() -> [UInt8] {
        var bytes = corpus.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &random) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let place = part(of: bytes)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes.replaceSubrange(place, with: [UInt8.random(in: 0...255, using: &random)])
        case 1: bytes.removeSubrange(place)
        case 2: bytes.insert(contentsOf: bytes[place], at: place.lowerBound)
        case 3:
            let other = corpus.randomElement(using: &random) ?? []
            bytes.replaceSubrange(place, with: other[part(of: other)])
        default:
            let word = Self.words.randomElement(using: &random) ?? []
            bytes.insert(contentsOf: word, at: place.lowerBound)
        }
    }

    /// Some bytes of it, mostly few.
    private mutating func part(of bytes: [UInt8]) -> Range<Int> {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let most = Bool.random(using: &random) ? 4 : 60
        return start..<min(bytes.count, start + Int.random(in: 0...most, using: &random))
    }
}
