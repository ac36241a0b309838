import AWSClient
import DiscfgCore
import DiscfgDynamoDB
import DiscfgEtcd
import DiscfgHTTP
import DiscfgNotifications
import Logging

/// The store of the functions: the table, and the service on it.
///
/// It is created once for each process. Connections are opened when they are needed, and stay open.
struct Backend: Sendable {
    let service: ConfigService
    let notifier: Notifier
    let logger: Logger
    private let etcdConfig: ConfigName

    /// - Throws: `DiscfgError` that names the variable with an invalid value.
    init(environment: [String: String], logger: Logger) throws(DiscfgError) {
        let text = environment["DISCFG_STORE"] ?? ""
        guard text.hasPrefix("dynamodb:") else {
            throw .invalid(
                "DISCFG_STORE is “\(text)”, which names no DynamoDB table.",
                hint: "Set it to dynamodb:TABLE; the functions support no other store.")
        }
        let address = try DynamoDBAddress(text.dropFirst("dynamodb:".count), of: text)
        etcdConfig = try ConfigName(environment["DISCFG_ETCD_CFG"] ?? ConfigName.default.description)
        // The last step that can fail, because a client must be closed before it is released.
        let client = try Self.client(address, environment: environment, logger: logger)
        let engine = DynamoDBEngine(table: address.table, client: client)
        service = ConfigService(
            engine: engine, options: .init(administration: engine, writeDeadline: .ofInvocation), logger: logger)
        let allowsPrivate = ["1", "true"].contains(environment["DISCFG_ALLOW_PRIVATE_WEBHOOKS"])
        let sender = TargetSender(allowsPrivateWebhooks: allowsPrivate) { region in
            guard let region, region != client.region else { return client }
            return try Self.client(address, region: region, environment: environment, logger: logger)
        }
        notifier = Notifier(service: service, sender: sender, logger: logger)
        self.logger = logger
    }

    /// The function for a handler; `api` runs on the executor.
    func function(_ handler: Handler, on executor: (any TaskExecutor)?) -> any Function {
        switch handler {
        case .api: APIFunction(responder: responder, executor: executor, logger: logger)
        case .stream: StreamFunction(notifier: notifier, logger: logger)
        case .schedule: ScheduleFunction(maintenance: ConfigMaintenance(service), notifier: notifier)
        }
    }

    private var responder: DiscfgResponder {
        let identity = EtcdIdentity(store: service.storeName, server: "lambda", name: "discfg")
        let etcd = EtcdAPI(store: service, config: etcdConfig, identity: identity, logger: logger)
        return DiscfgResponder(
            store: service,
            options: .init(etcd: EtcdOptions(etcd), notifications: notifier), logger: logger)
    }

    private static func client(
        _ address: DynamoDBAddress, region: String? = nil, environment: [String: String], logger: Logger
    ) throws(DiscfgError) -> AWSClient {
        do {
            let configuration = try AWSConfiguration(
                environment: AWSEnvironment(environment), profile: address.profile, region: region ?? address.region,
                endpoint: address.endpoint)
            return try AWSClient(configuration: configuration, logger: logger)
        } catch {
            throw DiscfgError(.invalidRequest, error.message, hint: error.hint, cause: error)
        }
    }
}

extension WriteDeadline {
    /// The deadline of the invocation.
    ///
    /// Invocations that run at the same time share appends, and each has its own deadline.
    static let ofInvocation = WriteDeadline(
        current: { AWSClient.deadline },
        apply: { deadline, body in await AWSClient.$deadline.withValue(deadline) { await body() } })
}
