import ArgumentParser
import DiscfgCore
import DiscfgHTTP

/// `discfg serve`: answers HTTP for the store.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Answer requests for the store, REST and etcd's APIs, until stopped.",
        discussion: """
            The server listens on this machine only. It asks for no credentials yet, so another address \
            needs --insecure: every client that reaches it can then read and change everything.

              discfg serve
              discfg --store sqlite:team.db serve --listen 127.0.0.1:9000
              discfg --store dynamodb:discfg serve --poll-interval 100ms
              discfg serve --etcd-listen 127.0.0.1:2379

            etcd's v2 API, v3 JSON gateway and v3 gRPC API are on the same address: below /v2 and /v3, and for any \
            config below /CONFIG/v2 and /CONFIG/v3.

            With --store http://HOST:PORT the server is an agent of another discfg server: it answers from its own \
            memory, and keys and lists also while the other server cannot be reached.
            """)

    @OptionGroup var options: GlobalOptions

    @Option(
        help: ArgumentHelp(
            "The address to listen on. (DISCFG_LISTEN; default: \(ListenAddress.standard))", valueName: "host:port"))
    var listen: String?

    @Option(
        help: ArgumentHelp(
            "One more address, for clients of etcd that expect its port. (DISCFG_ETCD_LISTEN)",
            valueName: "host:port"))
    var etcdListen: String?

    @Option(
        name: .customLong("etcd-http-listen"),
        help: ArgumentHelp(
            "One more address, for clients of etcd's HTTP that insist on their own. (DISCFG_ETCD_HTTP_LISTEN)",
            valueName: "host:port"))
    var etcdHTTPListen: String?

    @Option(
        help: ArgumentHelp("The config that etcd's clients see.", valueName: "config"),
        transform: { try ConfigName($0) })
    var etcdCfg = ConfigName.default

    @Flag(help: "Listen on an address that other machines reach, without authentication.")
    var insecure = false

    @Option(
        name: .customLong("allowed-host"),
        help: ArgumentHelp("Another name that requests may be for; can be repeated.", valueName: "name"))
    var allowedHosts: [String] = []

    @Option(
        name: .customLong("cors-origin"),
        help: ArgumentHelp("A web page's origin that may call, as https://HOST; can be repeated.", valueName: "origin"))
    var corsOrigins: [String] = []

    @Flag(help: "Send webhooks to private addresses and by plain HTTP too. (DISCFG_ALLOW_PRIVATE_WEBHOOKS=1)")
    var allowPrivateWebhooks = false

    @Option(
        help: ArgumentHelp(
            """
            How often to poll for other processes' commits while a client watches, from 1ms to 10s. The interval \
            grows while nothing is found. (default: 50ms on a file, 200ms on a table)
            """,
            valueName: "duration"), transform: { try DurationText.parse($0) })
    var pollInterval: Duration?

    @Option(
        help: ArgumentHelp(
            "The most connections at a time, for each address; by default 10000, or what the limit of open files leaves.",
            valueName: "number"))
    var maxConnections: Int?

    @Option(
        help: ArgumentHelp(
            "Memory for the bodies of requests under way, and as much again for unread answers.", valueName: "MiB"))
    var maxRequestMemory = MemoryBudget.standard >> 20

    @Option(
        help: ArgumentHelp(
            "Memory for configs that reads are answered from; 0 reads everything from the store.", valueName: "MiB"))
    var viewMemory = 256

    func run() async throws {
        var settings = try options.settings()
        if allowPrivateWebhooks { settings.allowsPrivateWebhooks = true }
        if let maxConnections, maxConnections < 1 {
            throw DiscfgError.invalid(
                "--max-connections \(maxConnections) is too low.", hint: "Give at least 1.")
        }
        guard (64...1 << 20).contains(maxRequestMemory) else {
            throw DiscfgError.invalid(
                "--max-request-memory is \(maxRequestMemory).", hint: "Give a number of MiB from 64 to \(1 << 20).")
        }
        guard (0...1 << 20).contains(viewMemory) else {
            throw DiscfgError.invalid(
                "--view-memory is \(viewMemory).", hint: "Give a number of MiB from 0 to \(1 << 20).")
        }
        if let pollInterval { try Self.check(pollInterval: pollInterval) }
        let environment = settings.environment
        let server = Server.Options(
            address: try address(listen ?? environment["DISCFG_LISTEN"].nonEmpty ?? ListenAddress.standard),
            etcdHTTPAddress: try (etcdHTTPListen ?? environment["DISCFG_ETCD_HTTP_LISTEN"].nonEmpty).map(address),
            etcdGRPCAddress: try (etcdListen ?? environment["DISCFG_ETCD_LISTEN"].nonEmpty).map(address),
            etcdConfig: etcdCfg, allowedHosts: allowedHosts, corsOrigins: corsOrigins,
            maximumConnections: maxConnections, requestMemory: maxRequestMemory << 20)
        let registry = PrometheusRegistry()
        let use = StoreUse(pollInterval: pollInterval, viewMemory: viewMemory << 20)
        try await Session.with(settings, expiry: .left, metrics: registry, use: use) { session in
            try await Server(options: server, registry: registry).run(session)
        }
    }

    /// Checks that watches can keep up with compaction.
    static func check(pollInterval: Duration) throws(DiscfgError) {
        guard pollInterval >= .milliseconds(1) else {
            throw .invalid(
                "--poll-interval \(DurationText.format(pollInterval)) is too short.", hint: "Give at least 1ms.")
        }
        let most = ConfigService.Options.maximumPollInterval
        guard pollInterval <= most else {
            throw .invalid(
                "--poll-interval \(DurationText.format(pollInterval)) is too long.",
                hint: "Give at most \(DurationText.format(most)): compaction keeps commits only so long for watches.")
        }
    }

    /// An address that the server may listen on.
    private func address(_ text: String) throws(DiscfgError) -> ListenAddress {
        let address = try ListenAddress(text)
        guard insecure || address.isLoopback else {
            throw .invalid(
                "“\(address)” can be reached from other machines, and the server asks for no credentials.",
                hint: "Listen on 127.0.0.1, or add --insecure if the network itself keeps others out.")
        }
        return address
    }
}
