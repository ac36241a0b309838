import NIOHTTP1
import Testing

@testable import LambdaRuntime

@Suite("Deadlines")
struct DeadlineTests {
    /// A moment of the wall clock, in milliseconds since 1970.
    private static let now: Int64 = 1_795_393_013_546

    @Test(
        "A deadline by the wall clock is so far away as that clock says, within what Lambda gives",
        arguments: [
            ("1795393016546", Duration.seconds(3)), ("1795393013547", .milliseconds(1)), ("1795393013546", .zero),
            ("1795393013545", .zero), ("1", .zero), ("1795393913546", .seconds(900)), ("1795393913547", .seconds(900)),
            ("9223372036854775807", .seconds(900)),
        ])
    func timeLeft(header: String, expected: Duration) {
        #expect(Invocation.timeLeft(header, at: Self.now) == expected)
    }

    @Test(
        "A deadline that cannot be read is the longest that there is",
        arguments: [
            nil, "", "soon", "1795393016546.5", "1e12", "-1", "0", "9223372036854775808", "0x10", "17953 93016546",
        ] as [String?])
    func garbage(header: String?) {
        #expect(Invocation.timeLeft(header, at: Self.now) == .seconds(900))
    }

    @Test("The handler is given the deadline by a clock that nobody sets")
    func converted() throws {
        let before = ContinuousClock.now
        var answer = RuntimeAnswer(status: 200, headers: ["Lambda-Runtime-Aws-Request-Id": "id"])
        let none = try #require(Invocation(answer)).deadline
        #expect(none >= before + .seconds(900))
        // 1970 is over, so this is now.
        answer.headers.add(name: "Lambda-Runtime-Deadline-Ms", value: "1")
        let over = try #require(Invocation(answer)).deadline
        #expect(over >= before && over <= .now)
        // In the year 3000: the most that there can be.
        answer.headers.replaceOrAdd(name: "Lambda-Runtime-Deadline-Ms", value: "32503680000000")
        #expect(try #require(Invocation(answer)).deadline >= before + .seconds(900))
    }

    @Test("An invocation with a deadline that cannot be read is carried out")
    func carriedOut() async throws {
        try await FakeRuntimeAPI.with { api in
            api.give("id", "event", ["Lambda-Runtime-Deadline-Ms": "tomorrow"])
            try await api.serving({ $0.body }) {
                try await api.expectReport("id/response", "event")
            }
        }
    }
}
