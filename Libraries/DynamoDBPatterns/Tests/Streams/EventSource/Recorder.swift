import AWSClient
import Foundation
import Synchronization

@testable import DynamoDBPatterns

/// A function that remembers the batches that it got, and answers as it is told; and a clock that stands still.
final class Recorder: Sendable {
    private struct State {
        var batches: [[Int]] = []
        var keys: [Int: String] = [:]
        var messages: [[UInt8]] = []
        var now = Date(timeIntervalSince1970: 1_700_000_000)
        var random: UInt64 = 0
    }

    private let state = Mutex(State())

    /// The sequence numbers of each delivery.
    var batches: [[Int]] { state.withLock { $0.batches } }
    var messages: [[UInt8]] { state.withLock { $0.messages } }
    /// The key of each record that was delivered.
    var keys: [Int: String] { state.withLock { $0.keys } }
    /// The records in the order in which they came for the first time.
    var firsts: [Int] {
        var seen: Set<Int> = []
        return batches.flatMap { $0 }.filter { seen.insert($0).inserted }
    }

    /// Remembers a delivery.
    func take(_ event: [UInt8]) throws -> [Int] {
        let records = try DynamoDBStreams.records(ofLambdaEvent: event)
        let numbers = records.compactMap { $0.change?.sequenceNumber.flatMap { Int($0) } }
        state.withLock { state in
            state.batches.append(numbers)
            for (number, record) in zip(numbers, records) { state.keys[number] = record.change?.keys?["pk"]?.string }
        }
        return numbers
    }

    func takeMessage(_ message: [UInt8]) { state.withLock { $0.messages.append(message) } }

    func advance(_ seconds: Double) { state.withLock { $0.now += seconds } }

    /// Sleeping moves the time on.
    var clock: PatternClock {
        PatternClock(
            now: { self.state.withLock { $0.now } },
            sleep: { self.advance(Double($0.milliseconds) / 1000) },
            random: {
                self.state.withLock { state in
                    state.random &+= 0x9E37_79B9_7F4A_7C15
                    var mixed = state.random
                    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
                    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
                    return mixed ^ (mixed >> 31)
                }
            })
    }

    /// A runner whose function does with the sequence numbers of a batch as it is told.
    func runner(
        _ mapping: EventSourceMapping, _ stream: ScriptedStream, faults: EventSourceRunner.Faults = .init(),
        _ body: @escaping @Sendable ([Int]) throws -> String = { _ in "" }
    ) -> EventSourceRunner {
        EventSourceRunner(
            mapping, of: ScriptedStream.arn, in: stream, clock: clock, faults: faults,
            onFailure: { self.takeMessage($0) },
            function: { Array(try body(try self.take($0)).utf8) })
    }

    /// What a function answers that stopped at a record.
    static func failed(_ numbers: Int...) -> String {
        let items = numbers.map { #"{"itemIdentifier":"\#($0)"}"# }.joined(separator: ",")
        return #"{"batchItemFailures":[\#(items)]}"#
    }
}

/// What a function throws.
struct FunctionFailed: Error {}
