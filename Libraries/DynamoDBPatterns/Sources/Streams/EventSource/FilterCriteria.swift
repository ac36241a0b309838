public import AWSClient

/// Up to five patterns, of which a record has to match one: the filter of one event source mapping.
///
/// Print it into the template that deploys the function, and give it to `EventSourceRunner` in tests: one filter, for
/// both.
public struct FilterCriteria: Sendable, Hashable {
    /// The patterns, of which a record has to match one.
    public let patterns: [EventPattern]

    /// A filter.
    ///
    /// - Parameter patterns: One to five patterns, each of at most 4,096 characters.
    /// - Throws: `PatternError` with code `invalidArgument` for more, none or longer ones.
    public init(_ patterns: [EventPattern]) throws(PatternError) {
        guard (1...5).contains(patterns.count) else {
            throw PatternError(
                .invalidArgument, "A filter has \(patterns.count) patterns.",
                hint: "Lambda takes 1 to 5; “$or” in a pattern and several values in an array say more in one.")
        }
        for pattern in patterns {
            let length = pattern.json.utf16.count
            guard length <= 4096 else {
                throw PatternError(.invalidArgument, "A pattern has \(length) characters.", hint: "Lambda takes 4,096.")
            }
            _ = try EventRule(pattern: pattern.object)
        }
        self.patterns = patterns
    }

    /// A filter with one pattern.
    public init(_ pattern: EventPattern) throws(PatternError) { try self.init([pattern]) }

    /// Whether Lambda would send a record to the function.
    public func matches(_ record: StreamRecord) -> Bool { matches(object: LambdaEvent.object(of: record)) }

    func matches(object: AttributeValue) -> Bool {
        let leaves = EventLeaves(of: object)
        return patterns.contains { $0.matches(leaves) }
    }
}

extension FilterCriteria {
    /// The filter in Lambda's own JSON: `{"Filters":[{"Pattern":"…"}]}`.
    public var json: String {
        AttributeValue.map(["Filters": .list(patterns.map { .map(["Pattern": .string($0.json)]) })]).sortedJSON
    }

    /// The property `FilterCriteria` of an event of an `AWS::Serverless::Function`, in YAML.
    ///
    /// - Parameter indent: How many spaces each line begins with.
    /// - Returns: The lines, each with its end.
    public func samSnippet(indent: Int = 0) -> String {
        let lines = patterns.map { "    - Pattern: '\($0.json.replacing("'", with: "''"))'" }
        return Snippet.text(["FilterCriteria:", "  Filters:"] + lines, indent: indent)
    }

    /// The block `filter_criteria` of an `aws_lambda_event_source_mapping`, for Terraform.
    ///
    /// - Parameter indent: How many spaces each line begins with.
    /// - Returns: The lines, each with its end.
    public func terraformSnippet(indent: Int = 0) -> String {
        let filters = patterns.flatMap { pattern in
            ["  filter {", "    pattern = jsonencode(\(Snippet.hcl(pattern.object)))", "  }"]
        }
        return Snippet.text(["filter_criteria {"] + filters + ["}"], indent: indent)
    }
}

/// Text for templates.
enum Snippet {
    static func text(_ lines: [String], indent: Int) -> String {
        let space = String(repeating: " ", count: max(indent, 0))
        return lines.map { space + $0 + "\n" }.joined()
    }

    /// A value as an expression of Terraform's language, in which `${` and `%{` begin templates.
    static func hcl(_ value: AttributeValue) -> String {
        switch value {
        case .map(let members):
            let texts = members.sorted { $0.key < $1.key }.map { "\(hcl(.string($0.key))) = \(hcl($0.value))" }
            return "{ " + texts.joined(separator: ", ") + " }"
        case .list(let elements): return "[" + elements.map(hcl).joined(separator: ", ") + "]"
        default: return value.sortedJSON.replacing("${", with: "$${").replacing("%{", with: "%%{")
        }
    }
}
