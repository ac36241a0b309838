import AWSClient
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Everything that a `MemoryDynamoDB` has behind its lock.
///
/// A class, so that a change of one table copies nothing.
final class MemoryState {
    private let clock: @Sendable () -> Date
    var generator: SeededGenerator
    private(set) var tables: [String: MemoryTable] = [:]
    var indexLag = 0
    var usage = MemoryDynamoDB.Usage()
    /// What was carried out in the last ten minutes, and perhaps before, by request token.
    private var transactions: [String: CarriedOut] = [:]
    /// How many of them are kept before the old ones are looked for.
    private var transactionRoom = 1000
    private var parsed: [String: ParsedExpression] = [:]
    private var streamCount = 0

    /// A transaction that is not to be carried out again.
    private struct CarriedOut {
        var writes: [ItemAction]
        var milliseconds: Int64
    }

    init(clock: @escaping @Sendable () -> Date, seed: UInt64) {
        self.clock = clock
        generator = SeededGenerator(seed: seed)
    }

    /// Milliseconds since 1970.
    var now: Int64 { Int64((clock().timeIntervalSince1970 * 1000).rounded(.down)) }

    /// The transaction that was carried out with a token within the last ten minutes.
    func transaction(_ token: String) -> [ItemAction]? {
        transactions[token].flatMap { $0.milliseconds > now - 600_000 ? $0.writes : nil }
    }

    /// Keeps a transaction from being carried out again.
    func remember(_ writes: [ItemAction], as token: String) {
        let milliseconds = now
        transactions[token] = CarriedOut(writes: writes, milliseconds: milliseconds)
        guard transactions.count > transactionRoom else { return }
        transactions = transactions.filter { $0.value.milliseconds > milliseconds - 600_000 }
        transactionRoom = max(1000, 2 * transactions.count)
    }

    /// The table of a name or ARN.
    func table(_ name: String) throws(AWSError) -> MemoryTable {
        let name = name.hasPrefix("arn:") ? name.split(separator: "/").last.map(String.init) ?? name : name
        guard let table = tables[name] else {
            throw .refused(.resourceNotFound, "Requested resource not found: Table: \(name) not found")
        }
        return table
    }

    func createTable(_ request: CreateTableRequest, timeToLive: String?, streamShards: Int) throws(AWSError) {
        guard tables[request.tableName] == nil else {
            throw .refused(.resourceInUse, "Table already exists: \(request.tableName)")
        }
        let table = try MemoryTable(request, timeToLive: timeToLive)
        if let specification = request.streamSpecification, specification.streamEnabled {
            streamCount += 1
            let label = "stream-\(streamCount)"
            table.stream = MemoryStream(
                arn: "arn:aws:dynamodb:us-east-1:000000000000:table/\(table.name)/stream/\(label)", label: label,
                viewType: specification.streamViewType ?? .newAndOldImages, created: Double(now / 1000),
                shards: max(1, streamShards))
        }
        tables[table.name] = table
    }

    func deleteTable(_ name: String) throws(AWSError) { tables[try table(name).name] = nil }

    /// Reads an expression, or remembers what was read before.
    func parse(_ text: String, _ kind: ExpressionParser.Kind) throws(AWSError) -> ParsedExpression {
        let key = "\(kind.rawValue) \(text)"
        if let expression = parsed[key] { return expression }
        let expression = try ExpressionParser.parse(text, kind)
        if parsed.count >= 10_000 { parsed = [:] }
        parsed[key] = expression
        return expression
    }
}

extension MemoryState {
    /// The expressions of one request, read and checked.
    struct Expressions {
        var context: ExpressionContext
        var condition: ConditionTree?
        var keyCondition: ConditionTree?
        var update: UpdateTree?
        var projection: ProjectionNode?
    }

    /// Reads the expressions of a request.
    func expressions(
        names: [String: String]?, values: [String: AttributeValue]?, condition: String? = nil, filter: String? = nil,
        keyCondition: String? = nil, update: String? = nil, projection: String? = nil
    ) throws(AWSError) -> Expressions {
        let context = try ExpressionContext(names: names, values: values)
        var result = Expressions(context: context)
        var all: [(ExpressionParser.Kind, ParsedExpression)] = []
        let texts: [(String?, ExpressionParser.Kind)] = [
            (condition, .condition), (filter, .filter), (keyCondition, .keyCondition), (update, .update),
            (projection, .projection),
        ]
        for case (let text?, let kind) in texts {
            let expression = try parse(text, kind)
            all.append((kind, expression))
            switch expression.tree {
            case .condition(let tree):
                if kind == .keyCondition { result.keyCondition = tree } else { result.condition = tree }
            case .update(let tree): result.update = tree
            case .projection(let paths):
                let paths = paths.map(context.resolve)
                try Self.checkDistinct(paths, .projection)
                result.projection = ProjectionNode(paths)
            }
        }
        try context.check(all)
        for case (let kind, .condition(let tree)) in all.map({ ($0.0, $0.1.tree) }) {
            try context.checkTypes(of: tree, kind)
        }
        return result
    }

    /// Makes sure that no path leads through another.
    static func checkDistinct(_ paths: [DocumentPath], _ kind: ExpressionParser.Kind) throws(AWSError) {
        for (index, path) in paths.enumerated() {
            for other in paths[..<index] where path.overlaps(other) {
                throw .invalidExpression(
                    kind.rawValue,
                    "Two document paths overlap with each other; must remove or rewrite one of these paths;")
            }
        }
    }
}
