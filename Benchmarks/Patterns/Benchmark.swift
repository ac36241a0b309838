import AWSTestSupport
import Foundation

/// Measures the patterns beside the naive ways to do the same: what they cost, how fast they are, and what goes wrong.
///
/// `patterns-benchmark` prints the tables of docs/benchmarks.md, and fails where a result of the library was wrong.
@main
struct Benchmark {
    /// Those of the patterns whose names begin with the argument; all where there is none.
    static let chosen = contestants.filter { $0.pattern.hasPrefix(CommandLine.arguments.dropFirst().first ?? "") }

    static func main() async throws {
        var mistakes = try await costs()
        if let reason = Ministack.skipReason {
            print("\nspeed skipped: \(reason)")
        } else {
            mistakes += try await speeds(on: try await Ministack.shared().url)
        }
        guard mistakes > 0 else { return }
        print("\nWRONG: \(mistakes) results of the library.")
        exit(1)
    }

    /// Prints what an event costs, and returns how many results of the library were wrong.
    static func costs() async throws -> Int {
        print("| pattern | way | cost of a | requests | write units | read units | invocations | without a filter |")
        print("| :-- | :-- | :-- | --: | --: | --: | --: | --: |")
        var mistakes = 0
        for contestant in chosen {
            let measured = try await contestant.costs()
            if !contestant.isNaive { mistakes += measured.mistakes }
            for cost in measured.costs {
                let numbers = [Double(cost.requests), cost.writeUnits, cost.readUnits]
                    .map { text($0 / Double(cost.events)) }
                let invocations = [cost.filtered, cost.unfiltered].map { $0.map(String.init) ?? "–" }
                row([contestant.pattern, cost.name, cost.event] + numbers + invocations)
            }
        }
        return mistakes
    }

    /// Prints how many events there are in a second, and returns how many results of the library were wrong.
    static func speeds(on endpoint: String) async throws -> Int {
        print(
            "\n| pattern | way | each comes | events/s, 1 worker | wrong | events/s, 8 workers | requests an event "
                + "| given up | wrong |\n| :-- | :-- | --: | --: | --: | --: | --: | --: | --: |")
        var mistakes = 0
        for contestant in chosen {
            let one = try await contestant.speed(workers: 1, on: endpoint)
            let eight = try await contestant.speed(workers: 8, on: endpoint)
            if !contestant.isNaive { mistakes += one.mistakes + eight.mistakes }
            row([
                contestant.pattern, contestant.way, contestant.deliveries == 1 ? "once" : "twice",
                "\(Int(one.eventsPerSecond))", "\(one.mistakes)", "\(Int(eight.eventsPerSecond))",
                text(eight.requestsPerEvent), "\(eight.givenUp)",
                "\(eight.mistakes) of \(contestant.results.count) \(contestant.results.of)",
            ])
        }
        return mistakes
    }

    /// Prints a row at once, also into a file: the whole takes minutes.
    private static func row(_ cells: [String]) {
        print("| \(cells.joined(separator: " | ")) |")
        fflush(nil)
    }

    private static func text(_ number: Double) -> String { String(format: "%.2f", number) }
}
