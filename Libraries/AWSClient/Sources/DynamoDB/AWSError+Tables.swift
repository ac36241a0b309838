extension AWSError {
    /// What is wrong with a table, or with the access to it.
    package enum TableProblem: Sendable {
        case absent
        /// The table's key has other attributes than the request, or of other types.
        case otherKey
        case absentIndex
        case denied
    }

    /// What is wrong with the table; `nil` for all other errors.
    package var tableProblem: TableProblem? {
        switch code {
        case .resourceNotFound: return .absent
        case .accessDenied: return .denied
        case .validation, .transactionCanceled: break
        default: return nil
        }
        // DynamoDB has one code for all that is wrong in a request.
        let messages = [message] + cancellationReasons.compactMap(\.message)
        if messages.contains(where: { $0.contains("does not have the specified index") }) { return .absentIndex }
        let aboutKeys = [
            "does not match the schema", "Missing the key", "Type mismatch for key", "missed key schema element",
            "key condition not supported",
        ]
        return messages.contains { message in aboutKeys.contains { message.contains($0) } } ? .otherKey : nil
    }

    /// The error with its operation and tables, if it does not have them yet.
    package func naming(_ operation: String, _ tables: [String]) -> AWSError {
        var error = self
        error.operation = error.operation ?? operation
        if error.tables.isEmpty { error.tables = tables }
        return error
    }

    /// Adds a hint what to do about the table; `place` is where the request went, such as `eu-west-1 (https://…)`.
    func advising(at place: @autoclosure () -> String) -> AWSError {
        guard hint == nil, let tableProblem else { return self }
        var error = self
        let isOne = tables.count == 1
        error.hint =
            switch tableProblem {
            case .absent:
                "There is no such table in the credentials' account in \(place())"
                    + (isOne ? "." : ", or it lacks one of the tables.")
            case .otherKey: "Compare the request's key with that of the table, by DescribeTable: names and types."
            case .absentIndex: "Compare the name with the indexes of the table, by DescribeTable."
            case .denied: "Allow that action on that resource in the policy of the role or user."
            }
        return error
    }
}
