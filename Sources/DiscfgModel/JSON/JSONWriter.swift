extension JSONValue {
    /// The value as compact JSON text.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The value as compact JSON text in UTF-8.
    public var bytes: [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }

    /// The value as JSON text for people: two spaces a level, no newline at the end.
    public var prettyText: String {
        var writer = JSONWriter(indentation: 2)
        writer.value(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// Writes JSON straight into bytes: the hot path of every HTTP answer, so nothing is built in between.
public struct JSONWriter: Sendable {
    /// What was written so far.
    public private(set) var bytes: [UInt8] = []
    private let indentation: Int
    private var level = 0
    private var needsComma = false

    /// A writer; with an indentation it writes for people.
    public init(indentation: Int = 0, capacity: Int = 256) {
        self.indentation = indentation
        bytes.reserveCapacity(capacity)
    }

    /// Writes an object whose members `body` writes.
    public mutating func object(_ body: (inout JSONWriter) -> Void) { nested("{", "}", body) }

    /// Writes an array whose elements `body` writes.
    public mutating func array(_ body: (inout JSONWriter) -> Void) { nested("[", "]", body) }

    /// Writes the name of a member; its value must follow.
    public mutating func name(_ name: String) {
        separate()
        quoted(name)
        bytes.append(UInt8(ascii: ":"))
        if indentation > 0 { bytes.append(0x20) }
        needsComma = false
    }

    /// Writes a string member.
    public mutating func member(_ name: String, _ value: String) {
        self.name(name)
        string(value)
    }

    /// Writes an integer member.
    public mutating func member(_ name: String, _ value: some BinaryInteger) {
        self.name(name)
        integer(value)
    }

    /// Writes a string.
    public mutating func string(_ value: String) {
        separate()
        quoted(value)
        needsComma = true
    }

    /// Writes an integer.
    public mutating func integer(_ value: some BinaryInteger) { raw(String(value).utf8) }

    /// Writes text that is valid JSON already.
    public mutating func raw(_ json: some Sequence<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    /// Writes any value.
    public mutating func value(_ value: JSONValue) {
        var open: [OpenValue] = []
        var next: JSONValue? = value
        while let value = next {
            switch value {
            case .null: raw("null".utf8)
            case .bool(let flag): raw((flag ? "true" : "false").utf8)
            case .number(let text): raw(text.utf8)
            case .string(let text): string(text)
            case .array(let elements): open.append(OpenValue(elements: elements, start: begin("[")))
            case .object(let members): open.append(OpenValue(members: members, start: begin("{")))
            }
            next = nil
            while let last = open.indices.last {
                next = open[last].next(for: &self)
                if next != nil { break }
                end(open[last].members == nil ? "]" : "}", start: open[last].start)
                open.removeLast()
            }
        }
    }

    private mutating func nested(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void) {
        let start = begin(open)
        body(&self)
        end(close, start: start)
    }

    /// Begins an array or object; returns where its content begins.
    private mutating func begin(_ open: Unicode.Scalar) -> Int {
        separate()
        bytes.append(UInt8(ascii: open))
        level += 1
        needsComma = false
        return bytes.count
    }

    private mutating func end(_ close: Unicode.Scalar, start: Int) {
        level -= 1
        if bytes.count > start { newline() }
        bytes.append(UInt8(ascii: close))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        // After a name the value stands on the same line.
        if level > 0, bytes.last != 0x20, bytes.last != UInt8(ascii: ":") { newline() }
        needsComma = false
    }

    private mutating func newline() {
        guard indentation > 0 else { return }
        bytes.append(0x0A)
        bytes.append(contentsOf: repeatElement(0x20, count: level * indentation))
    }

    private mutating func quoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "\"")])
            case UInt8(ascii: "\\"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "\\")])
            case 0x0A: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
            case 0x0D: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "r")])
            case 0x09: bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "t")])
            case 0..<0x20, 0x7F:
                bytes.append(contentsOf: Array("\\u00".utf8))
                bytes.append(Self.hexDigits[Int(byte >> 4)])
                bytes.append(Self.hexDigits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}

/// An array or object that is being written: an explicit stack of them spares recursion.
private struct OpenValue {
    var elements: [JSONValue] = []
    /// `nil` for an array.
    var members: JSONObject?
    /// Where its content begins in the text.
    let start: Int
    private var position = 0

    init(elements: [JSONValue], start: Int) {
        self.elements = elements
        self.start = start
    }

    init(members: JSONObject, start: Int) {
        self.members = members
        self.start = start
    }

    /// The value to write next, whose name is written already; `nil` at the end.
    mutating func next(for writer: inout JSONWriter) -> JSONValue? {
        defer { position += 1 }
        guard let members else { return position < elements.count ? elements[position] : nil }
        guard position < members.count else { return nil }
        let name = members.names[position]
        writer.name(name)
        return members[name] ?? .null
    }
}
