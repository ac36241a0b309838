#if EtcdGRPC
import DiscfgCore
package import DiscfgEtcd
package import GRPCServing
package import Logging
import NIOCore

extension GRPCConnections {
    /// Serves etcd's v3 API, for the config of the API and for any other that a call's metadata names.
    ///
    /// When a connection gets `ChannelShouldQuiesceEvent`, calls under way are answered, and streams (watch, keepalive,
    /// observe) and calls that wait (lock, campaign) end with etcd's "server stopped", upon which clients of etcd connect
    /// again. What has not ended when the limit `drain` is over is cut off.
    ///
    /// - Parameters:
    ///   - api: What the calls are answered by.
    ///   - limits: How much a client may ask.
    ///   - logger: Where calls that fail inside the server are noted.
    package convenience init(etcd api: EtcdAPI, limits: EtcdGRPCLimits = EtcdGRPCLimits(), logger: Logger) {
        let requests = limits.requests
        var options = GRPCOptions(requests: CallMemory(of: requests.bodies), answers: CallMemory(of: requests.answers))
        options.callsPerConnection = limits.callsPerConnection
        options.pace = { TimeAmount(requests.pace.patience(after: $0)) }
        options.readingPatience = TimeAmount(requests.readingPatience)
        options.drain = TimeAmount(limits.drain)
        options.overloaded = GRPCStatus(EtcdError.tooManyRequests)
        options.stopped = GRPCStatus(EtcdError.stopped)
        options.status = ErrorAnswers(logger: logger).answer(to:of:)
        self.init(
            methods: EtcdCalls(api: api, messageBytes: limits.requestBytes, memory: requests.answers).methods,
            options: options)
    }
}

/// What the calls of a server hold of a budget that others share.
private struct CallMemory: GRPCMemory {
    private let budget: MemoryBudget
    private let hold: MemoryHold

    init(of budget: MemoryBudget) { (self.budget, hold) = (budget, MemoryHold(of: budget)) }

    var isExhausted: Bool { budget.isExhausted }
    func take(_ bytes: Int) -> Bool { hold.take(bytes) }
    func overdraw(_ bytes: Int) { hold.overdraw(bytes) }
    func giveBack(_ bytes: Int) { hold.giveBack(bytes) }
}
#endif
