import AWSTestSupport
import Testing

/// The examples of DynamoDBPatterns, as whole programs on the stand-in for AWS.
@Suite("Examples", DynamoDBStore.isAvailable)
struct ExamplesTests {
    /// Runs an example, and returns the lines that it printed.
    private func lines(of example: String) async throws -> [String] {
        let url = try await Ministack.shared().url
        var lines: [String] = []
        try await DynamoDBStore.with(endpoint: url) { sandbox in
            var sandbox = sandbox
            sandbox.variables["AWS_ENDPOINT_URL"] = url
            sandbox.variables["AWS_REGION"] = Ministack.region
            let result = try await sandbox.bash(example)
            #expect(result.status == 0, "\(result.output)\(result.error)")
            lines = result.output.split(separator: "\n").map(String.init)
        }
        return lines
    }

    @Test("click-alert: one alert at ten clicks, one invocation, whatever comes twice and later")
    func clickAlert() async throws {
        let lines = try await lines(of: "click-alert")
        #expect(lines.filter { $0.hasPrefix("ALERT") }.count == 1)
        #expect(lines.filter { $0.hasSuffix("delivery: added") }.count == 9)
        #expect(lines.filter { $0.hasSuffix("delivery: duplicate") }.count == 9)
        // The one that completes the set says so each time that it is delivered.
        #expect(lines.filter { $0.hasSuffix("delivery: completed") }.count == 2)
        #expect(lines.filter { $0.hasSuffix("delivery: late") }.count == 4)
        #expect(lines.last?.hasSuffix("1 invocation(s)") == true)
    }

    @Test("welcome-mail: two streams are merged before one mail; a set that stays incomplete times out")
    func welcomeMail() async throws {
        let lines = try await lines(of: "welcome-mail")
        #expect(lines.filter { $0.hasPrefix("MAIL") } == ["MAIL to Ada: On Numbers, On Engines"])
        #expect(
            lines.filter { $0.hasPrefix("NO MAIL") } == ["NO MAIL: the set timed out with 1 event(s): On Time"])
    }

    @Test("hourly-report: an hour is reported once by two runs, and a late sale is counted once")
    func hourlyReport() async throws {
        let lines = try await lines(of: "hourly-report")
        #expect(lines.filter { $0.hasPrefix("REPORT") } == ["REPORT: 25 sales, 325 cents"])
        #expect(lines.contains("closed by two runs at a time: 1 bucket"))
        #expect(lines.contains("late sale, second delivery: a duplicate"))
    }

    @Test("order-saga: a failing payment is undone in reverse order, and what is shipped is told once")
    func orderSaga() async throws {
        let lines = try await lines(of: "order-saga")
        let failing = lines.drop { !$0.hasPrefix("start poor") }
        #expect(
            failing.filter { $0.hasPrefix("  ") } == [
                "  reserve a book", "  pay with card 0000, attempt 1", "  pay with card 0000, attempt 2",
                "  pay back, if anything was paid: nothing known", "  put the book back",
            ])
        #expect(failing.contains { $0.hasPrefix("end of poor") && $0.hasSuffix("compensated") })
        #expect(lines.filter { $0.hasPrefix("MESSAGE of good") }.count == 1)
    }

    @Test("seat-booking: eight guests get five seats, and a stale save is told what is newer")
    func seatBooking() async throws {
        let lines = try await lines(of: "seat-booking")
        #expect(
            lines == [
                "8 guests, 5 seats: 5 sold, 0 left, version 6", "conflict: the newer one has 2 free seats",
            ])
    }

    @Test("audit-trail: two workers record each version once; a deleted item is restored")
    func auditTrail() async throws {
        let lines = try await lines(of: "audit-trail")
        #expect(
            lines == [
                "a worker read 4 records", "a worker read 0 records", "version 4: removed, gone, by cid",
                "version 3: modified, 350 cents, by cid", "version 2: modified, 350 cents, by ben",
                "version 1: inserted, 300 cents, by ann", "now: deleted",
                "restored: 350 cents, version 1",
            ])
    }

    @Test(
        "an example that cannot begin prints one line that says what to do, and no crash",
        arguments: ["audit-trail", "click-alert", "hourly-report", "order-saga", "seat-booking", "welcome-mail"])
    func noRegion(example: String) async throws {
        try await Sandbox.with { sandbox in
            let result = try await sandbox.bash(example)
            #expect(result.status == 1 && result.error == "", "\(result.error)")
            #expect(result.output.contains("AWS_REGION") && result.output.split(separator: "\n").count == 1)
        }
    }
}
