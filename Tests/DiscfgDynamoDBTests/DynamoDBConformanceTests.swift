import AWSTestSupport
import DiscfgCore
import DiscfgDynamoDB
import DiscfgTestSupport
import Testing

@Suite("The engine on DynamoDB keeps the contract of storage engines", DynamoDBFixture.isAvailable)
struct DynamoDBConformanceTests {
    @Test("It conforms", .serialized, arguments: StorageConformance.cases)
    func conforms(_ testCase: StorageConformance.Case) async throws {
        let fixture = try await DynamoDBFixture()
        try await StorageConformance { fixture.engine() }.run(testCase)
    }

    @Test(
        "Its leases conform behind a network and a DynamoDB that fail in every way", .serialized,
        arguments: StorageConformance.leaseCases)
    func leasesConformBehindFaults(_ testCase: StorageConformance.Case) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await FaultProxy.with(before: try await Ministack.shared().url) { proxy in
            let fixture = try await DynamoDBFixture(endpoint: proxy.url, retry: Clients.patient)
            proxy.delay = .milliseconds(20)
            proxy.plan = FaultProxy.Plan(
                faults: DynamoDBServiceTests.faults, percentage: 25, maximumInARow: 2, seed: seed)
            try await StorageConformance(seed: seed) { fixture.engine() }.run(testCase)
        }
    }
}

@Suite("The service keeps discfg's rules on DynamoDB", DynamoDBFixture.isAvailable)
struct DynamoDBServiceTests {
    @Test("It conforms, with engines that know nothing of each other", .serialized, arguments: ServiceConformance.cases)
    func conforms(_ testCase: ServiceConformance.Case) async throws {
        let fixture = try await DynamoDBFixture()
        try await ServiceConformance { { fixture.engine() } }.run(testCase)
    }

    @Test(
        "It conforms behind a network and a DynamoDB that fail in every way", .serialized,
        arguments: ServiceConformance.cases.filter { !$0.bringsFaults })
    func conformsBehindFaults(_ testCase: ServiceConformance.Case) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await FaultProxy.with(before: try await Ministack.shared().url) { proxy in
            let fixture = try await DynamoDBFixture(endpoint: proxy.url, retry: Clients.patient)
            proxy.delay = .milliseconds(20)
            proxy.plan = FaultProxy.Plan(
                faults: Self.faults, percentage: 25, maximumInARow: 2, seed: seed)
            try await ServiceConformance(seed: seed) { { fixture.engine() } }.run(testCase)
        }
    }

    static let faults: [FaultProxy.Fault] = [
        .lostReply, .lostRequest, .cut, .slow, .crcMismatch, .throttled, .provisionedThroughputExceeded,
        .transactionConflict, .internalError, .internalErrorAfterEffect,
    ]
}
