extension Array where Element: Sendable {
    /// What the body makes of each element, in their order; a few at a time.
    package func concurrently<Result: Sendable>(
        atMost width: Int, _ body: @escaping @Sendable (Element) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            var results: [Int: Result] = [:]
            for (index, element) in enumerated() {
                if index >= width, let done = try await group.next() { results[done.0] = done.1 }
                group.addTask { (index, try await body(element)) }
            }
            for try await (index, result) in group { results[index] = result }
            return indices.compactMap { results[$0] }
        }
    }
}
