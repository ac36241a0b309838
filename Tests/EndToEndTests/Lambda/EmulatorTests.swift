import AWSTestSupport
import DiscfgCore
import Foundation
import Testing

/// The functions as AWS's own emulator runs them, on the stand-in for DynamoDB.
@Suite(
    "Lambda functions", DynamoDBStore.isAvailable,
    .enabled(
        if: RuntimeInterfaceEmulator.skipReason == nil, Comment(rawValue: RuntimeInterfaceEmulator.skipReason ?? "")))
struct EmulatorTests {
    /// Runs a test beside a function on the sandbox's table.
    private func with(
        _ handler: String, _ sandbox: Sandbox, _ body: (RuntimeInterfaceEmulator) async throws -> Void
    ) async throws {
        var environment = sandbox.variables
        environment["DISCFG_STORE"] = sandbox.store
        try await RuntimeInterfaceEmulator.with(
            bootstrap: "\(Sandbox.products)/discfg-lambda", handler: handler, environment: environment, timeout: 20,
            body)
    }

    private func send(_ event: GatewayEvent, to function: RuntimeInterfaceEmulator) async throws -> GatewayAnswer {
        let bytes = try await function.invoke(event.bytes)
        return try #require(GatewayAnswer(bytes), "\(String(decoding: bytes, as: UTF8.self))")
    }

    @Test("A gateway's requests are answered as a server answers them, and the gateway says who the author is")
    func requests() async throws {
        try await DynamoDBStore.with { sandbox in
            try await sandbox.discfg("store", "init")
            try await with("api", sandbox) { function in
                var put = GatewayEvent(
                    "PUT", "/v1/default/keys/greeting", "hello", headers: [("x-discfg-author", "mallory")])
                put.claims = [("sub", "1234"), ("email", "alice@example.com")]
                let written = try await send(put, to: function)
                #expect(written.status == 201)
                #expect(written.json["item"]?["version"]?.integer == 1)

                let read = try await send(GatewayEvent("GET", "/v1/default/keys/greeting"), to: function)
                #expect(read.json["item"]?["value"]?.string == "hello")
                let tag = try #require(read.headers["etag"]?.string)
                let again = GatewayEvent("GET", "/v1/default/keys/greeting", headers: [("if-none-match", tag)])
                let unchanged = try await send(again, to: function)
                #expect(unchanged.status == 304)

                let history = try await sandbox.discfg("history", "/greeting", "-f", "json")
                let commits = try JSONValue(parsing: Array(history.output.utf8))["commits"]?.array
                #expect(commits?.first?["author"]?.string == "alice@example.com")
                let missing = try await send(GatewayEvent("GET", "/v1/default/keys/none"), to: function)
                #expect(missing.status == 404)
                #expect(missing.json["errorCode"]?.integer == 100)
            }
        }
    }

    @Test("etcd's clients are answered too: v2, and v3 as JSON")
    func etcd() async throws {
        try await DynamoDBStore.with { sandbox in
            try await sandbox.discfg("store", "init")
            try await with("api", sandbox) { function in
                let form = [("content-type", "application/x-www-form-urlencoded")]
                let set = try await send(GatewayEvent("PUT", "/v2/keys/a", "value=1", headers: form), to: function)
                #expect(set.status == 201)
                let range = try await send(GatewayEvent("POST", "/v3/kv/range", #"{"key":"L2E="}"#), to: function)
                #expect(range.json["kvs"]?.array?.first?["value"]?.string == "MQ==")
            }
        }
    }

    @Test("What a server would wait for is answered at once, and what would never end is refused")
    func waiting() async throws {
        try await DynamoDBStore.with { sandbox in
            try await sandbox.discfg("store", "init")
            try await sandbox.discfg("set", "/a", "1")
            try await with("api", sandbox) { function in
                // The function's time is shorter than what is asked for: a wait would end with 503.
                let key = try await send(GatewayEvent("GET", "/v1/default/keys/a?wait=50s"), to: function)
                #expect(key.status == 200)
                let changes = try await send(
                    GatewayEvent("GET", "/v1/default/changes?after=2&wait=50s"), to: function)
                #expect(changes.json["commits"]?.array == [])
                let etcd = try await send(GatewayEvent("GET", "/v2/keys/a?wait=true"), to: function)
                #expect(etcd.status == 200 && etcd.body.isEmpty)
                let events = try await send(
                    GatewayEvent("GET", "/v1/default/changes", headers: [("accept", "text/event-stream")]),
                    to: function)
                #expect(events.status == 415)
                #expect(events.json["hint"]?.string?.contains("after=") == true)
                let watch = try await send(
                    GatewayEvent("POST", "/v3/watch", #"{"create_request":{"key":"L2E="}}"#), to: function)
                #expect(watch.status == 501)
            }
        }
    }

    @Test("A late read is a 503 with Retry-After, a late write a 500 without, before Lambda ends the function")
    func deadline() async throws {
        let ministack = try await Ministack.shared()
        try await FaultProxy.with(before: ministack.url) { proxy in
            try await DynamoDBStore.with(endpoint: proxy.url) { sandbox in
                try await sandbox.discfg("store", "init")
                try await sandbox.discfg("set", "/a", "1")
                var environment = sandbox.variables
                environment["DISCFG_STORE"] = sandbox.store
                proxy.silence = .seconds(60)
                try await RuntimeInterfaceEmulator.with(
                    bootstrap: "\(Sandbox.products)/discfg-lambda", handler: "api", environment: environment, timeout: 8
                ) { function in
                    proxy.script(Array(repeating: .silent, count: 20), for: "GetItem")
                    let late = try await send(GatewayEvent("GET", "/v1/default/keys/a"), to: function)
                    #expect(late.status == 503)
                    #expect(late.headers["retry-after"]?.string == "1")
                    proxy.script(Array(repeating: .silent, count: 20), for: "TransactWriteItems")
                    let unknown = try await send(GatewayEvent("PUT", "/v1/default/keys/a", "2"), to: function)
                    #expect(unknown.status == 500)
                    #expect(unknown.headers["retry-after"] == nil)
                    #expect(unknown.json["errorCode"]?.integer == 301)
                }
            }
        }
    }

    @Test("A function that cannot start tells Lambda why", arguments: ["api", "nonsense"])
    func start(handler: String) async throws {
        let bootstrap = "\(Sandbox.products)/discfg-lambda"
        let environment =
            handler == "api"
            ? ["DISCFG_STORE": "sqlite:here"] : ["DISCFG_STORE": "dynamodb:table", "AWS_REGION": "us-east-1"]
        try await RuntimeInterfaceEmulator.with(bootstrap: bootstrap, handler: handler, environment: environment) {
            function in
            let error = await #expect(throws: AWSTestError.self) { try await function.invoke(Array("{}".utf8)) }
            let expected = handler == "api" ? "names no DynamoDB table" : "There is no handler"
            #expect("\(String(describing: error))".contains(expected))
        }
    }

    @Test("Records of a stream become notifications in the order of the revisions, whatever order they come in")
    func stream() async throws {
        let ministack = try await Ministack.shared()
        try await DynamoDBStore.with { sandbox in
            try await sandbox.discfg("store", "init")
            let queue = try await ministack.createQueue("stream-\(UInt32.random(in: 0 ... .max))")
            try await sandbox.discfg("notify", "add", "--to", "sqs:\(queue)", "--prefix", "/p", "--id", "q")
            for number in 1...3 { try await sandbox.discfg("set", "/p/\(number)", "secret") }
            try await sandbox.discfg("set", "/other", "1")
            try await with("stream", sandbox) { function in
                let answer = try await function.invoke(Self.records([4, 2, 3, 5]))
                #expect(String(decoding: answer, as: UTF8.self) == #"{"batchItemFailures":[]}"#)
                let bodies = try await ministack.messages(in: queue)
                let data = bodies.map { (try? JSONValue(parsing: Array($0.utf8)))?["data"] }
                #expect(data.map { $0?["revision"]?.integer } == [2, 3, 4])
                #expect(data.first??["changes"]?.array?.first?["key"]?.string == "/p/1")
                #expect(!bodies.joined().contains("secret"))
                // The same records again: nothing is sent twice.
                _ = try await function.invoke(Self.records([4, 2, 3, 5]))
                let more = try await ministack.messages(in: queue)
                #expect(more.isEmpty)
            }
            let listed = try await sandbox.discfg("notify", "ls", "-f", "json")
            let status = try JSONValue(parsing: Array(listed.output.utf8))["notifications"]?.array?.first
            #expect(status?["sent"]?.integer == 5)
        }
    }

    @Test("The schedule commits what is overdue, and sends again what was refused")
    func schedule() async throws {
        let ministack = try await Ministack.shared()
        try await DynamoDBStore.with { sandbox in
            try await sandbox.discfg("store", "init")
            let name = "later-\(UInt32.random(in: 0 ... .max))"
            let there = "\(ministack.url)/\(Ministack.account)/\(name)"
            try await sandbox.discfg("notify", "add", "--to", "sqs:\(there)", "--id", "q")
            try await sandbox.discfg("set", "/short", "1", "--ttl", "1s")
            try await with("schedule", sandbox) { function in
                // The queue is not there yet.
                _ = try await function.invoke(Array("{}".utf8))
                let refused = try await sandbox.discfg("notify", "ls", "-f", "json")
                let status = try JSONValue(parsing: Array(refused.output.utf8))["notifications"]?.array?.first
                #expect(status?["failure"]?["revision"]?.integer == 2)
                let queue = try await ministack.createQueue(name)
                var kinds: [String] = []
                // Both need time to pass, which only invocations notice.
                while kinds.count < 2 {
                    _ = try await function.invoke(Array("{}".utf8))
                    for body in try await ministack.messages(in: queue) {
                        let event = try JSONValue(parsing: Array(body.utf8))
                        kinds += (event["data"]?["changes"]?.array ?? []).compactMap { $0["kind"]?.string }
                    }
                }
                #expect(kinds == ["set", "expire"])
            }
        }
    }

    /// The records of commits of the config `default`, as the stream has them.
    private static func records(_ revisions: [Int64]) -> [UInt8] {
        let records = revisions.enumerated().map { index, revision in
            let bytes = (0..<8).map { UInt8(truncatingIfNeeded: revision >> (56 - 8 * $0)) }
            let keys: JSONValue = [
                "pk": ["S": "C#default#L#abc"], "sk": ["B": .string(base64(bytes))],
            ]
            return JSONValue.object(
                JSONObject([
                    ("eventID", .string("\(index)")), ("eventName", "INSERT"), ("eventSource", "aws:dynamodb"),
                    (
                        "dynamodb",
                        [
                            "Keys": keys,
                            "NewImage": ["id": ["S": "x"], "rev": ["N": .string("\(revision)")]],
                            "SequenceNumber": .string("\(100 + index)"),
                        ]
                    ),
                ]))
        }
        return JSONValue.object(JSONObject([("Records", .array(records))])).bytes
    }

    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
