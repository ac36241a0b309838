#if EtcdGRPC
import DiscfgCore
import DiscfgEtcd
import GRPCServing
import SwiftProtobuf

extension EtcdCalls {
    /// etcd's `Watch` service.
    var watch: Methods {
        stream("etcdserverpb.Watch/Watch") {
            (service, requests: EtcdRequests<Etcdserverpb_WatchRequest>, responses) in
            let watches = WatchStream(service)
            defer { watches.close() }
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                // A client that has nothing more to ask is still told what happens.
                tasks.addTask {
                    // Not faster than it can be answered.
                    try await requests.forEach { message in
                        if let request = try WatchRequest(message) { await watches.receive(request) }
                    }
                }
                // The next answers are asked for when these are on their way, so that a slow client holds up only itself.
                tasks.addTask {
                    while let answers = try await watches.next() {
                        // The events, and the messages that are made of them.
                        let weight = answers.reduce(0) { $0 + 2 * $1.weight }
                        guard let hold = memory.hold(part: weight) else { throw EtcdError.streamWithoutMemory }
                        defer { hold.release() }
                        try await responses.write(answers.map { Etcdserverpb_WatchResponse($0) })
                    }
                }
                // Not `waitForAll`, which would wait for the rest when one has failed.
                while try await tasks.next() != nil {}
            }
        }
    }
}
#endif
