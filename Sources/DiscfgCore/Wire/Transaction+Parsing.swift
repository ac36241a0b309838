extension Transaction {
    /// Reads the JSON text of a transaction as `init(parsing:author:limits:)` does, a large one as `LongWork`.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest`, `invalidName`, `tooLarge` or `overloaded`; `CancellationError`.
    package static func parsed(
        _ bytes: [UInt8], author: String = "", limits: JSONLimits = JSONLimits()
    ) async throws -> Transaction {
        try await LongWork.run(onBytes: bytes.count) { _ throws(DiscfgError) in
            try Transaction(parsing: bytes, author: author, limits: limits)
        }
    }

    /// Reads the JSON text of a transaction, as `init(wire:author:)` reads its value.
    ///
    /// Each condition and operation is read, checked and counted before the next one: a text is refused at the first that is
    /// wrong or one too many, and its JSON is never held as a whole.
    /// - Throws: `DiscfgError` with code `invalidRequest`, `invalidName`, `tooLarge` or `overloaded`.
    package init(parsing bytes: [UInt8], author: String, limits: JSONLimits = JSONLimits()) throws(DiscfgError) {
        self.init(then: [], author: author)
        var parser = JSONParser(bytes, limits)
        parser.skipSpace()
        guard parser.current == UInt8(ascii: "{") else {
            let value = try Self.reading { () throws(JSONSyntaxError) in try parser.document() }
            try self.init(wire: value, author: author)
            return
        }
        var isFirst = true
        while let name = try Self.reading({ () throws(JSONSyntaxError) in try parser.nextName(&isFirst) }) {
            try readMember(name, &parser)
        }
        try Self.reading { () throws(JSONSyntaxError) in try parser.end() }
    }

    private mutating func readMember(_ name: String, _ parser: inout JSONParser) throws(DiscfgError) {
        parser.skipSpace()
        guard ["if", "then", "else"].contains(name), parser.current == UInt8(ascii: "[") else {
            let value = try Self.reading { () throws(JSONSyntaxError) in try parser.value(depth: 1) }
            // A member that should be an array and is not, the message, or a name that does not exist.
            let rest = try Transaction(wire: .object(JSONObject([(name, value)])), author: author)
            switch name {
            case "if": preconditions = []
            case "then": success = []
            case "else": failure = []
            default: message = rest.message
            }
            return
        }
        switch name {
        case "if":
            preconditions = []
            try eachElement(&parser) { (self, value) throws(DiscfgError) in
                self.preconditions.append(try Precondition(wire: value))
            }
        case "then":
            success = []
            try eachElement(&parser) { (self, value) throws(DiscfgError) in
                self.success.append(try Operation(wire: value, depth: 1))
            }
        default:
            failure = []
            try eachElement(&parser) { (self, value) throws(DiscfgError) in
                self.failure.append(try Operation(wire: value, depth: 1))
            }
        }
    }

    private mutating func eachElement(
        _ parser: inout JSONParser, _ add: (inout Transaction, JSONValue) throws(DiscfgError) -> Void
    ) throws(DiscfgError) {
        var isFirst = true
        while try Self.reading({ () throws(JSONSyntaxError) in try parser.hasNextElement(&isFirst) }) {
            let value = try Self.reading { () throws(JSONSyntaxError) in try parser.value(depth: 2) }
            try add(&self, value)
            try validateCount()
        }
    }

    private static func reading<Value>(_ body: () throws(JSONSyntaxError) -> Value) throws(DiscfgError) -> Value {
        do {
            return try body()
        } catch {
            throw DiscfgError(reading: error)
        }
    }
}

extension DiscfgError {
    /// What is wrong with a body that was to be JSON.
    package init(reading error: JSONSyntaxError) {
        switch error.kind {
        case .syntax:
            self = .invalid("The body is not valid JSON: \(error).", hint: "Send one whole JSON value.")
        case .tooManyValues:
            self.init(.tooLarge, "The body is JSON with \(error.reason).", hint: "Send less at once.")
        case .noMemory: self = .noMemory
        }
    }

    /// The requests under way hold as much memory as they may.
    package static let noMemory = DiscfgError(
        .overloaded, "The requests under way hold as much memory as the server allows.",
        hint: "Try again in a moment; nothing was written.")
}
