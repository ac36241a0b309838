/// What an object does when its operations come one after the other: what a concurrent history is compared with.
package protocol SequentialModel: Sendable {
    associatedtype State: Hashable, Sendable
    associatedtype Input: Sendable
    associatedtype Output: Sendable

    /// The state before the first operation.
    var initial: State { get }

    /// The state after an operation, if the operation can answer so in this state.
    ///
    /// - Parameters:
    ///   - input: The operation.
    ///   - output: What was answered; `nil` if the answer is unknown, which fits every state.
    ///   - state: The state before it.
    /// - Returns: `nil` if the answer does not fit the state.
    func apply(_ input: Input, answering output: Output?, to state: State) -> State?
}

/// One operation of a history.
package struct HistoryEntry<Input: Sendable, Output: Sendable>: Sendable {
    package var input: Input
    /// `nil` if it is unknown whether the operation took effect.
    package var output: Output?
    /// When it was called: a number that grows with time.
    package var call: Int
    /// When it was answered; `nil` if it never was, so that it may take effect at any later time, or never.
    package var answer: Int?

    package init(_ input: Input, _ output: Output?, call: Int, answer: Int?) {
        self.input = input
        self.output = output
        self.call = call
        self.answer = output == nil ? nil : answer
    }
}

/// A register: read, write, compare and set.
package struct RegisterModel: SequentialModel {
    package enum Input: Sendable, Hashable {
        case read
        case write(String?)
        /// Writes the second value if the register holds the first.
        case replace(String?, with: String?)
    }

    package enum Output: Sendable, Hashable {
        case value(String?)
        case done
        /// The register holds this instead of what was expected.
        case refused(String?)
    }

    package let initial: String?

    package init(initial: String? = nil) { self.initial = initial }

    package func apply(_ input: Input, answering output: Output?, to state: String?) -> String?? {
        switch (input, output) {
        case (.read, .value(let value)): value == state ? .some(state) : nil
        case (.write(let value), .done), (.write(let value), nil): .some(value)
        case (.replace(let old, let new), .done): old == state ? .some(new) : nil
        case (.replace(let old, _), .refused(let found)): old != state && found == state ? .some(state) : nil
        case (.replace(let old, let new), nil): .some(old == state ? new : state)
        case (.read, nil): .some(state)
        default: nil
        }
    }
}

/// A lock, which one client at a time may hold.
package struct LockModel: SequentialModel {
    package enum Input: Sendable, Hashable {
        case acquire(String)
        case release(String)
    }

    package let initial: String? = nil

    package init() {}

    package func apply(_ input: Input, answering output: Bool?, to holder: String?) -> String?? {
        switch input {
        // A client that never heard that it has the lock may have it, or not.
        case .acquire(let client): holder == nil && output != false ? .some(client) : nil
        case .release(let client): holder == client ? .some(nil) : nil
        }
    }
}
