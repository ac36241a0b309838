import AWSTestSupport
import DiscfgCore
import Foundation
import Testing

private let zip = ProcessInfo.processInfo.environment["DISCFG_LAMBDA_ZIP"]

/// The program that is deployed, as the template deploys it, on AWS's stand-in: `make test-lambda` builds it and sets the variable.
@Suite(
    "Deployed to Lambda", DeploymentPrograms.areAvailable,
    .enabled(if: zip != nil, "DISCFG_LAMBDA_ZIP is not set: run make test-lambda."))
struct DeployedTests {
    /// Deploys the program, and returns where the API answers.
    private static func deploy(_ ministack: Ministack, _ sandbox: Sandbox, _ parameters: String...) async throws
        -> String
    {
        let zip = try #require(zip)
        let arguments = [DeploymentPrograms.file("deploy/sam/template.yaml"), ministack.url, zip] + parameters
        let deployed = try await DeploymentPrograms.run("deploy_sam.py", arguments, in: sandbox)
        try #require(deployed.status == 0, "\(deployed.output)\(deployed.error)")
        let address = try #require(try JSONValue(parsing: Array(deployed.line.utf8))["ApiUrl"]?.string)
        let id = try #require(address.split(separator: "/").last?.split(separator: ".").first)
        return "\(ministack.url)/_aws/execute-api/\(id)/$default"
    }

    @Test("An IAM user is let in by their signature, and is the author; the roles of the functions are enough")
    func signed() async throws {
        try await Ministack.with(checkingAccess: true) { ministack in
            try await Sandbox.with { sandbox in
                let url = try await Self.deploy(ministack, sandbox)
                let invoke = #"{"Effect":"Allow","Action":"execute-api:Invoke","Resource":"*"}"#
                let ann = try await ministack.createUser(
                    "ann", policy: #"{"Version":"2012-10-17","Statement":[\#(invoke)]}"#)
                var remote = sandbox.on(url)
                remote.variables = [
                    "AWS_ACCESS_KEY_ID": ann.id, "AWS_SECRET_ACCESS_KEY": ann.secret,
                    "DISCFG_SIGN": "execute-api:\(Ministack.region)",
                ]
                let written = try await remote.discfg("set", "/a b/ü", "1")
                #expect(written.status == 0, "\(written.error)")
                let history = try await remote.discfg("history", "-f", "json")
                let commits = try JSONValue(parsing: Array(history.output.utf8))["commits"]?.array
                #expect(commits?.first?["author"]?.string == "user/ann")

                remote.variables["AWS_SECRET_ACCESS_KEY"] = "another"
                let refused = try await remote.discfg("get", "/a b/ü")
                #expect(refused.status == 2)
                #expect(refused.error.contains("does not let this caller in"))
            }
        }
    }

    @Test("The tour of the README works by curl and by the command line, and a write there reaches its targets")
    func tour() async throws {
        try await Ministack.with { ministack in
            let queue = try await ministack.createQueue("changes")
            let arn = "arn:aws:sqs:\(Ministack.region):\(Ministack.account):changes"
            try await Sandbox.with { sandbox in
                let url = try await Self.deploy(ministack, sandbox, "QueueArns=\(arn)")
                // The stand-in lets pass whoever shows something.
                var remote = sandbox.on(url)
                remote.variables = ["DISCFG_TOKEN": "anything"]
                try await Self.refusesStrangers(sandbox, url)
                try await Self.curl(sandbox, url)
                try await Self.commands(remote)
                try await Self.notifications(remote, queue, ministack)
            }
        }
    }

    private static func refusesStrangers(_ sandbox: Sandbox, _ url: String) async throws {
        let answer = try await sandbox.bash("curl -s -o /dev/null -w '%{http_code}' '\(url)/v1/default/keys'")
        #expect(answer.output == "403")
        let refused = try await sandbox.on(url).discfg("ls")
        #expect(refused.status == 2, "\(refused.output)")
    }

    private static func curl(_ sandbox: Sandbox, _ url: String) async throws {
        let script = """
            curl() { command curl -s -H 'Authorization: Bearer anything' "$@"; }
            curl -X PUT -d hello '\(url)/v1/default/keys/greeting'
            curl -H 'Accept: text/plain' '\(url)/v1/default/keys/greeting'; echo
            curl -X PUT -d '{"port":5432}' -H 'Content-Type: application/json' '\(url)/v1/default/keys/db?message=first'
            curl '\(url)/v1/default/history'
            """
        let lines = try await sandbox.bash(script).output.split(separator: "\n").map(String.init)
        try #require(lines.count == 4, "\(lines)")
        #expect(lines[0].contains(#""cfgVersion":2"#))
        #expect(lines[1] == "hello")
        #expect(lines[2].contains(#""value":{"port":5432}"#))
        #expect(lines[3].contains(#""message":"first""#))
    }

    private static func commands(_ remote: Sandbox) async throws {
        let read = try await remote.discfg("get", "/greeting")
        #expect(read.line == "hello", "\(read.error)")
        try await remote.discfg("set", "/greeting", "hi", "--message", "shorter")
        let history = try await remote.discfg("history", "/greeting")
        #expect(history.output.contains("shorter"))
        let undone = try await remote.discfg("rollback", "--to", "2", "/greeting")
        #expect(undone.status == 0, "\(undone.error)")
        let again = try await remote.discfg("get", "/greeting")
        #expect(again.line == "hello")
        let missing = try await remote.discfg("get", "/none")
        #expect(missing.status == 1)
    }

    private static func notifications(_ remote: Sandbox, _ queue: String, _ ministack: Ministack) async throws {
        let added = try await remote.discfg("notify", "add", "--to", "sqs:\(queue)", "--id", "q", "--prefix", "/told")
        try #require(added.status == 0, "\(added.error)")
        for number in 1...3 { try await remote.discfg("set", "/told/\(number)", "x") }
        var keys: [String] = []
        // The stream wakes the function, and the function writes to the queue.
        while keys.count < 3 {
            for body in try await ministack.messages(in: queue, waiting: 5) {
                let event = try JSONValue(parsing: Array(body.utf8))
                keys += (event["data"]?["changes"]?.array ?? []).compactMap { $0["key"]?.string }
            }
        }
        #expect(keys == ["/told/1", "/told/2", "/told/3"])
        let tested = try await remote.discfg("notify", "test", "q")
        #expect(tested.status == 0, "\(tested.error)")
        let body = try await ministack.messages(in: queue, waiting: 5).first
        #expect(body?.contains("dev.discfg.test") == true)
    }
}
