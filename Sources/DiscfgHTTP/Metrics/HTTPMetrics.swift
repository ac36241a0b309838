import HTTPTypes
import Metrics
import Synchronization

/// What is counted of HTTP requests: how many and how long, by method, route template and status.
final class HTTPMetrics: Sendable {
    private struct Label: Hashable {
        let method: String
        let route: String
        let status: Int
    }

    private let factory: any MetricsFactory
    /// How many requests are being answered now; long polls are among them, event streams only until they begin.
    let active: Meter
    /// Made once for each label: looking a counter up in the factory costs more than counting.
    private let handlers = Mutex<[Label: (requests: Counter, duration: Metrics.Timer)]>([:])

    init(factory: any MetricsFactory) {
        self.factory = factory
        active = Meter(label: "http_requests_active", dimensions: [], factory: factory)
    }

    func record(method: HTTPRequest.Method, route: String, status: HTTPResponse.Status, duration: Duration) {
        // A method of the caller's own making must not become a label.
        let name = HTTPRequest.Method.common.contains(method) ? method.rawValue : "other"
        let label = Label(method: name, route: route, status: status.code)
        let handler = handlers.withLock { handlers in
            if let known = handlers[label] { return known }
            let dimensions = [("method", label.method), ("route", label.route)]
            let made = (
                Counter(
                    label: "http_requests_total", dimensions: dimensions + [("status", String(label.status))],
                    factory: factory),
                Metrics.Timer(label: "http_request_duration_seconds", dimensions: dimensions, factory: factory)
            )
            handlers[label] = made
            return made
        }
        handler.requests.increment()
        handler.duration.recordNanoseconds(
            duration.components.seconds * 1_000_000_000 + duration.components.attoseconds / 1_000_000_000)
    }
}

extension HTTPRequest.Method {
    fileprivate static let common: Set<HTTPRequest.Method> = [.get, .head, .put, .patch, .post, .delete, .options]
}
