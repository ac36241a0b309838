public import DiscfgCore
public import DiscfgFormats
import HTTPTypes
public import Hummingbird
public import Logging
import Metrics

/// Answers every HTTP request to discfg: the server and Lambda use the same.
///
/// It refuses callers that have no access, finds the route, turns every error into its documented answer, counts, and
/// marks each answer with `X-Request-Id`.
public struct DiscfgResponder: HTTPResponder {
    /// The connection and the caller of a request.
    public typealias Context = DiscfgRequestContext

    /// The settings of a responder.
    public struct Options: Sendable {
        /// The callers that are accepted.
        public var access: AccessPolicy
        /// What `/metrics` answers; without it the route does not exist.
        public var registry: PrometheusRegistry?
        /// The time, from which a time to live is counted.
        public var time: TimeSource
        /// The settings of etcd's APIs; without them these APIs do not exist.
        public var etcd: EtcdOptions?
        /// The reader of YAML; without it YAML cannot be imported.
        public var yaml: YAMLReader?
        /// The notifications; without them there is nothing at `/v1/CONFIG/notifications`.
        public var notifications: (any NotificationStore)?
        /// The store for servers and applications whose engine is this server; without it there is nothing at `/engine`.
        public var engine: ConfigService?
        /// The memory that requests may hold; servers of one process share it.
        package var limits = RequestLimits()

        /// Options of a responder that serves REST alone and checks no caller, except for what is given.
        public init(
            access: AccessPolicy = .unchecked, registry: PrometheusRegistry? = nil, time: TimeSource = .system,
            etcd: EtcdOptions? = nil, yaml: YAMLReader? = nil, notifications: (any NotificationStore)? = nil,
            engine: ConfigService? = nil
        ) {
            self.access = access
            self.registry = registry
            self.time = time
            self.etcd = etcd
            self.yaml = yaml
            self.notifications = notifications
            self.engine = engine
        }
    }

    private let routes: RouterResponder<Context>
    private let etcdV2: EtcdV2Routes?
    private let access: AccessPolicy
    private let limits: RequestLimits
    private let metrics: HTTPMetrics
    private let style: @Sendable () -> WireStyle
    private let logger: Logger

    /// A responder on a store.
    public init(store: any ConfigStore, options: Options = Options(), logger: Logger) {
        let access = StoreAccess(store)
        let table = RouteTable()
        RESTRoutes(access: access, time: options.time, yaml: options.yaml).add(to: table)
        if let notifications = options.notifications {
            NotificationRoutes(access: NotificationAccess(notifications)).add(to: table)
        }
        if let engine = options.engine { EngineRoutes(service: engine).add(to: table) }
        OperationsRoutes(store: access.acting(as: .process), registry: options.registry).add(to: table)
        if let etcd = options.etcd {
            EtcdV3Routes(api: etcd.api).add(to: table)
        }
        self.routes = table.responder()
        self.etcdV2 = options.etcd.map { EtcdV2Routes($0, time: options.time, logger: logger) }
        self.access = options.access
        self.limits = options.limits
        self.metrics = HTTPMetrics(factory: options.registry ?? MetricsSystem.factory)
        let now = options.time.now
        self.style = { WireStyle(now: now()) }
        self.logger = logger
    }

    /// Answers a request; every error becomes its documented answer, so that nothing is thrown.
    public func respond(to request: Request, context: Context) async throws -> Response {
        let start = ContinuousClock.now
        metrics.active.increment()
        defer { metrics.active.decrement() }
        let requestID = RequestID.accepted(request.headers[.requestID])
        let hold = MemoryHold(of: limits.bodies)
        var context = context
        (context.hold, context.answers, context.pace) = (hold, limits.answers, limits.pace)
        var response: Response
        do {
            if let early = try access.check(request) {
                response = early
            } else if let answer = await etcdV2?.answer(Call(request: request, context: context)) {
                response = answer
            } else {
                guard request.hasPlainPath else { throw RouteNotFound() }
                response = try await routes.respond(to: request, context: context)
            }
        } catch {
            response = answer(to: error, of: request, requestID: requestID)
        }
        response =
            response.held(by: limits.answers, mayRefuse: request.method.isRead)
            ?? answer(to: DiscfgError.noMemory, of: request, requestID: requestID)
        // What a stream reads of its request it reads bit by bit, or holds until the stream ends.
        if response.body.contentLength != nil { hold.release() } else { response.body = response.body.releasing(hold) }
        access.decorate(&response, for: request)
        response.headers[.requestID] = requestID
        response.headers[.contentTypeOptions] = "nosniff"
        if request.method == .head { response = response.createHeadResponse() }
        metrics.record(
            method: request.method, route: context.endpointPath ?? "none", status: response.status,
            duration: ContinuousClock.now - start)
        return response
    }

    private func answer(to error: any Error, of request: Request, requestID: String) -> Response {
        let failure = DiscfgError(answering: error, to: request.method)
        if failure.status.kind == .serverError {
            var metadata: Logger.Metadata = [
                "http.request.id": "\(requestID)", "error.code": "\(failure.code.rawValue)",
                "error": "\(failure.message)",
            ]
            if let cause = failure.cause { metadata["error.cause"] = "\(String(describing: cause))" }
            // A target that refuses is not an error of this server.
            logger.log(level: failure.code == .deliveryFailed ? .info : .error, "request failed", metadata: metadata)
        }
        var response = Response.json(status: failure.status) { failure.write(to: &$0, style()) }
        if failure.status == .serviceUnavailable { response.headers[.retryAfter] = "1" }
        if let allowed = (error as? MethodNotAllowed)?.allowed { response.headers[.allow] = allowed }
        return response
    }
}

/// The name of one request, in its answer and in the log.
enum RequestID {
    /// The name that the caller gave, where it is short and plain; otherwise a new one.
    static func accepted(_ proposed: String?) -> String {
        if let proposed, (1...128).contains(proposed.utf8.count),
            proposed.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
        {
            return proposed
        }
        return UniqueID.next()
    }
}

extension HTTPField.Name {
    static let requestID = HTTPField.Name.known("X-Request-Id")
    static let contentTypeOptions = HTTPField.Name.known("X-Content-Type-Options")
    static let author = HTTPField.Name.known("X-Discfg-Author")
    static let version = HTTPField.Name.known("X-Discfg-Version")
    static let leftOut = HTTPField.Name.known("X-Discfg-Left-Out")
    static let revision = HTTPField.Name.known("X-Discfg-Revision")
    static let lastEventID = HTTPField.Name.known("Last-Event-ID")

    /// A field name from a literal: all of ours are valid tokens.
    static func known(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .cookie }
}
