/// Reads a document from its first byte to its last.
struct XMLReader {
    static let lengthLimit = 262_144
    private static let depthLimit = 32

    private var rest: ArraySlice<UInt8>
    /// The elements that are open, from the outside in, with the bytes of their text.
    private var open: [(element: XMLElement, text: [UInt8])] = []
    private var root: XMLElement?

    init(_ bytes: [UInt8]) { rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...] }

    /// The outermost element; `nil` if there is not exactly one, or something is not well formed.
    mutating func document() -> XMLElement? {
        while let byte = rest.first {
            let isFine = byte == UInt8(ascii: "<") ? takeMarkup() : takeText()
            guard isFine else { return nil }
        }
        return open.isEmpty ? root : nil
    }

    private mutating func takeMarkup() -> Bool {
        if skip("<!--") { return upTo("-->") != nil }
        if skip("<?") { return upTo("?>") != nil }
        if skip("<![CDATA[") {
            guard let text = upTo("]]>"), !open.isEmpty else { return false }
            open[open.count - 1].text += text
            return true
        }
        if skip("<!") { return false }
        if skip("</") { return takeEnd() }
        return takeStart()
    }

    private mutating func takeStart() -> Bool {
        guard skip("<"), root == nil, open.count < Self.depthLimit, let name = takeName() else { return false }
        var quote: UInt8?
        var last: UInt8 = 0
        while let byte = rest.popFirst() {
            if let end = quote {
                if byte == end { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                open.append((XMLElement(name: name), []))
                return last == UInt8(ascii: "/") ? close() : true
            } else if byte == UInt8(ascii: "<") {
                return false
            }
            last = byte
        }
        return false
    }

    private mutating func takeEnd() -> Bool {
        guard let name = takeName(), name == open.last?.element.name else { return false }
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: ">") { return close() }
            guard byte.isSpace else { return false }
        }
        return false
    }

    /// Ends the innermost element.
    private mutating func close() -> Bool {
        guard var (element, text) = open.popLast() else { return false }
        while let last = text.last, last.isSpace { text.removeLast() }
        element.text = String(decoding: text.drop(while: \.isSpace), as: UTF8.self)
        if open.isEmpty {
            root = element
        } else {
            open[open.count - 1].element.children.append(element)
        }
        return true
    }

    private mutating func takeText() -> Bool {
        let text = rest.prefix { $0 != UInt8(ascii: "<") }
        rest = rest[text.endIndex...]
        if open.isEmpty { return text.allSatisfy(\.isSpace) }
        guard let decoded = XMLEntities.decoded(text) else { return false }
        open[open.count - 1].text += decoded
        return true
    }

    /// A name, without the prefix of a namespace.
    private mutating func takeName() -> String? {
        let name = rest.prefix { $0.isLetterOrDigit || "-._:".utf8.contains($0) || $0 >= 0x80 }
        rest = rest[name.endIndex...]
        let local = name.split(separator: UInt8(ascii: ":")).last ?? []
        return local.isEmpty ? nil : String(decoding: local, as: UTF8.self)
    }

    private mutating func skip(_ text: StaticString) -> Bool {
        let found = text.withUTF8Buffer { rest.starts(with: $0) }
        if found { rest = rest.dropFirst(text.utf8CodeUnitCount) }
        return found
    }

    /// What stands before a mark, which is passed over, too.
    private mutating func upTo(_ mark: StaticString) -> ArraySlice<UInt8>? {
        let start = rest
        while !rest.isEmpty {
            let end = rest.startIndex
            if skip(mark) { return start[..<end] }
            rest.removeFirst()
        }
        return nil
    }
}
