import AWSClient
import AWSTestSupport
import DiscfgCore
import DiscfgDynamoDB
import Foundation
import Logging
import Subprocess
import SystemPackage

/// Measures commits on one config in DynamoDB's stand-in, and counts what they cost.
///
/// `dynamodb-benchmark` prints the tables of docs/benchmarks.md; `dynamodb-benchmark worker …` is one of its processes.
@main
struct Benchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "worker" {
            let words = Array(arguments.dropFirst())
            return try await Writer(endpoint: words[0], table: words[1]).commits(Int(words[2]) ?? 0, by: words[3])
        }
        if let reason = Ministack.skipReason { return print("skipped: \(reason)") }
        let ministack = try await Ministack.shared()
        try await processes(on: ministack.url)
        try await groupCommit(on: ministack.url)
        try await operations(on: ministack.url)
    }

    /// Eight processes that know nothing of each other, with 50 commits each.
    static func processes(on endpoint: String) async throws {
        let writer = try Writer(endpoint: endpoint, table: "processes")
        try await writer.prepare()
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let result = try await run(
                        .path(FilePath(CommandLine.arguments[0])),
                        arguments: ["worker", endpoint, "processes", "50", "\(number)"], output: .discarded,
                        error: .string(limit: 1 << 20))
                    if !result.terminationStatus.isSuccess { print("a process failed: \(result.standardError)") }
                }
            }
            try await group.waitForAll()
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let log = try await writer.service.changes(ChangesQuery(after: 1), in: .default).commits
        let isGapFree = log.map(\.revision) == Array(2...401)
        print("\n| 8 processes, 50 commits each | |\n| :-- | --: |")
        print("| revisions | \(log.count)\(isGapFree ? ", gap-free" : ", WITH GAPS") |")
        print("| commits/s | \(Int(400 / seconds)) |")
    }

    /// 64 clients of one process, whose commits are grouped, beside 64 that know nothing of each other.
    static func groupCommit(on endpoint: String) async throws {
        print("\n| 64 clients on one config | commits/s | requests a commit | write units a commit |")
        print("| :-- | --: | --: | --: |")
        var rates: [Double] = []
        for (name, isShared, each) in [("each for itself", false, 4), ("of one server process", true, 40)] {
            let table = isShared ? "shared" : "alone"
            let first = try Writer(endpoint: endpoint, table: table)
            try await first.prepare()
            let writers =
                isShared
                ? Array(repeating: first, count: 64)
                : try (0..<64).map { _ in
                    try Writer(endpoint: endpoint, table: table, ledger: first.ledger)
                }
            _ = first.ledger.take()
            let start = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, writer) in writers.enumerated() {
                    group.addTask { try await writer.commits(each, by: "\(number)") }
                }
                try await group.waitForAll()
            }
            let rate = Double(64 * each) / ((ContinuousClock.now - start) / .seconds(1))
            let cost = first.ledger.take()
            rates.append(rate)
            let commits = Double(64 * each)
            print(
                "| \(name) | \(Int(rate)) | \(text(Double(cost.requests) / commits)) | \(text(cost.units / commits)) |")
        }
        print("\nGrouped commits are \(text(rates[1] / rates[0]))× as many; at least 3× is wanted.")
    }

    /// What single operations take, one after the other.
    static func operations(on endpoint: String) async throws {
        let writer = try Writer(endpoint: endpoint, table: "operations")
        try await writer.prepare()
        try await writer.commits(20, by: "warm")
        let key = try Key(path: "/warm")
        let service = writer.service
        let reader = try Writer(endpoint: endpoint, table: "operations", ledger: writer.ledger).service
        let measured: [(String, @Sendable () async throws -> Void)] = [
            ("set, warm", { try await writer.commits(1, by: "warm") }),
            ("get, eventual", { _ = try await reader.get(key, in: .default) }),
            ("get, consistent", { _ = try await service.get(key, in: .default, at: nil, consistency: .strong) }),
            ("list", { _ = try await reader.list(ListQuery(), in: .default) }),
            (
                "set, first of a process",
                { try await Writer(endpoint: endpoint, table: "operations", ledger: writer.ledger).commits(1, by: "x") }
            ),
        ]
        print("\n| operation | median ms | requests | units |\n| :-- | --: | --: | --: |")
        for (name, operation) in measured {
            var times: [Double] = []
            _ = writer.ledger.take()
            for _ in 0..<50 {
                let start = ContinuousClock.now
                try await operation()
                times.append((ContinuousClock.now - start) / .milliseconds(1))
            }
            let cost = writer.ledger.take()
            print(
                "| \(name) | \(text(times.sorted()[25])) | \(text(Double(cost.requests) / 50)) | \(text(cost.units / 50)) |"
            )
        }
    }

    private static func text(_ number: Double) -> String { String(format: "%.2f", number) }
}
