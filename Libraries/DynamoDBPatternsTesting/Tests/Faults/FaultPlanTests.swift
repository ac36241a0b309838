import Testing

@testable import DynamoDBPatternsTesting

@Suite struct FaultPlanTests {
    private let write = DynamoDBCall(.updateItem)

    @Test("A plan names calls by their numbers")
    func numbers() {
        let plan = FaultPlan.at([2: .throttled, 4: .crashAfter])
        #expect((1...5).map { plan.fault(at: $0, for: write) } == [nil, .throttled, nil, .crashAfter, nil])
        #expect((1...5).allSatisfy { FaultPlan.none.fault(at: $0, for: write) == nil })
    }

    @Test("Random faults come again with the same seed, and as often as planned")
    func random() {
        func faults(_ plan: FaultPlan) -> [Fault?] { (1...10_000).map { plan.fault(at: $0, for: write) } }
        let plan = FaultPlan.random(seed: 7, percent: 10)
        #expect(faults(plan) == faults(plan))
        #expect(faults(plan) != faults(.random(seed: 8, percent: 10)))
        #expect(faults(plan) != faults(plan.mixed(with: 1)))
        let happened = faults(plan).compactMap(\.self)
        #expect((900...1100).contains(happened.count))
        for fault in Fault.allCases { #expect(happened.count { $0 == fault } > 90, "\(fault)") }
    }

    @Test("Reads meet no conflicts, and calls of streams neither")
    func conflicts() {
        let plan = FaultPlan.at(call: 1, .conflict)
        for operation in DynamoDBCall.Operation.allCases {
            let isMet = plan.fault(at: 1, for: DynamoDBCall(operation)) != nil
            let isExpected: Set<DynamoDBCall.Operation> = [
                .putItem, .updateItem, .deleteItem, .transactGetItems, .transactWriteItems,
            ]
            #expect(isMet == isExpected.contains(operation), "\(operation)")
        }
    }
}
