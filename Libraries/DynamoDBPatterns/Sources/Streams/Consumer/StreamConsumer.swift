import AWSClient
import Logging
public import ServiceLifecycle

/// A worker that reads a DynamoDB stream and hands it to a `StreamProcessor`; any number of them share the shards.
///
/// Each shard belongs to one worker at a time, by a lease in a `PatternTable`, which also holds how far the shard is
/// read. A shard is read after its parent's end. Every checkpoint is written under the lease's fence: a worker that was
/// given up for dead can move none. Its handler may be called for records that another one handles by then; see
/// `StreamProcessor` for what handlers can rely on.
///
///     let consumer = StreamConsumer(processor, of: streamARN, in: DynamoDBStreams(client), leases: table)
///     try await consumer.run()
///
/// Failures that may pass (throttling, a lost connection) are waited out; others are thrown.
public actor StreamConsumer: Service {
    /// The stream's ARN.
    public nonisolated let stream: String
    /// What this worker is called in leases.
    public nonisolated let worker: String
    let processor: any RecordHandling
    let api: any StreamsAPI
    let leases: LeaseStore
    let options: Options
    let clock: PatternClock
    let logger: Logger

    /// The shards that belong to this worker.
    var owned: [String: OwnedShard] = [:]
    /// The shards that DynamoDB listed last.
    var listed: [String: Shard] = [:]
    /// The consumer's beginning, once it is known.
    var beginning: LeaseStore.Beginning?
    var discoveryDue: Int64 = 0
    var discoveryFailures = 0
    /// Until when the other workers count on this one.
    var presentUntil: Int64 = 0
    private var isStepping = false
    private var isRunning = false

    /// A worker; nothing is asked yet.
    ///
    /// - Parameters:
    ///   - processor: What handles the changes; its name is the leases', too: workers with one name share the shards.
    ///   - stream: The stream's ARN.
    ///   - api: DynamoDB's streams, or what stands in for them.
    ///   - table: Where the leases are; it may be the one whose stream is read.
    ///   - options: How to read.
    public init<Item>(
        _ processor: StreamProcessor<Item>, of stream: String, in api: any StreamsAPI, leases table: PatternTable,
        options: Options = Options()
    ) {
        self.processor = processor
        self.stream = stream
        self.api = api
        self.options = options
        clock = table.clock
        logger = processor.logger
        worker = options.worker ?? table.clock.token()
        leases = LeaseStore(table: table, name: processor.name, stream: stream, worker: worker, options: options)
    }

    /// The shards that belong to this worker now.
    public var shardIDs: [String] { owned.keys.sorted() }

    /// Makes one pass: looks for shards where that is due, takes what is this worker's share, and handles one batch of
    /// each.
    ///
    /// Costs, besides the leases' (see the article on streams), one request for each shard.
    ///
    /// - Returns: How many records are done; with 0, there was nothing to read, or failures are waited out.
    /// - Throws: `AWSError` for what will not pass by itself, and `CancellationError`.
    @discardableResult
    public func step() async throws -> Int { try await pass(skippingIdle: false) }

    /// Reads until it has to stop, then gives the leases up, with what is done.
    ///
    /// It begins no record after its service group began to shut down gracefully. The record at work may be handled, and
    /// its handler is cancelled when `Options.patience` is over; if the task is cancelled, at once. A handler that throws
    /// because of that has not failed: another worker handles the record at once.
    ///
    /// - Throws: What `step()` throws, which ends a service group; never `CancellationError`.
    public func run() async throws {
        guard !isRunning else { throw PatternError(.invalidArgument, "This consumer is running already.") }
        isRunning = true
        defer { isRunning = false }
        var failure: (any Error)?
        do {
            try await clock.untilStopped(patience: options.patience) { try await self.readUntilStopped() }
        } catch {
            failure = error
        }
        try? await uncancelled { await self.release() }
        if let failure { throw failure }
    }

    /// Gives the leases up, with what is done, so that others need not wait until they run out.
    ///
    /// What cannot be written is left to run out.
    public func release() async {
        for id in owned.keys.sorted() {
            do { try await giveUp(id) } catch {
                logger.info("A shard's lease could not be given up", metadata: metadata(of: id))
            }
        }
        owned = [:]
        try? await leases.leave()
        presentUntil = 0
        discoveryDue = 0
    }

    private func readUntilStopped() async throws {
        do {
            while !WorkerStop.isAskedFor {
                if try await pass(skippingIdle: true) == 0 { try await clock.rest(pause()) }
            }
        } catch is CancellationError where WorkerStop.isAskedFor {}
    }

    private func pass(skippingIdle: Bool) async throws -> Int {
        guard !isStepping else { throw PatternError(.invalidArgument, "Another step of this consumer is under way.") }
        isStepping = true
        defer { isStepping = false }
        var handled = 0
        var visited: Set<String> = []
        // Children that are found at a shard's end have their turn in the same pass.
        while true {
            try Task.checkCancellation()
            try await discoverWhenDue()
            try await renewWhenDue()
            guard let id = owned.keys.filter({ !visited.contains($0) }).min() else { return handled }
            visited.insert(id)
            handled += try await visit(id, skippingIdle: skippingIdle)
        }
    }

    /// Until something is due.
    private func pause() -> Duration {
        let now = clock.milliseconds
        let next = owned.values.map { max($0.notBefore, $0.idleUntil) } + [discoveryDue] + owned.values.map(\.renewal)
        return .milliseconds(max(next.reduce(.max, min), now + 10) - now)
    }

    func metadata(of shardID: String) -> Logger.Metadata {
        ["consumer": "\(processor.name)", "shard": "\(shardID)", "worker": "\(worker)"]
    }
}
