import NIOCore

/// Finds the PING and RST_STREAM frames in the bytes that a client of HTTP/2 sends.
///
/// Source: RFC 9113, sections 3.4, 4.1, 6.4 and 6.7.
struct FrameSplitter {
    /// What came, in its order; each with its bytes.
    enum Piece: Equatable {
        /// A PING that wants to be answered with the same eight bytes.
        case ping(UInt64, ByteBuffer)
        /// The client gives up a stream.
        case reset(stream: Int, ByteBuffer)
        /// Anything else: many frames, or part of one.
        case other(ByteBuffer)
    }

    /// "PRI * HTTP/2.0…", with which a client begins.
    private static let prefaceBytes = 24
    /// Length (3), type, flags, stream (4).
    private static let headBytes = 9

    /// How many bytes come before the next frame begins.
    private var passing = prefaceBytes
    /// The beginning of a frame of which more is needed to know what it is.
    private var rest = ByteBuffer()

    /// Splits what was read next.
    mutating func split(_ bytes: ByteBuffer) -> [Piece] {
        var input = rest
        if input.readableBytes == 0 { input = bytes } else { input.writeImmutableBuffer(bytes) }
        var pieces: [Piece] = []
        var other = 0
        func takeOther() {
            if other > 0, let slice = input.readSlice(length: other) { pieces.append(.other(slice)) }
            other = 0
        }
        while true {
            let step = min(passing, input.readableBytes - other)
            (other, passing) = (other + step, passing - step)
            guard passing == 0, let head = Head(input, at: input.readerIndex + other) else { break }
            guard head.isPing || head.isReset else {
                passing = Self.headBytes + head.length
                continue
            }
            let size = Self.headBytes + head.length
            guard input.readableBytes - other >= size else { break }
            takeOther()
            guard let frame = input.readSlice(length: size) else { break }
            pieces.append(head.piece(of: frame))
        }
        takeOther()
        // Nothing that was passed on is kept alive.
        rest = input.readableBytes == 0 ? ByteBuffer() : input
        return pieces
    }

    private struct Head {
        let length: Int
        let type: UInt8
        let flags: UInt8
        let stream: Int

        init?(_ bytes: ByteBuffer, at index: Int) {
            guard let first = bytes.getInteger(at: index, as: UInt32.self),
                let flags = bytes.getInteger(at: index + 4, as: UInt8.self),
                let stream = bytes.getInteger(at: index + 5, as: UInt32.self)
            else { return nil }
            (length, type) = (Int(first >> 8), UInt8(truncatingIfNeeded: first))
            (self.flags, self.stream) = (flags, Int(stream & 0x7FFF_FFFF))
        }

        /// Those that are malformed are not; whoever reads what is left says so.
        var isPing: Bool { type == 6 && length == 8 && stream == 0 && flags & 1 == 0 }
        var isReset: Bool { type == 3 && length == 4 && stream != 0 }

        func piece(of frame: ByteBuffer) -> Piece {
            if isReset { return .reset(stream: stream, frame) }
            return .ping(frame.getInteger(at: frame.readerIndex + FrameSplitter.headBytes) ?? 0, frame)
        }
    }
}
