import AWSClient
import AWSTestSupport
import DiscfgCore
import DynamoDBPatterns
import Foundation
import Testing

/// The stream function behind an event source mapping like the deployed one, on the table's real stream.
@Suite(
    "Stream mapping", DynamoDBStore.isAvailable,
    .enabled(
        if: RuntimeInterfaceEmulator.skipReason == nil, Comment(rawValue: RuntimeInterfaceEmulator.skipReason ?? "")))
struct StreamMappingTests {
    @Test("The template's filter wakes the function for commits alone, and what is delivered twice is sent once")
    func mapping() async throws {
        let ministack = try await Ministack.shared()
        try await DynamoDBStore.with { sandbox in
            try await sandbox.discfg("store", "init")
            let queue = try await ministack.createQueue("mapping-\(UInt32.random(in: 0 ... .max))")
            try await sandbox.discfg("notify", "add", "--to", "sqs:\(queue)", "--id", "q")
            for number in 1...3 { try await sandbox.discfg("set", "/p/\(number)", "1") }
            try await Self.withClient { client in
                let table = sandbox.store.dropFirst("dynamodb:".count).prefix { $0 != "?" }
                let description = try await DynamoDB(client).describeTable(.init(tableName: String(table))).table
                let stream = try #require(description?.latestStreamArn)
                let mapping = try EventSourceMapping(filter: FilterCriteria(Self.pattern()), batchSize: 2)

                var environment = sandbox.variables
                environment["DISCFG_STORE"] = sandbox.store
                try await RuntimeInterfaceEmulator.with(
                    bootstrap: "\(Sandbox.products)/discfg-lambda", handler: "stream", environment: environment,
                    timeout: 20
                ) { function in
                    var runner = EventSourceRunner(
                        mapping, of: stream, in: DynamoDBStreams(client), faults: .init(duplicates: 1)
                    ) { event in try await function.invoke(event) }
                    let progress = try await runner.drain()
                    // Four commits, the first of which made the config; all else that a commit writes is filtered.
                    #expect(progress.handled == 4)
                    #expect(progress.filtered == progress.read - 4)
                    #expect(progress.filtered > 4)
                    #expect(progress.failures == 0 && progress.repeated > 0)
                }
            }
            let bodies = try await ministack.messages(in: queue)
            let revisions = bodies.map { try? JSONValue(parsing: Array($0.utf8))["data"]?["revision"]?.integer }
            #expect(revisions == [2, 3, 4])
        }
    }

    /// Runs with a client, which is shut down whatever comes.
    private static func withClient(_ body: (AWSClient) async throws -> Void) async throws {
        let client = try AWSClient(
            region: Ministack.region, endpoint: try await Ministack.shared().url,
            credentials: StaticCredentials(
                accessKeyID: Ministack.rootKey.id, secretAccessKey: Ministack.rootKey.secret))
        do {
            try await body(client)
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    /// The filter of the SAM template, which Lambda would carry out.
    private static func pattern() throws -> EventPattern {
        let template = try String(contentsOfFile: DeploymentPrograms.file("deploy/sam/template.yaml"), encoding: .utf8)
        let lines = template.split(separator: "\n").drop { !$0.contains("- Pattern: >-") }.dropFirst()
        let json = lines.prefix { $0.contains("{") }.joined(separator: " ")
        return try EventPattern(json: json)
    }
}
