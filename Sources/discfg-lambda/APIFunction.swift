import AWSClient
import DiscfgCore
import DiscfgHTTP
import HTTPTypes
import Hummingbird
import LambdaRuntime
import Logging
import NIOCore

/// `api`: answers HTTP requests from a gateway, with the same responder as the server.
struct APIFunction: Function {
    let responder: DiscfgResponder
    let executor: (any TaskExecutor)?
    let logger: Logger

    func answer(_ invocation: Invocation) async throws -> [UInt8] {
        let event: JSONValue
        do {
            event = try JSONValue(parsing: invocation.body)
        } catch {
            throw InvocationFailure("Discfg.InvalidEvent", "The event is not JSON.")
        }
        let request: GatewayRequest
        do {
            request = try GatewayRequest(event: event)
        } catch {
            return GatewayResponse(refusing: error).json(for: GatewayShape(of: event))
        }
        let deadline = invocation.storeDeadline
        let response = try await AWSClient.$deadline.withValue(deadline) {
            // A little later than the store, so that a write that ran out of time can answer whether it had started.
            try await Timeout.run(until: deadline + .milliseconds(100), on: executor) { try await respond(to: request) }
        }
        return (response ?? Self.late(request.method)).json(for: request.shape)
    }

    private func respond(to request: GatewayRequest) async throws -> GatewayResponse {
        let head = HTTPRequest(
            method: request.method, scheme: "https", authority: request.authority, path: request.target,
            headerFields: request.headers)
        let incoming = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: request.body)))
        let context = DiscfgRequestContext(fromGateway: request.caller, logger: logger)
        let response = try await responder.respond(to: incoming, context: context)
        let collected = CollectedBody()
        try await response.body.write(collected)
        return GatewayResponse(status: response.status, headers: response.headers, body: collected.bytes)
    }

    /// The answer if the store does not answer in time.
    static func late(_ method: HTTPRequest.Method) -> GatewayResponse {
        let isRead = [.get, .head, .options].contains(method)
        let error = DiscfgError(
            isRead ? .storeUnavailable : .outcomeUnknown,
            "The store did not answer within the time limit of the function.",
            hint: isRead
                ? "Try again in a moment." : "Check with “discfg history” whether it took effect before you try again.")
        var response = GatewayResponse(refusing: error)
        // A write may have taken effect, so neither the status nor a header field may cause clients to send it again.
        response.status = isRead ? .serviceUnavailable : .internalServerError
        if isRead { response.headers[.retryAfter] = "1" }
        return response
    }
}

/// The body of an answer, up to a size that every gateway refuses.
private final class CollectedBody: ResponseBodyWriter {
    /// More than any gateway accepts: the rest of a larger body makes no difference.
    private static let limit = 8 << 20
    private(set) var bytes: [UInt8] = []

    func write(_ buffer: ByteBuffer) async throws {
        guard bytes.count <= Self.limit else { return }
        bytes += buffer.readableBytesView
    }

    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
