import AWSClient
import DynamoDBPatterns
@testable import DynamoDBPatternsTesting

/// One request of any kind.
enum RandomRequest: Sendable {
    case get(GetItemRequest)
    case put(PutItemRequest)
    case update(UpdateItemRequest)
    case delete(DeleteItemRequest)
    case query(QueryRequest)
    case scan(ScanRequest)
    case batchGet(BatchGetItemRequest)
    case batchWrite(BatchWriteItemRequest)
    case transaction(TransactWriteItemsRequest)
}

/// What came of a request, without what two DynamoDBs may do differently: the order of sets and of scans, messages.
struct RandomAnswer: Equatable {
    var error: String?
    /// In whose words; not compared.
    var message = Ignored("")
    var items: [[String: AttributeValue]] = []
    var last: [String: AttributeValue]?
    var counts: [Int] = []
    var reasons: [String] = []
}

/// What is equal to everything.
struct Ignored: Equatable {
    var text: String
    init(_ text: String) { self.text = text }
    static func == (first: Ignored, second: Ignored) -> Bool { true }
}

extension RandomRequest {
    func answer(of db: some DynamoDBAPI) async -> RandomAnswer {
        var answer = RandomAnswer()
        do {
            switch self {
            case .get(let request): answer.items = [try await db.getItem(request).item ?? [:]]
            case .put(let request): answer.items = [try await db.putItem(request).attributes ?? [:]]
            case .update(let request): answer.items = [try await db.updateItem(request).attributes ?? [:]]
            case .delete(let request): answer.items = [try await db.deleteItem(request).attributes ?? [:]]
            case .query(let request):
                let response = try await db.query(request)
                answer.items = response.items ?? []
                answer.last = response.lastEvaluatedKey
                answer.counts = [response.count ?? -1, response.scannedCount ?? -1]
            case .scan(let request):
                let response = try await db.scan(request)
                answer.items = (response.items ?? []).inKeyOrder
                answer.counts = [response.count ?? -1, response.scannedCount ?? -1]
            case .batchGet(let request):
                answer.items = (try await db.batchGetItem(request).responses ?? [:]).values.flatMap { $0 }.inKeyOrder
            case .batchWrite(let request): _ = try await db.batchWriteItem(request)
            case .transaction(let request): _ = try await db.transactWriteItems(request, retryingContention: false)
            }
        } catch let error as AWSError {
            answer.error = error.code.rawValue
            answer.message = Ignored(error.message)
            answer.items = [error.conditionCheckFailedItem ?? [:]] + error.cancellationReasons.map { $0.item ?? [:] }
            answer.reasons = error.cancellationReasons.map(\.code.rawValue)
        } catch {
            answer.error = "\(error)"
        }
        answer.items = answer.items.map { (try? $0.canonical()) ?? $0 }
        return answer
    }
}

extension [[String: AttributeValue]] {
    /// In the order of the keys of `Fixture`'s table.
    var inKeyOrder: Self {
        sorted { first, second in
            let (one, other) = (first["pk"]?.sortableText ?? "", second["pk"]?.sortableText ?? "")
            return one != other ? one < other : (first["sk"]?.sortableText ?? "") < (second["sk"]?.sortableText ?? "")
        }
    }
}
