/// Looks for an order of a history's operations that respects real time and that a sequential model explains.
///
/// The search is that of Wing and Gong, with Lowe's memory of the configurations (which operations were placed, and the
/// state they led to) that are known to lead nowhere. Its worst case is exponential, so it is bounded. Histories of several
/// objects are checked object by object: a history is linearizable if and only if each object's part of it is.
///
/// Sources: J. M. Wing, C. Gong, "Testing and Verifying Concurrent Objects", 1993; G. Lowe, "Testing for Linearizability",
/// 2017; A. Horn, D. Kroening, "Faster Linearizability Checking via P-Compositionality", 2015.
package struct LinearizabilityCheck<Model: SequentialModel> {
    package typealias Entry = HistoryEntry<Model.Input, Model.Output>

    package enum Verdict: Sendable, Hashable {
        case linearizable
        /// No order explains the history; the entries that the longest attempt could not place, by their indices.
        case violation(unplaced: [Int])
        /// The bound was reached first.
        case undecided
    }

    private let model: Model
    private let maximumSteps: Int

    /// A check against a model; it gives up after a number of steps.
    package init(_ model: Model, maximumSteps: Int = 1_000_000) {
        self.model = model
        self.maximumSteps = maximumSteps
    }

    /// The verdict on each object's part of a history.
    package func verdicts<Object: Hashable>(
        on history: [Entry], by object: (Entry) -> Object
    ) -> [Object: Verdict] {
        Dictionary(grouping: history, by: object).mapValues { verdict(on: $0) }
    }

    /// The verdict on the history of one object.
    package func verdict(on history: [Entry]) -> Verdict {
        var search = Search(history, in: model)
        return search.run(maximumSteps: maximumSteps)
    }

    /// A set of small numbers.
    private struct Placed: Hashable {
        private var words: [UInt64]

        init(count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

        mutating func flip(_ index: Int) { words[index / 64] ^= 1 << UInt64(index % 64) }
        func contains(_ index: Int) -> Bool { words[index / 64] & (1 << UInt64(index % 64)) != 0 }
    }

    private struct Configuration: Hashable {
        var placed: Placed
        var state: Model.State
    }

    private struct Search {
        /// A call or an answer in a doubly linked list, in the order of time; the last is the list's end.
        private struct Event {
            var operation: Int
            var isCall: Bool
            var next: Int
            var previous: Int
        }

        private let history: [Entry]
        private let model: Model
        private var events: [Event] = []
        private var answerOf: [Int?]
        private var state: Model.State
        private var placed: Placed
        private var steps: [(event: Int, before: Model.State)] = []
        private var seen: Set<Configuration> = []
        /// How many operations that were answered have no place yet.
        private var open: Int
        private var best: (open: Int, placed: Placed)

        init(_ history: [Entry], in model: Model) {
            (self.history, self.model) = (history, model)
            state = model.initial
            placed = Placed(count: history.count)
            open = history.count { $0.answer != nil }
            best = (open, placed)
            answerOf = Array(repeating: nil, count: history.count)
            var moments: [(time: Int, isCall: Bool, operation: Int)] = []
            for (index, entry) in history.enumerated() {
                moments.append((entry.call, true, index))
                if let answer = entry.answer { moments.append((answer, false, index)) }
            }
            // Calls first where both are at the same time: the two operations are concurrent.
            moments.sort { ($0.time, $0.isCall ? 0 : 1, $0.operation) < ($1.time, $1.isCall ? 0 : 1, $1.operation) }
            // The first event is the list's head, and before all others.
            events.append(Event(operation: -1, isCall: false, next: 1, previous: 0))
            for moment in moments {
                if !moment.isCall { answerOf[moment.operation] = events.count }
                events.append(
                    Event(
                        operation: moment.operation, isCall: moment.isCall, next: events.count + 1,
                        previous: events.count - 1))
            }
            events.append(Event(operation: -1, isCall: false, next: events.count, previous: events.count - 1))
        }

        mutating func run(maximumSteps: Int) -> Verdict {
            var count = 0
            var current = events[0].next
            while open > 0 {
                count += 1
                if count > maximumSteps { return .undecided }
                if events[current].isCall, place(current) {
                    current = events[0].next
                } else if events[current].isCall {
                    current = events[current].next
                } else {
                    // What was answered by now must have had its place.
                    guard let last = steps.popLast() else {
                        let best = best.placed
                        return .violation(unplaced: history.indices.filter { !best.contains($0) })
                    }
                    takeBack(last.event, to: last.before)
                    current = events[last.event].next
                }
            }
            return .linearizable
        }

        private mutating func place(_ event: Int) -> Bool {
            let operation = events[event].operation
            let entry = history[operation]
            guard let next = model.apply(entry.input, answering: entry.output, to: state) else { return false }
            placed.flip(operation)
            guard seen.insert(Configuration(placed: placed, state: next)).inserted else {
                placed.flip(operation)
                return false
            }
            steps.append((event, state))
            state = next
            unlink(event)
            if let answer = answerOf[operation] {
                unlink(answer)
                open -= 1
            }
            if open < best.open { best = (open, placed) }
            return true
        }

        private mutating func takeBack(_ event: Int, to before: Model.State) {
            let operation = events[event].operation
            state = before
            placed.flip(operation)
            if let answer = answerOf[operation] {
                link(answer)
                open += 1
            }
            link(event)
        }

        private mutating func unlink(_ event: Int) {
            events[events[event].previous].next = events[event].next
            events[events[event].next].previous = events[event].previous
        }

        private mutating func link(_ event: Int) {
            events[events[event].previous].next = event
            events[events[event].next].previous = event
        }
    }
}
