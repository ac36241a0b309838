import DiscfgCore
import DiscfgEtcd
import NIOCore
import Synchronization

/// What `/v2/stats/store` tells: how often each operation was done, and refused, since this process began.
final class EtcdV2Counters: Sendable {
    private struct Counts {
        var success: [DirectoryAction: Int] = EtcdV2Counters.own
        var failure: [DirectoryAction: Int] = [:]
        var watchers = 0
    }

    /// What an etcd has done for itself by the time it answers: it makes itself known to its cluster.
    private static let own: [DirectoryAction: Int] = [.set: 2, .create: 1]

    private let counts = Mutex(Counts())

    /// Counts what came of a request.
    ///
    /// etcd counts some refusals as successes, and a create below a file as a failed set as well; so does this.
    func note(_ result: DirectoryResult, of action: DirectoryAction) {
        counts.withLock { counts in
            guard case .failure(let refusal) = result, !refusal.countsAsSuccess(of: action) else {
                counts.success[action, default: 0] += 1
                return
            }
            counts.failure[action, default: 0] += 1
            if action == .create, refusal.reason == .notADirectory { counts.failure[.set, default: 0] += 1 }
        }
    }

    /// Counts a watcher that begins, or with -1 one that ends.
    func noteWatcher(_ change: Int) { counts.withLock { $0.watchers += change } }

    /// The counters as JSON.
    func json(expirations: Int) -> ByteBuffer {
        let counts = counts.withLock { $0 }
        var members: [(String, Int)] = []
        let names: [(DirectoryAction, String)] = [
            (.get, "gets"), (.set, "sets"), (.delete, "delete"), (.update, "update"), (.create, "create"),
            (.compareAndSwap, "compareAndSwap"), (.compareAndDelete, "compareAndDelete"),
        ]
        for (action, name) in names {
            members += [
                (name + "Success", counts.success[action] ?? 0), (name + "Fail", counts.failure[action] ?? 0),
            ]
        }
        members += [("expireCount", expirations), ("watchers", counts.watchers)]
        return ByteBuffer(string: "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}")
    }
}

extension DirectoryRefusal {
    /// Source: etcd 3.4, `etcdserver/api/v2store/store.go`, where a deferred function does not see these errors.
    fileprivate func countsAsSuccess(of action: DirectoryAction) -> Bool {
        switch (action, reason) {
        case (.update, .rootIsReadOnly), (.update, .notAFile), (.compareAndSwap, .rootIsReadOnly),
            (.delete, .rootIsReadOnly), (.compareAndDelete, .notAFile), (.compareAndDelete, .compareFailed):
            true
        default: false
        }
    }
}
