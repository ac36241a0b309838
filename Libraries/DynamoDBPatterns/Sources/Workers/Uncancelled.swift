/// Where work goes on that the cancellation of its caller does not reach.
package enum Uncancelled {
    /// The executor of that work; `nil` for the default one.
    ///
    /// A simulation sets its own.
    @TaskLocal package static var executor: (any TaskExecutor)?
}

/// Does something to its end, also if the caller's task is cancelled.
///
/// It is for writes that take or give back what others wait for: a request of a cancelled task is cancelled, too, and
/// a claim that is cancelled half-way may have been carried out.
@discardableResult
func uncancelled<Value: Sendable>(_ work: sending @escaping () async throws -> Value) async throws -> Value {
    try await Task(executorPreference: Uncancelled.executor, operation: work).value
}
