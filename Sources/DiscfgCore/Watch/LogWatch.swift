/// Gets word from a `LogFollower` of the commits that concern its watches.
///
/// The calls hand over no commits: the receiver reads them when it wants them, from its own position. They come one after
/// another for each watch, in the order of the revisions, and must return soon.
package protocol LogWatch: AnyObject, Sendable {
    /// A commit concerns a watch.
    ///
    /// - Parameters:
    ///   - watch: The number that `LogFollower.add` has returned.
    ///   - after: No commit between those of earlier calls and this revision concerns the watch.
    ///   - through: The last revision of the log that is known to concern it.
    func mark(_ watch: Int, after: Revision, through: Revision)

    /// The log of a watch has ended or cannot be followed; the watch gets no other call.
    func fail(_ watch: Int, _ error: any Error)

    /// A revision that was asked for with `LogFollower.callBack` was announced, or will not be.
    func wake()
}

/// What is known of one watcher: never more than this, however far behind its reader is.
struct Watcher: Sendable {
    enum Listener: Sendable {
        /// A call that waits for one commit, until a moment.
        case call(CheckedContinuation<Revision, any Error>, deadline: ContinuousClock.Instant)
        /// A watch that stays until it is removed.
        case watch(any LogWatch)
    }

    let selection: KeySelection
    /// The incarnation that it follows; empty if it does not say.
    let log: String
    /// Commits up to this revision do not concern it.
    let position: Revision
    let listener: Listener
}

/// What a watcher is to be told; its `deliver` is called without a lock.
struct Notice: Sendable {
    enum Content: Sendable {
        /// Commits concern the watcher: the first and the last of them.
        case commits(first: Revision, last: Revision)
        /// No commit up to this revision concerns it, and its time is over.
        case nothing(through: Revision)
        case failure(any Error)
    }

    let id: Int
    let watcher: Watcher
    let content: Content

    func deliver() {
        switch (watcher.listener, content) {
        case (.call(let continuation, _), .commits(let first, _)): continuation.resume(returning: first - 1)
        case (.call(let continuation, _), .nothing(let revision)): continuation.resume(returning: revision)
        case (.call(let continuation, _), .failure(let error)): continuation.resume(throwing: error)
        case (.watch(let watch), .commits(let first, let last)): watch.mark(id, after: first - 1, through: last)
        case (.watch(let watch), .failure(let error)): watch.fail(id, error)
        case (.watch, .nothing): break
        }
    }
}
