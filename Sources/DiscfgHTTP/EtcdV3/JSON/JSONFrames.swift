import DiscfgEtcd

/// Cuts a stream of bytes into the JSON objects that follow each other in it, with or without space between them.
struct JSONFrames {
    /// The most bytes of one object.
    let limit: Int
    private var bytes: [UInt8] = []
    /// Where the object begins that is next.
    private var start = 0
    /// How far `bytes` was looked at, and what was found there.
    private var position = 0
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    init(limit: Int) { self.limit = limit }

    /// Takes in more bytes.
    mutating func append(_ more: some Sequence<UInt8>) {
        bytes.removeFirst(start)
        (start, position) = (0, position - start)
        bytes.append(contentsOf: more)
    }

    /// The next object that is whole; `nil` if more bytes are needed.
    mutating func next() throws(EtcdError) -> [UInt8]? {
        skipSpace()
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if step(byte) {
                defer { start = position }
                return Array(bytes[start..<position])
            }
            guard depth > 0 else {
                throw EtcdError(.unknown, "invalid character at the beginning of a value: objects are expected")
            }
        }
        guard bytes.count - start <= limit else { throw .requestTooLarge }
        return nil
    }

    /// Whether something was begun that is not whole.
    var isIncomplete: Bool { start < bytes.count }

    /// Space between objects belongs to none.
    private mutating func skipSpace() {
        guard position == start else { return }
        while start < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[start]) { start += 1 }
        position = start
    }

    /// Looks at one byte; tells whether it ends an object.
    private mutating func step(_ byte: UInt8) -> Bool {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return false
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            return depth == 0
        default: break
        }
        return false
    }
}
