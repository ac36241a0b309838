extension Transaction {
    /// Reads a transaction as people write it:
    /// `{"if":[{"key":"/a","version":3}],"then":[{"set":"/a","value":"x"},{"delete":"/b"}],"else":[{"get":"/a"}],"message":"why"}`.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` or `invalidName`.
    public init(wire object: JSONValue, author: String = "") throws(DiscfgError) {
        try self.init(wire: object, author: author, depth: 1)
    }

    /// Reads a transaction that is part of `depth - 1` others.
    init(wire object: JSONValue, author: String, depth: Int) throws(DiscfgError) {
        guard depth <= Self.maximumDepth else { throw Self.nestedTooDeep }
        try object.allowOnly(["if", "then", "else", "message"])
        self.init(then: [], author: author, message: try object.optionalString("message") ?? "")
        for condition in try object.optionalArray("if") { preconditions.append(try Precondition(wire: condition)) }
        for operation in try object.optionalArray("then") {
            success.append(try Operation(wire: operation, depth: depth))
        }
        for operation in try object.optionalArray("else") {
            failure.append(try Operation(wire: operation, depth: depth))
        }
    }

    /// Writes what `init(wire:author:)` reads, exact to the byte; the author is not part of it.
    ///
    /// What `validateWire` refuses is not written as it is.
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.name("if")
            writer.array(of: preconditions) { $1.write(to: &$0) }
            writer.name("then")
            writer.array(of: success) { $1.write(to: &$0) }
            writer.name("else")
            writer.array(of: failure) { $1.write(to: &$0) }
            writer.member("message", message)
        }
    }

    /// Checks that `write` writes the transaction so that the same is read again.
    ///
    /// - Throws: `DiscfgError` with code `unsupported`.
    public func validateWire() throws(DiscfgError) {
        for operation in success + failure { try operation.validateWire() }
    }
}

extension TransactionResult {
    /// Writes the result: `{"action":"txn","succeeded":true,"results":[{"item":{…},"prevItems":[…]}],"cfgVersion":7}`.
    public func write(to writer: inout JSONWriter, _ style: WireStyle) {
        writer.object { writer in
            writer.member("action", "txn")
            writer.name("succeeded")
            writer.value(.bool(failed == nil))
            writer.name("changed")
            writer.value(.bool(changed))
            writer.name("results")
            writer.array(of: outcomes) { $1.write(to: &$0, style) }
            if let failed {
                writer.name("failed")
                failed.write(to: &writer)
            }
            if let current {
                writer.name("current")
                current.write(to: &writer, style)
            }
            writer.member("cfgVersion", revision)
        }
    }

    /// Reads what `write` writes.
    public init(wire object: JSONValue) throws(DiscfgError) {
        self.init(revision: try object.integer("cfgVersion"), changed: try object.optionalBool("changed") ?? false)
        failed = try object["failed"].map { value throws(DiscfgError) in try Precondition(wire: value) }
        current = try object["current"].map { value throws(DiscfgError) in try Item(wire: value) }
        for result in try object.optionalArray("results") {
            var outcome = Outcome(
                item: try result["item"].map { value throws(DiscfgError) in try Item(wire: value) },
                nested: try result["txn"].map { value throws(DiscfgError) in try TransactionResult(wire: value) })
            for item in try result.optionalArray("prevItems") { outcome.previous.append(try Item(wire: item)) }
            for item in try result.optionalArray("items") { outcome.found.append(try Item(wire: item)) }
            outcomes.append(outcome)
        }
    }
}

extension TransactionResult.Outcome {
    fileprivate func write(to writer: inout JSONWriter, _ style: WireStyle) {
        writer.object { writer in
            if let item {
                writer.name("item")
                item.write(to: &writer, style)
            }
            if !previous.isEmpty {
                writer.name("prevItems")
                writer.array(of: previous) { $1.write(to: &$0, style) }
            }
            if !found.isEmpty {
                writer.name("items")
                writer.array(of: found) { $1.write(to: &$0, style) }
            }
            if let nested {
                writer.name("txn")
                nested.write(to: &writer, style)
            }
        }
    }
}
