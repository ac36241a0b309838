import DiscfgCore
import HTTPTypes
import Hummingbird
import NIOCore

/// The calls of engines whose store is this server: `/engine/v1/CALL`.
///
/// It is an interface between discfg and itself, and so is not in the description of the API.
struct EngineRoutes: Sendable {
    let service: ConfigService

    func add(to table: RouteTable) {
        for served in EngineCalls.all {
            table.on(.post, EngineCalls.path + served.name) { try await answer(served, $0) }
        }
    }

    private func answer(_ served: any ServedEngineCall, _ call: Call) async throws -> Response {
        _ = try Query(call)
        let body = try await call.body(atMost: ConfigService.maximumEngineRequest)
        let perform = try await LongWork.run(onBytes: body.count) { _ throws(DiscfgError) in try served.prepare(body) }
        let answer = try await perform(service.servedEngine(for: try call.caller))
        // A read that does not fit is refused; what a write has done is answered in any case.
        if served.isRead { try call.context.hold?.require(answer.count) }
        return Response(
            status: .ok, headers: [.contentType: EngineCalls.contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer)))
    }
}
