import DynamoDBPatterns
import DynamoDBPatternsTesting

/// A process's way to DynamoDB that ends with the process once an effect has begun.
struct DiesWithEffect: DynamoDBDecorator {
    let base: any DynamoDBAPI
    let before: Int
    let ledger: EffectLedger
    let key: String

    init(base: any DynamoDBAPI, ledger: EffectLedger, key: String) {
        self.base = base
        self.ledger = ledger
        self.key = key
        before = ledger.count(of: key)
    }

    func around<Answer: Sendable>(
        _ call: DynamoDBCall, _ carryOut: () async throws -> Answer
    ) async throws -> Answer {
        if ledger.count(of: key) > before { throw SimulatedCrash() }
        return try await carryOut()
    }
}
