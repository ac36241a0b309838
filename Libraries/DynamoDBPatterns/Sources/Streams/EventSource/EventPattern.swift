public import AWSClient

/// Which records of a stream a function is woken for, in the filter language of EventBridge, as far as Lambda's event
/// source mappings for DynamoDB take it.
///
/// A record that matches none of a mapping's patterns costs no invocation. Parse a pattern from its JSON, or build it:
///
/// ```swift
/// let ready = try EventPattern.newImage("state", equals: "READY").and(.eventName(.modify))
/// ready.matches(record)   // as Lambda would decide
/// print(ready.json)       // {"dynamodb":{"NewImage":{"state":{"S":["READY"]}}},"eventName":["MODIFY"]}
/// ```
///
/// - All members of an object have to match; of an array, one element has to.
/// - A value is written in an array: `{"S": ["READY"]}`, or `[{"prefix": "a"}]`, `suffix`, `equals-ignore-case`,
///   `anything-but`, `numeric`, `exists`; `$or` holds alternatives. `wildcard` and `cidr` are refused: Lambda does not
///   take them. Of `anything-but`, Lambda's documentation names values and lists of them only.
/// - `numeric` compares JSON numbers, as doubles. DynamoDB's numbers are texts in records (`{"N": "42"}`): no numeric
///   pattern ever matches them, and `["42"]` matches that spelling only. Filter on string markers instead.
/// - `exists` looks at values, not at objects: `{"state": [{"exists": true}]}` never matches, since an attribute is an
///   object with its type; `{"state": {"S": [{"exists": true}]}}` does. `exists: false` matches too where an object
///   above is missing, such as the image of a view without images.
///
/// Where AWS's pages and AWS's code differ, it is the code that counts here: `[300]` takes `300.0` and `3e2`, too, and
/// not only `dynamodb` can be filtered, but all of a record, as AWS's own examples for `eventName` and expiry do.
///
/// Sources: the developer guide of AWS Lambda, “Control which events Lambda sends to your function”; the user guide of
/// Amazon EventBridge, “Comparison operators for use in event patterns”; the behaviour of aws/event-ruler.
public struct EventPattern: Sendable {
    /// The pattern's JSON, in one line, members in the order of their names.
    public let json: String
    let object: AttributeValue
    private let rule: EventRule

    /// Parses a pattern.
    ///
    /// - Parameter json: The JSON of the pattern, an object.
    /// - Throws: `PatternError` with code `invalidArgument`, which says what is wrong at which place.
    public init(json: String) throws(PatternError) {
        let object: AttributeValue
        do {
            object = try JSONReader.value(of: Array(json.utf8))
        } catch {
            throw PatternError(.invalidArgument, "An event pattern is no JSON: \(error).")
        }
        try self.init(object: object)
    }

    /// A pattern out of the parts that `EventPattern` offers; `FilterCriteria` checks it once more.
    init(built members: [String: AttributeValue]) {
        object = .map(members)
        rule = EventRule(built: object)
        json = object.sortedJSON
    }

    init(object: AttributeValue) throws(PatternError) {
        rule = try EventRule(pattern: object)
        self.object = object
        json = object.sortedJSON
    }

    /// Whether Lambda would send a record to the function.
    ///
    /// - Parameter record: A record, as the stream or Lambda has it.
    /// - Returns: Whether it matches.
    public func matches(_ record: StreamRecord) -> Bool { matches(object: LambdaEvent.object(of: record)) }

    /// Whether an event matches that is there as JSON.
    ///
    /// - Parameter json: The JSON of one record.
    /// - Returns: Whether it matches.
    /// - Throws: `PatternError` with code `invalidArgument` for what is no JSON object.
    public func matches(json: String) throws(PatternError) -> Bool {
        guard let object = try? JSONReader.value(of: Array(json.utf8)), object.map != nil else {
            throw PatternError(.invalidArgument, "An event is no JSON object.")
        }
        return matches(object: object)
    }

    func matches(object: AttributeValue) -> Bool { rule.matches(EventLeaves(of: object)) }

    func matches(_ leaves: EventLeaves) -> Bool { rule.matches(leaves) }
}

extension EventPattern: Hashable {
    /// Whether both were written by the same bytes of JSON.
    public static func == (left: EventPattern, right: EventPattern) -> Bool {
        left.json.utf8.elementsEqual(right.json.utf8)
    }

    /// Hashes the JSON.
    public func hash(into hasher: inout Hasher) { hasher.combine(json) }
}

extension EventPattern: CustomStringConvertible {
    /// The pattern in JSON, with sorted members.
    public var description: String { json }
}

extension AttributeValue {
    /// The JSON of this shape: always the same text, and free of the characters that YAML does not print.
    var sortedJSON: String {
        let text = String(decoding: JSONWriter.bytes(of: self, sortingMembers: true), as: UTF8.self)
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF:
                let digits = String(scalar.value, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
