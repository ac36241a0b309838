import AWSClient

/// A pattern, ready to be matched: alternatives, each a list of values that all have to be there.
struct EventRule: Sendable {
    struct Field: Sendable {
        var path: String
        /// One of them has to match.
        var tests: [ValueTest]
    }

    /// `$or` inside of `$or` multiplies: no useful pattern has more alternatives.
    static let maximumAlternatives = 1000

    private var alternatives: [[Field]]

    init(pattern: AttributeValue) throws(PatternError) {
        guard let members = pattern.map else { throw Self.refusal("The pattern", "has to be an object") }
        alternatives = try Self.alternatives(members, at: "", after: [[]], isOption: false)
            .map { $0.sorted { $0.path < $1.path } }
    }

    /// A pattern that was built; one that cannot be, for an attribute `$or`, matches nothing.
    init(built pattern: AttributeValue) {
        do { self = try EventRule(pattern: pattern) } catch { alternatives = [] }
    }

    func matches(_ leaves: EventLeaves) -> Bool {
        alternatives.contains { Self.hold($0[...], in: leaves, at: [:]) }
    }

    /// Whether all of the fields are found, within the elements of arrays that the fields before were found in.
    private static func hold(_ fields: ArraySlice<Field>, in leaves: EventLeaves, at places: [Int: Int]) -> Bool {
        guard let field = fields.first else { return true }
        var isAbsent = true
        var tried: Set<[Int: Int]> = []
        for leaf in leaves[field.path] where places.allSatisfy({ leaf.places[$0.key, default: $0.value] == $0.value }) {
            isAbsent = false
            guard field.tests.contains(where: { $0.accepts(leaf.value) }) else { continue }
            let places = places.merging(leaf.places) { old, _ in old }
            if tried.insert(places).inserted, hold(fields.dropFirst(), in: leaves, at: places) { return true }
        }
        return isAbsent && field.tests.contains(.absent) && hold(fields.dropFirst(), in: leaves, at: places)
    }

    private static func alternatives(
        _ members: [String: AttributeValue], at path: String, after before: [[Field]], isOption: Bool
    ) throws(PatternError) -> [[Field]] {
        guard !members.isEmpty else { throw refusal(path.isEmpty ? "The pattern" : "“\(path)”", "is an empty object") }
        var alternatives = before
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let inner = EventLeaves.path(path, name)
            if isOption, ValueTest.words.contains(name) {
                throw refusal("“\(inner)”", "is named like an operator, which no member in “$or” may be")
            }
            switch value {
            case _ where name == "$or": alternatives = try either(value, at: path, after: alternatives)
            case .map(let members):
                alternatives = try self.alternatives(members, at: inner, after: alternatives, isOption: isOption)
            case .list(let values):
                let field = Field(path: inner, tests: try ValueTest.tests(values, at: inner))
                guard !alternatives.contains(where: { $0.contains { $0.path == inner } }) else {
                    throw refusal("“\(inner)”", "is named twice", hint: "Write the values into one array.")
                }
                for index in alternatives.indices { alternatives[index].append(field) }
            default:
                throw refusal(
                    "“\(inner)”", "has to be an object or an array", hint: "Write the value as [value].")
            }
        }
        return alternatives
    }

    private static func either(
        _ value: AttributeValue, at path: String, after before: [[Field]]
    ) throws(PatternError) -> [[Field]] {
        let place = "“\(EventLeaves.path(path, "$or"))”"
        guard let options = value.list, options.count >= 2 else {
            throw refusal(place, "has to be an array of two objects or more")
        }
        var alternatives: [[Field]] = []
        for option in options {
            guard let members = option.map else { throw refusal(place, "holds something that is no object") }
            alternatives += try self.alternatives(members, at: path, after: before, isOption: true)
            guard alternatives.count <= maximumAlternatives else {
                throw refusal(place, "makes more than \(maximumAlternatives) alternatives")
            }
        }
        return alternatives
    }

    static func refusal(_ place: String, _ reason: String, hint: String? = nil) -> PatternError {
        PatternError(.invalidArgument, "\(place) \(reason).", hint: hint)
    }
}
