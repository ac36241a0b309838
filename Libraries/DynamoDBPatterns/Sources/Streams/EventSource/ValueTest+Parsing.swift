import AWSClient

extension ValueTest {
    private static let supported = [
        "anything-but", "equals-ignore-case", "exists", "numeric", "prefix", "suffix",
    ]
    private static let refused = ["cidr", "wildcard"]
    /// What cannot be a member's name in `$or`, however deep: what there is of operators, and what is kept for later.
    static let words = Set(
        supported + refused + [
            "=", "<", "<=", ">", ">=", "date-after", "date-before", "date-on-or-after", "date-on-or-before", "exactly",
            "in-date-range", "ip-address-in-range", "ip-address-not-in-range", "not-equals-ignore-case",
            "not-wildcard", "regex",
        ])

    /// The tests that an array in a pattern holds.
    static func tests(_ values: [AttributeValue], at path: String) throws(PatternError) -> [ValueTest] {
        guard !values.isEmpty else { throw EventRule.refusal("“\(path)”", "is an empty array") }
        var tests: [ValueTest] = []
        for value in values {
            switch value {
            case .string, .number, .bool, .null: tests.append(.equals(value))
            case .map(let members): tests.append(try test(members, at: path))
            default: throw EventRule.refusal("“\(path)”", "holds an array in its array")
            }
        }
        return tests
    }

    private static func test(_ members: [String: AttributeValue], at path: String) throws(PatternError) -> ValueTest {
        let (word, operand) = try single(members, at: path)
        let place = "“\(word)” at “\(path)”"
        switch word {
        case "prefix", "suffix", "equals-ignore-case": return try textTest(word, operand, at: place)
        case "exists":
            guard let exists = operand.bool else { throw EventRule.refusal(place, "needs true or false") }
            return exists ? .exists : .absent
        case "numeric":
            guard let terms = operand.list, let range = NumericRange(terms) else {
                throw EventRule.refusal(
                    place, "is no range of numbers", hint: "Such as [\"=\", 5], [\"<\", 10] or [\">\", 0, \"<=\", 5].")
            }
            return .numeric(range)
        case "anything-but": return .anythingBut(try exceptions(operand, at: place))
        case _ where refused.contains(word):
            throw EventRule.refusal(place, "is an operator of EventBridge that Lambda's mappings do not take")
        default:
            throw EventRule.refusal(
                place, "is no operator", hint: "There are \(supported.joined(separator: ", ")) and $or.")
        }
    }

    private static func single(
        _ members: [String: AttributeValue], at path: String
    ) throws(PatternError) -> (String, AttributeValue) {
        guard let (word, operand) = members.first, members.count == 1 else {
            throw EventRule.refusal("An object in the array at “\(path)”", "needs exactly one operator")
        }
        return (word, operand)
    }

    /// `prefix` and `suffix` of a text, or of `{"equals-ignore-case": text}`; `equals-ignore-case` of a text.
    private static func textTest(
        _ word: String, _ operand: AttributeValue, at place: String
    ) throws(PatternError) -> ValueTest {
        var text = operand.string
        var ignoringCase = false
        if word != "equals-ignore-case", operand.map?.count == 1, let inner = operand.map?["equals-ignore-case"] {
            (text, ignoringCase) = (inner.string, true)
        }
        guard let text else { throw EventRule.refusal(place, "needs a text") }
        return switch word {
        case "prefix": .prefix(text, ignoringCase: ignoringCase)
        case "suffix": .suffix(text, ignoringCase: ignoringCase)
        default: .equalsIgnoringCase(text)
        }
    }

    /// A value, a list of texts or of numbers, or `prefix`, `suffix` or `equals-ignore-case` with texts.
    private static func exceptions(
        _ operand: AttributeValue, at place: String
    ) throws(PatternError) -> [ValueTest] {
        if let members = operand.map {
            let (word, inner) = try single(members, at: place)
            guard ["prefix", "suffix", "equals-ignore-case"].contains(word) else {
                throw EventRule.refusal(place, "does not go with “\(word)”")
            }
            let texts = inner.list ?? [inner]
            guard !texts.isEmpty, texts.allSatisfy({ $0.string.map { !$0.isEmpty } ?? false }) else {
                throw EventRule.refusal(place, "needs texts that are not empty")
            }
            var tests: [ValueTest] = []
            for text in texts { tests.append(try textTest(word, text, at: place)) }
            return tests
        }
        let values = operand.list ?? [operand]
        guard !values.isEmpty, values.allSatisfy({ $0.string != nil }) || values.allSatisfy({ $0.number != nil }) else {
            throw EventRule.refusal(place, "needs texts only, or numbers only")
        }
        return values.map(ValueTest.equals)
    }
}

extension NumericRange {
    /// The range that `["=", 5]`, `[">", 0]` or `[">=", 0, "<", 10]` stands for; `nil` for anything else.
    init?(_ terms: [AttributeValue]) {
        guard let first = terms.first?.string, terms.count == 2 || terms.count == 4, let number = terms[1].double else {
            return nil
        }
        self.init()
        switch (first, terms.count) {
        case ("=", 2): (lower, upper) = (number, number)
        case ("<", 2), ("<=", 2): (upper, includesUpper) = (number, first == "<=")
        case (">", _), (">=", _): (lower, includesLower) = (number, first == ">=")
        default: return nil
        }
        guard terms.count == 4 else { return }
        guard let second = terms[2].string, ["<", "<="].contains(second), let end = terms[3].double, number < end else {
            return nil
        }
        (upper, includesUpper) = (end, second == "<=")
    }
}
