import AWSClient

/// What a function's answer says of a batch, as Lambda reads it.
enum BatchAnswer: Equatable {
    case success
    /// The records before this one succeeded; this one is the first that did not.
    case failure(from: Int)

    /// All of the batch failed.
    static let totalFailure = BatchAnswer.failure(from: 0)

    /// Reads an answer to a batch.
    ///
    /// Nothing, `null`, `{}` and no or an empty list of failures are a success. What is no such answer, an identifier
    /// that is missing, empty or not of this batch, is a total failure.
    ///
    /// - Parameters:
    ///   - answer: What the function answered.
    ///   - sequences: The sequence numbers of the batch, in order.
    init(_ answer: [UInt8], to sequences: [String]) {
        guard !answer.isEmpty else {
            self = .success
            return
        }
        guard let answer = try? JSONReader.value(of: answer) else {
            self = .totalFailure
            return
        }
        switch answer {
        case .null, .string(""): self = .success
        case .map(let members): self = Self(failures: members["batchItemFailures"] ?? .null, of: sequences)
        default: self = .totalFailure
        }
    }

    private init(failures: AttributeValue, of sequences: [String]) {
        guard failures != .null, failures != .list([]) else {
            self = .success
            return
        }
        let identifiers = failures.list?.map { $0.map?["itemIdentifier"]?.string } ?? [nil]
        let indices = identifiers.map { identifier in sequences.firstIndex { $0 == identifier } }
        self = indices.contains(nil) ? .totalFailure : .failure(from: indices.compactMap(\.self).min() ?? 0)
    }
}
