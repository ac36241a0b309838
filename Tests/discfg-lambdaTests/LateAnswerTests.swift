import DiscfgCore
import HTTPTypes
import Testing

@testable import discfg_lambda

@Suite("Answers when the time is over")
struct LateAnswerTests {
    @Test(
        "A late read is a 503 with Retry-After, a late write a 500 without",
        arguments: [
            (HTTPRequest.Method.get, 503, Int64(300), String?.some("1")), (.head, 503, 300, "1"),
            (.put, 500, 301, nil), (.post, 500, 301, nil), (.patch, 500, 301, nil), (.delete, 500, 301, nil),
        ])
    func late(method: HTTPRequest.Method, status: Int, code: Int64, retryAfter: String?) throws {
        let answer = APIFunction.late(method)
        #expect(answer.status.code == status)
        #expect(try JSONValue(parsing: answer.body)["errorCode"]?.integer == code)
        #expect(answer.headers[.retryAfter] == retryAfter)
    }
}
