import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Testing

@testable import DiscfgHTTP

@Suite("Routes")
struct RouteTableTests {
    @Test(
        "Only a request that no route matches gets the error for it",
        arguments: [("/a", true), ("/a/b", false), ("/", false), ("/NotFound", true)])
    func noRoute(path: String, isRoute: Bool) async throws {
        let table = RouteTable()
        for known in ["/a", "/NotFound"] { table.on(.get, known) { _ in Response(status: .ok) } }
        let context = DiscfgRequestContext(
            fromGateway: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let head = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: path)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        if isRoute {
            #expect(try await table.responder().respond(to: request, context: context).status == .ok)
            #expect(context.endpointPath == path)
        } else {
            await #expect(throws: RouteNotFound.self) {
                try await table.responder().respond(to: request, context: context)
            }
            #expect(context.endpointPath == "NotFound")
        }
    }
}
