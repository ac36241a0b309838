import DiscfgCore
import DiscfgDynamoDB
import DiscfgDynamoDBTestSupport
import DynamoDBPatternsTesting
import Testing

@Suite("The throughput in the settings of a table")
struct ThroughputTests {
    private func throughput(_ text: String) throws -> TableThroughput? {
        try TableThroughput(ConfigSettings(json: JSONValue(parsing: text)).store)
    }

    @Test("Throughput is provisioned with both units, or on demand, and is written as it is read")
    func reads() throws {
        #expect(try throughput("{}") == nil)
        let units = try throughput(#"{"ReadCapacityUnits":4,"WriteCapacityUnits":2}"#)
        #expect(units == .provisioned(readUnits: 4, writeUnits: 2))
        #expect(try throughput(#"{"BillingMode":"PAY_PER_REQUEST"}"#) == .onDemand)
        for throughput in [TableThroughput.onDemand, .provisioned(readUnits: 1, writeUnits: .max)] {
            #expect(try TableThroughput(throughput.settings) == throughput)
        }
    }

    @Test(
        "What is unknown, incomplete or out of range is refused before anything is written",
        arguments: [
            #"{"ReadCapacityUnits":4}"#, #"{"WriteCapacityUnits":4}"#,
            #"{"ReadCapacityUnits":0,"WriteCapacityUnits":4}"#, #"{"ReadCapacityUnits":"4","WriteCapacityUnits":4}"#,
            #"{"BillingMode":"PROVISIONED"}"#,
            #"{"BillingMode":"PAY_PER_REQUEST","ReadCapacityUnits":4,"WriteCapacityUnits":4}"#, #"{"Color":"x"}"#,
        ])
    func refuses(text: String) async throws {
        let settings = try ConfigSettings(json: JSONValue(parsing: text))
        let engine = InProcessDynamoDB(MemoryDynamoDB()).engine()
        let first = Commit(revision: 1, time: Timestamp(milliseconds: 1), author: "", message: "", changes: [])
        let error = await #expect(throws: DiscfgError.self) {
            try await engine.createConfig(try ConfigName("a"), settings: settings, first: first)
        }
        #expect(error?.code == .invalidRequest && error?.hint != nil, "\(text)")
        #expect(try await !engine.manager.exists())
    }
}
