import AWSClient
import DiscfgClient
import DiscfgCore
import DiscfgDynamoDB
import DiscfgNotifications
import DiscfgRemote
import DiscfgSQLite
import Logging
import Metrics

/// A kind of store: how its URL is written, and how a store of it is opened and administered.
///
/// `all` is the one table of them. A kind of store is added by a line there and a `StoreLocation`.
struct StoreKind: Sendable {
    /// The schemes of its URLs, in lower case.
    let schemes: [String]
    /// The form of its URLs, for people.
    let form: String
    /// Reads a URL with one of the schemes.
    let read: @Sendable (StoreURL.Text) throws(DiscfgError) -> any StoreLocation

    static let all = [
        StoreKind(schemes: ["sqlite"], form: "sqlite:PATH") { text throws(DiscfgError) in try SQLiteLocation(text) },
        StoreKind(schemes: ["dynamodb"], form: "dynamodb:TABLE") { text throws(DiscfgError) in
            TableLocation(address: try DynamoDBAddress(text.rest, of: text.whole))
        },
        StoreKind(schemes: ["http", "https"], form: "http://HOST:PORT") { text throws(DiscfgError) in
            try ServerLocation(text)
        },
        StoreKind(schemes: ["memory"], form: "memory:") { text throws(DiscfgError) in try MemoryLocation(text) },
    ]

    /// The forms of all URLs, for hints.
    static var forms: String {
        "There are " + all.dropLast().map(\.form).joined(separator: ", ") + " and \(all.last?.form ?? "")."
    }
}

/// The place of one store.
protocol StoreLocation: Sendable, CustomStringConvertible {
    /// Whether a command that only reads finds something; `false` if opening would create an empty store.
    var hasContents: Bool { get }
    /// What kind of store it is, for people.
    var kind: String { get }
    /// Whether commands give the store properties and destroy it: a table.
    var isTable: Bool { get }

    /// Opens the store.
    func open(_ opening: StoreOpening) throws -> OpenedStore
}

extension StoreLocation {
    var hasContents: Bool { true }
    var isTable: Bool { false }
}

/// What a store is opened with.
struct StoreOpening: Sendable {
    let settings: Settings
    let metrics: any MetricsFactory
    /// Whether this process keeps configs in memory.
    let hasViews: Bool
    let logger: Logger
}

/// A store that was opened.
enum OpenedStore: Sendable {
    /// An engine in this process.
    case engine(OpenedEngine)
    /// A store of another process, with its notifications.
    case remote(OpenedServer)
}

/// An engine in this process, with what belongs to it.
struct OpenedEngine: Sendable {
    let engine: any StorageEngine
    /// What an operator does with the store; `nil` for memory.
    var administration: (any StoreAdministration)?
    /// The time by which the contents of the store end.
    var time = TimeSource.system
    /// The clients of AWS for targets of notifications.
    let clients: AWSClients
    var close: @Sendable () async throws -> Void = {}
}

/// A server, whose store other processes use as well.
struct OpenedServer: Sendable {
    let store: RemoteConfigStore
    /// The server as an engine; `nil` if each call is passed on to it.
    let engine: RemoteEngine?
    let close: @Sendable () async throws -> Void
}

/// A file of SQLite.
struct SQLiteLocation: StoreLocation {
    let path: String

    var description: String { "sqlite:\(path)" }
    var kind: String { "a SQLite file" }
    var hasContents: Bool { LocalFile.exists(path) }

    func open(_ opening: StoreOpening) throws -> OpenedStore {
        try Descriptor.checkFree(Descriptor.neededForFile, or: "The store cannot be opened")
        let engine = try SQLiteEngine(path: path, logger: opening.logger)
        return .engine(OpenedEngine(engine: engine, administration: engine, clients: AWSClients(opening)))
    }
}

/// A table of DynamoDB.
struct TableLocation: StoreLocation {
    let address: DynamoDBAddress

    var description: String { address.url }
    var kind: String { "a DynamoDB table" }
    var isTable: Bool { true }

    func open(_ opening: StoreOpening) throws -> OpenedStore {
        try Descriptor.checkFree(Descriptor.neededForNetwork, or: "The store cannot be reached")
        let clock = ClockCheck(metrics: opening.metrics, logger: opening.logger)
        let clients = AWSClients(opening, address: address, clock: clock)
        let client = try clients.client()
        let units = Counter(label: "discfg_dynamodb_units_total", dimensions: [], factory: opening.metrics)
        let engine = DynamoDBEngine(
            table: address.table, client: client,
            options: .init(
                meter: { units.increment(by: Int64((($0.capacityUnits ?? 0) * 2).rounded())) },
                progress: { if Descriptor.error.isTerminal { Output.note($0) } },
                time: clock.time))
        return .engine(
            OpenedEngine(engine: engine, administration: engine, time: clock.time, clients: clients) {
                try await client.shutdown()
            })
    }
}

/// The address of a discfg server.
struct ServerLocation: StoreLocation {
    let url: String

    var description: String { url }
    var kind: String { "a discfg server" }

    func open(_ opening: StoreOpening) throws -> OpenedStore {
        try Descriptor.checkFree(Descriptor.neededForNetwork, or: "The store cannot be reached")
        let settings = opening.settings
        let authorization = try ServerAuthorization(
            of: url, environment: settings.environment, logger: opening.logger)
        let remote = try RemoteConfigStore(
            url: url, author: settings.author, authorize: authorization?.fields, logger: opening.logger)
        // A process without views passes each call on: that is one request, and needs no engine at the server.
        let engine =
            try opening.hasViews
            ? RemoteEngine(url: url, authorize: authorization?.fields, logger: opening.logger) : nil
        return .remote(
            OpenedServer(store: remote, engine: engine) {
                try await engine?.shutdown()
                try await remote.shutdown()
                try await authorization?.shutdown()
            })
    }
}

/// The memory of this process: the store is gone when the process ends.
struct MemoryLocation: StoreLocation {
    var description: String { "memory:" }
    var kind: String { "the memory of a process" }
    var hasContents: Bool { false }

    func open(_ opening: StoreOpening) throws -> OpenedStore {
        .engine(OpenedEngine(engine: MemoryEngine(), clients: AWSClients(opening)))
    }
}
