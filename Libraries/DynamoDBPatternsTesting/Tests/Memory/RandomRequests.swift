import AWSClient
import DynamoDBPatterns
import DynamoDBPatternsTesting

/// Requests as chance has them, right ones and wrong ones, for the table of `Fixture`.
struct RandomRequests {
    private var generator: SeededGenerator
    var names: [String: String] = [:]
    private var values: [String: AttributeValue] = [:]
    let table: String

    init(seed: UInt64, table: String) {
        generator = SeededGenerator(seed: seed)
        self.table = table
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(generator.next() % UInt64(elements.count))]
    }

    mutating func number(below limit: UInt64) -> Int { Int(generator.next() % limit) }

    mutating func chance(_ percent: UInt64) -> Bool { generator.next() % 100 < percent }

    var namesOrNil: [String: String]? { names.isEmpty ? nil : names }
    var valuesOrNil: [String: AttributeValue]? { values.isEmpty ? nil : values }

    mutating func begin() {
        names = [:]
        values = [:]
    }

    mutating func key() -> [String: AttributeValue] {
        ["pk": .string(pick(["a", "b", "ä"])), "sk": .number(pick(["-2", "0", "1", "2.5", "10"]))]
    }

    private mutating func value(_ depth: Int = 0) -> AttributeValue {
        switch generator.next() % (depth < 2 ? 10 : 5) {
        case 0, 1: .number(pick(["0", "1", "-1", "2.50", "1e2", "12345678901234567890", "0.001"]))
        case 2: .string(pick(["", "a", "ab", "abc", "b", "ü"]))
        case 3: .bool(chance(50))
        case 4: pick([.null, .binary([1, 2]), .binary([1])])
        case 5, 6: .list((0..<generator.next() % 4).map { _ in value(depth + 1) })
        case 7:
            .map(
                Dictionary(
                    uniqueKeysWithValues: ["x", "y"].prefix(Int(generator.next() % 3)).map { ($0, value(depth + 1)) }))
        case 8: .stringSet(pick([["a"], ["a", "b"], ["c", "a"]]))
        default: .numberSet(pick([["1"], ["1", "2"], ["3", "1.0"]]))
        }
    }

    mutating func item() -> [String: AttributeValue] {
        var item = key()
        for name in ["n", "m", "l", "s", "v"] where chance(40) { item[name] = value() }
        if chance(60) { item["n"] = .number(pick(["0", "1", "7", "-3.5"])) }
        if chance(50) { item["group"] = .string(pick(["g", "h"])) }
        if chance(50) { item["rank"] = .number(pick(["1", "2", "30"])) }
        if chance(2) { item["group"] = .integer(1) }
        return item
    }

    private mutating func path() -> String {
        let root = pick(["n", "m", "l", "s", "v", "group", "rank"])
        var text = root
        if chance(40) || root == "group" || root == "rank" {
            names["#\(root)"] = root
            text = "#\(root)"
        }
        if chance(25) { text += pick([".x", ".y", "[0]", "[1]", ".x[0]", "[0].y"]) }
        return text
    }

    private mutating func operand() -> String { chance(20) ? placeholder(value()) : pathOrSize() }

    private mutating func pathOrSize() -> String { chance(20) ? "size(\(path()))" : path() }

    mutating func placeholder(_ value: AttributeValue) -> String {
        let text = ":v\(values.count)"
        values[text] = value
        return text
    }

    mutating func condition(_ depth: Int = 0) -> String {
        switch generator.next() % (depth < 2 ? 16 : 12) {
        case 0: "attribute_exists(\(path()))"
        case 1: "attribute_not_exists(\(path()))"
        case 2: "attribute_type(\(path()), \(placeholder(.string(pick(["S", "N", "L", "M", "SS"])))))"
        case 3: "begins_with(\(path()), \(placeholder(.string(pick(["", "a", "ab"])))))"
        case 4: "contains(\(path()), \(placeholder(pick([.integer(1), .string("a"), .bool(true), .null]))))"
        case 5: "\(path()) BETWEEN \(placeholder(.integer(-1))) AND \(placeholder(.integer(5)))"
        case 6: "\(path()) IN (\(placeholder(value())), \(placeholder(value())))"
        case 7, 8: "\(operand()) \(pick(["=", "<>"])) \(placeholder(value(2)))"
        case 9...11:
            "\(pathOrSize()) \(pick(["<", "<=", ">", ">="])) \(placeholder(pick([.integer(1), .string("ab"), .binary([1])])))"
        case 12: "(\(condition(depth + 1)) OR \(condition(depth + 1)))"
        case 13: "\(condition(depth + 1)) AND \(condition(depth + 1))"
        case 14: "\(condition(depth + 1)) OR \(condition(depth + 1)) AND \(condition(depth + 1))"
        default: "NOT \(condition(depth + 1))"
        }
    }

    mutating func updateExpression() -> String {
        var roots = ["n", "m", "l", "s", "v"]
        var clauses: [String] = []
        if chance(70) {
            var sets: [String] = []
            for _ in 0...generator.next() % 2 {
                let root = roots.remove(at: Int(generator.next() % UInt64(roots.count)))
                sets.append("\(root)\(chance(25) ? pick([".x", "[0]", "[3]", ".x.y"]) : "") = \(updateValue())")
            }
            clauses.append("SET " + sets.joined(separator: ", "))
        }
        if chance(30), roots.contains("v") {
            clauses.append("REMOVE v" + (chance(40) ? pick(["[0]", "[1]", ".x"]) : ""))
        }
        if chance(30), roots.contains("n") {
            clauses.append("ADD n \(placeholder(pick([.integer(2), .number("0.5")])))")
        }
        if chance(20), roots.contains("s") {
            clauses.append(
                "\(clauses.last?.hasPrefix("ADD") == true ? "DELETE" : pick(["ADD", "DELETE"])) s \(placeholder(.stringSet(pick([["a", "q"], ["c"]]))))"
            )
        }
        return clauses.isEmpty ? "SET n = \(placeholder(.integer(1)))" : clauses.joined(separator: " ")
    }

    private mutating func updateValue() -> String {
        switch generator.next() % 8 {
        case 0: "if_not_exists(\(path()), \(placeholder(value())))"
        case 1: "list_append(if_not_exists(l, \(placeholder(.list([])))), \(placeholder(.list([value()]))))"
        case 2: "n \(pick(["+", "-"])) \(placeholder(.number(pick(["1", "0.25"]))))"
        case 3: path()
        default: placeholder(value())
        }
    }
}
