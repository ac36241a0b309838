import NIOCore

/// A message to send: its bytes, behind the prefix that they have on the wire.
public struct GRPCMessage: Sendable, Hashable {
    /// A flag and a length of four bytes.
    static let prefixBytes = 5

    /// The message as it is sent.
    private(set) var framed: ByteBuffer

    /// A message whose bytes are all 0; `withUnsafeMutableBytes` changes them in place.
    public init(count: Int) {
        framed = ByteBuffer()
        framed.reserveCapacity(Self.prefixBytes + count)
        framed.writeInteger(0 as UInt8)
        framed.writeInteger(UInt32(clamping: count))
        framed.writeRepeatingByte(0, count: count)
    }

    /// A message with a copy of the bytes.
    public init(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        self.init(count: bytes.count)
        framed.setBytes(bytes, at: framed.readerIndex + Self.prefixBytes)
    }

    /// The number of bytes of the message.
    public var count: Int { framed.readableBytes - Self.prefixBytes }

    /// The bytes of the message.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try framed.withUnsafeReadableBytes { try body(UnsafeRawBufferPointer(rebasing: $0[Self.prefixBytes...])) }
    }

    /// The bytes of the message, to change them.
    public mutating func withUnsafeMutableBytes<Result>(
        _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try framed.withUnsafeMutableReadableBytes {
            try body(UnsafeMutableRawBufferPointer(rebasing: $0[Self.prefixBytes...]))
        }
    }
}
