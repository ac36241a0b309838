/// A value that a remote engine and its server exchange, exact to the bit.
///
/// The encoding is binary, because JSON would double the size of values and cannot hold every time. It has no names: both
/// sides must have the same `EngineCalls.version`, which is part of the path of each request.
package protocol EngineCodable: Sendable {
    /// Reads what `write` writes.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` or `invalidName`; no input can trap.
    init(from reader: inout EngineReader) throws(DiscfgError)

    func write(to writer: inout EngineWriter)
}

/// Collects the bytes of encoded values.
package struct EngineWriter: Sendable {
    private(set) var bytes: [UInt8] = []

    /// The encoding of one value.
    package static func bytes(of value: some EngineCodable) -> [UInt8] {
        var writer = EngineWriter()
        value.write(to: &writer)
        return writer.bytes
    }

    /// Seven bits in each byte, the lowest first; the high bit says that more follow.
    mutating func unsigned(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func data(_ data: some Collection<UInt8>) {
        unsigned(UInt64(data.count))
        bytes += data
    }
}

/// Takes encoded values from bytes, and refuses what `EngineWriter` cannot have written.
package struct EngineReader: Sendable {
    /// Maximum number of elements of all arrays in one message, because an element takes more memory than its encoding.
    static let maximumElements = 1_000_000

    /// Maximum number of bytes of a config's settings.
    static let maximumSettings = 1 << 20

    private var rest: ArraySlice<UInt8>
    private var elements = 0

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The one value that the bytes encode.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` or `invalidName`.
    package static func value<Value: EngineCodable>(
        _ type: Value.Type = Value.self, in bytes: [UInt8]
    ) throws(DiscfgError) -> Value {
        var reader = EngineReader(bytes)
        let value = try Value(from: &reader)
        try reader.end()
        return value
    }

    static func malformed(_ reason: String) -> DiscfgError {
        .invalid("The message of a remote engine \(reason).", hint: "Use the same release of discfg on both sides.")
    }

    /// Checks that nothing follows.
    func end() throws(DiscfgError) {
        guard rest.isEmpty else { throw Self.malformed("has \(rest.count) bytes too many") }
    }

    mutating func byte() throws(DiscfgError) -> UInt8 {
        guard let byte = rest.popFirst() else { throw Self.malformed("ends too early") }
        return byte
    }

    mutating func unsigned() throws(DiscfgError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try byte()
            let part = UInt64(byte & 0x7F)
            guard shift < 63 || part <= 1 else { break }
            value |= part << shift
            if byte & 0x80 == 0 { return value }
        }
        throw Self.malformed("has a number of more than 64 bits")
    }

    /// The number of elements or bytes that follow; each takes at least one byte.
    mutating func count() throws(DiscfgError) -> Int {
        let count = try unsigned()
        guard count <= rest.count else { throw Self.malformed("ends too early") }
        return Int(count)
    }

    /// The number of elements of an array that follows.
    mutating func elementCount() throws(DiscfgError) -> Int {
        let count = try count()
        elements += count
        guard elements <= Self.maximumElements else { throw Self.malformed("has too many elements") }
        return count
    }

    mutating func data() throws(DiscfgError) -> ArraySlice<UInt8> {
        let count = try count()
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

// MARK: The types that all others consist of

extension Int64: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        let value = try reader.unsigned()
        self = Int64(bitPattern: value >> 1) ^ -Int64(value & 1)
    }

    package func write(to writer: inout EngineWriter) {
        writer.unsigned(UInt64(bitPattern: (self << 1) ^ (self >> 63)))
    }
}

extension Int: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) { self = Int(clamping: try Int64(from: &reader)) }
    package func write(to writer: inout EngineWriter) { Int64(self).write(to: &writer) }
}

extension Bool: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        switch try reader.byte() {
        case 0: self = false
        case 1: self = true
        default: throw EngineReader.malformed("has a truth value that is neither 0 nor 1")
        }
    }

    package func write(to writer: inout EngineWriter) { writer.unsigned(self ? 1 : 0) }
}

extension String: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        guard let text = String(validating: try reader.data(), as: UTF8.self) else {
            throw EngineReader.malformed("has a text that is not UTF-8")
        }
        self = text
    }

    package func write(to writer: inout EngineWriter) { writer.data(utf8) }
}

/// Bytes, such as those of a value.
package struct EngineBytes: EngineCodable, Hashable {
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
    package init(from reader: inout EngineReader) throws(DiscfgError) { bytes = Array(try reader.data()) }
    package func write(to writer: inout EngineWriter) { writer.data(bytes) }
}

extension Optional: EngineCodable where Wrapped: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self = try Bool(from: &reader) ? try Wrapped(from: &reader) : nil
    }

    package func write(to writer: inout EngineWriter) {
        (self != nil).write(to: &writer)
        self?.write(to: &writer)
    }
}

extension Array: EngineCodable where Element: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        let count = try reader.elementCount()
        self = []
        for _ in 0..<count { append(try Element(from: &reader)) }
    }

    package func write(to writer: inout EngineWriter) {
        writer.unsigned(UInt64(count))
        for element in self { element.write(to: &writer) }
    }
}
