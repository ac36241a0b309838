import Foundation
import Testing

/// The README's tour, run word for word in one shell.
@Suite("Tour", .serialized)
struct TourTests {
    /// A command of the tour and what the README says it prints; `…` stands for what differs from run to run.
    struct Step: Sendable {
        let command: String
        let output: String
    }

    static func steps() throws -> [Step] {
        let readme = try String(contentsOf: Sandbox.checkout.appending(path: "README.md"), encoding: .utf8)
        var steps: [Step] = []
        for block in readme.components(separatedBy: "```console\n").dropFirst() {
            let lines = block.components(separatedBy: "\n```")[0].components(separatedBy: "\n")
            for line in lines {
                if line.hasPrefix("$ ") {
                    steps.append(Step(command: String(line.dropFirst(2)), output: ""))
                } else if let last = steps.popLast() {
                    let isContinued = last.command.hasSuffix("\\") && last.output.isEmpty
                    steps.append(
                        isContinued
                            ? Step(command: last.command + "\n" + line, output: "")
                            : Step(command: last.command, output: last.output + line + "\n"))
                }
            }
        }
        return steps
    }

    /// Where the tour keeps its configs when it is run as it stands.
    static let store = "sqlite:tour.db"

    @Test("Every command of the README's tour prints what the README says")
    func tour() async throws {
        try await Sandbox.with { try await run(in: $0, store: Self.store) }
    }

    @Test("The tour is the same on DynamoDB, with one variable changed", DynamoDBStore.isAvailable)
    func tourOnDynamoDB() async throws {
        try await DynamoDBStore.with { sandbox in try await run(in: sandbox, store: sandbox.store) }
    }

    private func run(in sandbox: Sandbox, store: String) async throws {
        let steps = try Self.steps().map { step in
            let command = step.command.replacing("=" + Self.store, with: "='\(store)'")
            return Step(command: command, output: step.output.replacing(Self.store, with: store))
        }
        #expect(steps.count > 15 && steps.contains { $0.command.contains(store) })
        // One shell for all, as the reader has; standard error is shown where it belongs.
        let marker = "--8<-- \(UUID().uuidString)"
        let script =
            "exec 2>&1\nunset DISCFG_STORE\nset +e\n" + steps.map { "\($0.command)\necho '\(marker)'\n" }.joined()
            + "kill $(jobs -p) 2>/dev/null\nwait\n"
        let outputs = try await sandbox.bash(script).output.components(separatedBy: marker + "\n")
        for (step, output) in zip(steps, outputs) {
            #expect(
                Self.matches(output, step.output),
                "$ \(step.command)\n\(output)\n— where the README has —\n\(step.output)")
        }
    }

    /// Whether the output is what the README shows, where `…` stands for anything within a line.
    static func matches(_ output: String, _ pattern: String) -> Bool {
        let (lines, patterns) = (output.components(separatedBy: "\n"), pattern.components(separatedBy: "\n"))
        return lines.count == patterns.count
            && zip(lines, patterns).allSatisfy { line, pattern in
                let parts = pattern.components(separatedBy: "…").map(NSRegularExpression.escapedPattern(for:))
                return line.range(of: "^\(parts.joined(separator: ".*"))$", options: .regularExpression) != nil
            }
    }

    @Test("No key of the tour expires while somebody reads it, which would be one commit more")
    func expiries() throws {
        let commands = try Self.steps().map(\.command)
        #expect(commands.contains { $0.contains("--ttl ") })
        for command in commands { #expect(!command.contains(/--ttl +[0-9]+s/), "\(command)") }
    }

    @Test("The comparison would notice a difference")
    func matcher() {
        #expect(Self.matches("a 12 b\n", "a … b\n"))
        #expect(!Self.matches("a 12 c\n", "a … b\n"))
        #expect(!Self.matches("a\nb\n", "a\n"))
        #expect(!Self.matches("axb\n", "a.b\n"))
    }
}
