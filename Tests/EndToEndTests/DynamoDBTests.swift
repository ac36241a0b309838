import AWSTestSupport
import Foundation
import Subprocess
import Testing

/// The product on DynamoDB: real processes, and the stand-in for AWS.
@Suite("DynamoDB", DynamoDBStore.isAvailable)
struct DynamoDBTests {
    @Test("Every command prints and returns the same on DynamoDB as on a file, directly and behind a server")
    func same() async throws {
        try await DynamoDBStore.with { sandbox in
            try sandbox.write("txn.json", #"{"if":[{"key":"/db/host","exists":true}],"then":[{"set":"/t","value":1}]}"#)
            try sandbox.write("list.json", #"[{"name":"a","tags":["x"]},{"name":"b","tags":[]}]"#)
            let file = sandbox.on("sqlite:\(sandbox.folder.path)/store.db")
            try await sandbox.discfg("store", "init")
            let other = sandbox.on(sandbox.store.replacing("e2e-", with: "served-"))
            try await other.discfg("store", "init")
            try await TestServer.with(other) { server in
                for arguments in StoreTests.script {
                    let expected = try await file.run(arguments)
                    for place in [sandbox, sandbox.on(server.url)] {
                        let found = try await place.run(arguments)
                        let step = arguments.joined(separator: " ") + " on \(place.store)"
                        #expect(expected.status == found.status, "\(step): \(expected.error)\(found.error)")
                        #expect(
                            StoreTests.withoutTimes(expected.output) == StoreTests.withoutTimes(found.output), "\(step)"
                        )
                        #expect(expected.error == found.error, "\(step)")
                    }
                }
            }
        }
    }

    @Test("A command and a server see each other's writes and watches")
    func eachOther() async throws {
        try await DynamoDBStore.with { sandbox in
            try await sandbox.discfg("store", "init")
            try await TestServer.with(sandbox, ["--poll-interval", "20ms"]) { server in
                let remote = sandbox.on(server.url)
                async let seenByServer = remote.discfg("watch", "/x", "--after", "1", "--count", "2")
                async let seenDirectly = sandbox.discfg("watch", "/x", "--after", "1", "--count", "2")
                try await sandbox.discfg("set", "/x", "direct")
                let readByServer = try await remote.discfg("get", "/x", "--consistent")
                #expect(readByServer.line == "direct")
                try await remote.discfg("set", "/x", "served")
                let readDirectly = try await sandbox.discfg("get", "/x", "--consistent")
                #expect(readDirectly.line == "served")
                let expected = "2  set    /x = direct\n3  set    /x = served  (was direct)\n"
                let seen = try await [seenByServer.output, seenDirectly.output]
                #expect(seen == [expected, expected])
            }
        }
    }

    @Test("An import of more than one commit takes is split, says so, and goes on where it was interrupted")
    func splitImport() async throws {
        let ministack = try await Ministack.shared()
        try await FaultProxy.with(before: ministack.url) { proxy in
            try await DynamoDBStore.with(endpoint: proxy.url) { sandbox in
                try await sandbox.discfg("store", "init")
                let values = (0..<250).map { "\"k\($0)\": \($0)" }.joined(separator: ", ")
                try sandbox.write("many.json", "{\(values)}")
                // The second commit does not come through.
                proxy.script(
                    [nil] + Array(repeating: .provisionedThroughputExceeded, count: 20), for: "TransactWriteItems")
                _ = try await sandbox.discfg("get", "/none")
                let interrupted = try await sandbox.discfg("import", "many.json")
                #expect(interrupted.status == 3)
                #expect(interrupted.error.contains("99 of 250 keys are imported; import again to continue."))
                let finished = try await sandbox.discfg("import", "many.json")
                #expect(finished.status == 0, "\(finished.error)")
                #expect(finished.error.contains(" commits, because it is too large for one"), "\(finished.error)")
                #expect(try await sandbox.discfg("ls").output.split(separator: "\n").count == 250)
                let again = try await sandbox.discfg("import", "many.json")
                #expect(again.output.contains("0 added, 0 changed, 0 removed, 250 unchanged"))
            }
        }
    }

    @Test("A time to live is what was asked for, on a machine whose clock is ten minutes behind")
    func wrongClock() async throws {
        let ministack = try await Ministack.shared()
        try await FaultProxy.with(before: ministack.url) { proxy in
            proxy.clockOffset = .seconds(600)
            try await DynamoDBStore.with(endpoint: proxy.url) { sandbox in
                try await sandbox.discfg("store", "init")
                // A thousand seconds, less what the test takes; a correction is exact to about a second.
                func expectTTL(_ answer: String) throws {
                    let ttl = try #require(answer.firstMatch(of: /"ttl":(\d+)/).flatMap { Int($0.1) }, "\(answer)")
                    #expect((401...1010).contains(ttl), "\(answer)")
                }
                try expectTTL(try await sandbox.discfg("set", "/a", "1", "--ttl", "1000", "-f", "json").output)
                try expectTTL(try await sandbox.discfg("get", "/a", "-f", "json").output)
                try await TestServer.with(sandbox) { server in
                    let keys = "\(server.url)/v1/default/keys"
                    for request in ["\(keys)/a", "-X PUT -d 1 '\(keys)/b?ttl=1000'", "\(keys)/b"] {
                        try expectTTL(try await sandbox.bash("curl -s \(request)").output)
                    }
                }
            }
        }
    }

    @Test("What a stranger does wrong is said in a sentence, with what to do")
    func mistakes() async throws {
        try await DynamoDBStore.with { sandbox in
            let missing = try await sandbox.discfg("get", "/a")
            #expect(missing.status == 3)
            #expect(missing.error.contains("hint: Create it with “discfg store init”"))
            var stranger = sandbox
            stranger.variables = ["AWS_EC2_METADATA_DISABLED": "true"]
            let anonymous = try await stranger.discfg("get", "/a")
            #expect(anonymous.status == 3 && anonymous.error.contains("AWS_ACCESS_KEY_ID"), "\(anonymous.error)")
            let nowhere = sandbox.on("dynamodb:table?region=us-east-1&endpoint=http://127.0.0.1:1")
            let gone = try await nowhere.discfg("get", "/a")
            #expect(gone.status == 3 && gone.error.contains("no connection"), "\(gone.error)")
            let unclear = sandbox.on("dynamodb:table")
            #expect(try await unclear.discfg("get", "/a").error.contains("AWS_REGION"))
            let file = sandbox.on("sqlite:\(sandbox.folder.path)/x.db")
            #expect(try await file.discfg("store", "destroy", "--yes").status == 2)
            #expect(
                try await file.discfg("create", "p", #"{"ReadCapacityUnits":4,"WriteCapacityUnits":2}"#).status == 2)
        }
    }

    @Test("A table is made with a config, changed, described and destroyed")
    func lifecycle() async throws {
        try await DynamoDBStore.with { sandbox in
            let made = try await sandbox.discfg("create", "live", #"{"ReadCapacityUnits":4,"WriteCapacityUnits":2}"#)
            #expect(made.line == "created live  revision 1", "\(made.error)")
            let info = try await sandbox.discfg("info", "live")
            for text in ["state", "ACTIVE", "PROVISIONED", "readCapacityUnits", "4", "records"] {
                #expect(info.output.contains(text), "\(text): \(info.output)")
            }
            let update = #"{"ReadCapacityUnits":5,"WriteCapacityUnits":3}"#
            #expect(try await sandbox.discfg("cfg", "update", "live", update).status == 0)
            let status = try await sandbox.discfg("store", "status", "-f", "json")
            #expect(status.output.contains(#""readCapacityUnits":"5""#), "\(status.output)")
            let again = try await sandbox.discfg(
                "store", "init", "--protect", "--read-units", "9", "--write-units", "3")
            #expect(again.status == 0 && again.output.contains("the store is ready"), "\(again.error)")
            #expect(again.error.contains("warning: the table exists and is not protected against deletion"))
            #expect(again.error.contains("warning: the table exists with another throughput"), "\(again.error)")
            let same = try await sandbox.discfg("store", "init", "--read-units", "5", "--write-units", "3")
            #expect(same.status == 0 && same.error.isEmpty, "\(same.error)")
            #expect(try await sandbox.discfg("store", "destroy").status == 2, "there is nobody to ask")
            #expect(try await sandbox.discfg("store", "destroy", "--yes").status == 0)
            #expect(try await sandbox.discfg("store", "status").status == 3)
        }
    }
}
