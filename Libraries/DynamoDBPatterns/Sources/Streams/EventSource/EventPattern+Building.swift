public import AWSClient

extension EventPattern {
    /// What an attribute that is a text has to be.
    public struct Test: Sendable {
        let values: [AttributeValue]

        /// One of these texts.
        public static func equals(_ text: String, _ others: String...) -> Test {
            Test(values: ([text] + others).map(AttributeValue.string))
        }

        /// There as a text, and none of these.
        public static func differs(_ text: String, _ others: String...) -> Test {
            Test(values: [.map(["anything-but": .list(([text] + others).map(AttributeValue.string))])])
        }

        /// A text that begins with this.
        public static func hasPrefix(_ text: String) -> Test { Test(values: [.map(["prefix": .string(text)])]) }

        /// A text that ends with this.
        public static func hasSuffix(_ text: String) -> Test { Test(values: [.map(["suffix": .string(text)])]) }

        /// Any text.
        public static var exists: Test { Test(values: [.map(["exists": .bool(true)])]) }

        /// No text: not there, or of another type.
        public static var absent: Test { Test(values: [.map(["exists": .bool(false)])]) }

        /// This or the other.
        public func or(_ other: Test) -> Test { Test(values: values + other.values) }
    }

    /// Records whose item now has this text in an attribute.
    ///
    /// - Parameters:
    ///   - attribute: The attribute's name, at the top of the item.
    ///   - text: The text, whole.
    /// - Returns: The pattern.
    public static func newImage(_ attribute: String, equals text: String) -> EventPattern {
        newImage(attribute, .equals(text))
    }

    /// Records whose item is now as tested; needs a stream with new images.
    public static func newImage(_ attribute: String, _ test: Test) -> EventPattern {
        EventPattern(image: "NewImage", attribute, test)
    }

    /// Records whose item was as tested before; needs a stream with old images.
    public static func oldImage(_ attribute: String, _ test: Test) -> EventPattern {
        EventPattern(image: "OldImage", attribute, test)
    }

    /// Records of items whose key is as tested.
    public static func keys(_ attribute: String, _ test: Test) -> EventPattern {
        EventPattern(image: "Keys", attribute, test)
    }

    /// Records in which an attribute becomes this text: it is now, and was not before.
    ///
    /// Needs a stream with both images; without old images, every record with the text matches.
    public static func becomes(_ attribute: String, _ text: String) -> EventPattern {
        let old = EventPattern.leaf(["OldImage", attribute, "S"], Test.absent.or(.differs(text)))
        let new = EventPattern.leaf(["NewImage", attribute, "S"], .equals(text))
        return EventPattern(built: ["dynamodb": .map(old.merging(new) { old, _ in old })])
    }

    /// Records of these kinds of change.
    public static func eventName(
        _ name: StreamRecord.EventName, _ others: StreamRecord.EventName...
    ) -> EventPattern {
        EventPattern(built: ["eventName": .list(([name] + others).map { .string($0.rawValue) })])
    }

    /// Records of items that expired, by their time to live.
    public static var expired: EventPattern {
        EventPattern(built: [
            "userIdentity": .map([
                "principalId": .list([.string("dynamodb.amazonaws.com")]), "type": .list([.string("Service")]),
            ])
        ])
    }

    /// Records that match both.
    ///
    /// - Parameter other: A pattern that names other values than this one: the language cannot say that one value has
    ///   to pass two tests.
    /// - Returns: The pattern of both.
    /// - Throws: `PatternError` with code `invalidArgument` if both name the same value, or both have a `$or` at the
    ///   same place.
    public func and(_ other: EventPattern) throws(PatternError) -> EventPattern {
        try EventPattern(object: try Self.merged(object, other.object, at: ""))
    }
}

extension EventPattern {
    private init(image: String, _ attribute: String, _ test: Test) {
        self.init(built: ["dynamodb": .map(Self.leaf([image, attribute, "S"], test))])
    }

    private static func leaf(_ path: [String], _ test: Test) -> [String: AttributeValue] {
        path.dropLast().reversed().reduce([path.last ?? "": .list(test.values)]) { [$1: .map($0)] }
    }

    private static func merged(
        _ left: AttributeValue, _ right: AttributeValue, at path: String
    ) throws(PatternError) -> AttributeValue {
        guard var members = left.map, let others = right.map else {
            throw EventRule.refusal("“\(path)”", "is tested by both patterns")
        }
        for (name, other) in others {
            members[name] =
                try members[name].map { member throws(PatternError) in
                    try merged(member, other, at: EventLeaves.path(path, name))
                } ?? other
        }
        return .map(members)
    }
}
