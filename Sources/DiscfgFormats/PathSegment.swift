import DiscfgCore

/// A member's name, or an array's index, as one segment of a key.
///
/// The escapes are those of RFC 6901, `~0` for `~` and `~1` for `/`, and one more: `~m` in front says that what follows is
/// the name of a member of a map. It is written where that would be in doubt: alone for the empty name, and in a map whose
/// names are exactly `0`, `1`, … without a gap, which would otherwise come back as an array.
struct PathSegment: Sendable, Hashable {
    /// The name, without escapes.
    let name: String
    /// The index, where the segment can be one of an array.
    let index: Int?

    private static let tilde = UInt8(ascii: "~")

    /// Reads a segment of a key, which must be UTF-8; a `~` that begins no escape stands for itself.
    init(_ segment: some Collection<UInt8>) {
        var name: [UInt8] = []
        name.reserveCapacity(segment.count)
        var rest = Array(segment)[...]
        let isMember = rest.starts(with: [Self.tilde, UInt8(ascii: "m")])
        if isMember { rest = rest.dropFirst(2) }
        while let byte = rest.popFirst() {
            switch (byte, rest.first) {
            case (Self.tilde, UInt8(ascii: "0")):
                name.append(Self.tilde)
                rest.removeFirst()
            case (Self.tilde, UInt8(ascii: "1")):
                name.append(UInt8(ascii: "/"))
                rest.removeFirst()
            default: name.append(byte)
            }
        }
        self.name = String(decoding: name, as: UTF8.self)
        self.index = isMember ? nil : ArrayIndex.index(of: self.name.utf8)
    }

    /// The segment for a member's name.
    ///
    /// It works on bytes: by characters, a `/` that a combining mark follows would not be seen as one.
    static func escape(_ name: String, asMember: Bool = false) -> String {
        var bytes: [UInt8] = asMember || name.isEmpty ? Array("~m".utf8) : []
        for byte in name.utf8 {
            switch byte {
            case tilde: bytes += [tilde, UInt8(ascii: "0")]
            case UInt8(ascii: "/"): bytes += [tilde, UInt8(ascii: "1")]
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
