#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Finds decoders whose time grows faster than their input: a few hundred kilobytes could otherwise keep a server busy for
/// minutes.
///
/// It compares the processor time of the calling thread for an input and for a quarter of it, at a size at which the input
/// takes long enough to measure. Linear work takes 4 times as long, sorting a little more, quadratic work 16 times. Other
/// load on the machine does not count, and what looks suspicious is measured again. Memory is not measured: memory that is
/// quadratic has to be filled, which takes quadratic time.
public enum Growth {
    /// How much longer four times the input may take; the middle, on a logarithmic scale, of linear and quadratic.
    static let maximumRatio = 8.0
    /// An input that takes that long is large enough to decide, unless its time is neither linear nor quadratic.
    private static let measurable = 0.15

    /// Fails if the work takes much more than four times as long for four times the input.
    ///
    /// - Parameters:
    ///   - shape: Makes the inputs.
    ///   - limit: The most bytes of an input; less than that if the work takes long.
    ///   - work: Decodes an input; an error that it throws is as good as an answer.
    /// - Throws: `ConformanceFailure` with the sizes and times.
    public static func check(
        _ shape: GrowthShape, atMost limit: Int = 1 << 20, _ work: ([UInt8]) throws -> Void
    ) throws {
        var size = 1 << 10
        while true {
            size *= 2
            let whole = time(shape.bytes(size), work)
            guard whole >= measurable || size >= limit else { continue }
            let quarter = time(shape.bytes(size / 4), work)
            // What is over in a moment at the largest size cannot be told from noise, and harms nobody.
            if whole < measurable / 10 { return }
            if whole <= quarter * 6 { return }
            // A part of it may be quadratic. The larger the input, the larger that part.
            if whole < measurable * 8, size < limit * 4 { continue }
            let (best, part) = (least(whole, shape.bytes(size), work), least(quarter, shape.bytes(size / 4), work))
            guard best > part * maximumRatio else { return }
            throw ConformanceFailure(
                description: """
                    “\(shape)” takes \(milliseconds(part)) for \(size / 4) bytes and \(milliseconds(best)) for \(size): \
                    expected about 4 times as much, found \((best / part).rounded()) times.
                    """)
        }
    }

    private static func milliseconds(_ seconds: Double) -> String { "\((seconds * 10_000).rounded() / 10) ms" }

    private static func least(_ first: Double, _ bytes: [UInt8], _ work: ([UInt8]) throws -> Void) -> Double {
        (0..<3).reduce(first) { least, _ in min(least, time(bytes, work)) }
    }

    /// The processor time of this thread that the work takes, in seconds.
    private static func time(_ bytes: [UInt8], _ work: ([UInt8]) throws -> Void) -> Double {
        let start = now()
        try? work(bytes)
        return now() - start
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// A kind of input that can be made as large as wanted.
public struct GrowthShape: Sendable, CustomStringConvertible {
    /// The name of the kind of input, for failures.
    public let description: String
    /// Makes an input of about so many bytes.
    public let bytes: @Sendable (_ size: Int) -> [UInt8]

    /// A shape with a name, for tests that list their cases.
    public init(_ description: String, _ bytes: @escaping @Sendable (_ size: Int) -> [UInt8]) {
        self.description = description
        self.bytes = bytes
    }

    /// The same text again and again.
    public static func repeated(
        _ description: String, _ unit: String, before: String = "", after: String = ""
    ) -> GrowthShape {
        GrowthShape(description) { size in
            let count = max(1, size / max(1, unit.utf8.count))
            return Array((before + String(repeating: unit, count: count) + after).utf8)
        }
    }

    /// The text for 0, for 1, and so on.
    public static func numbered(
        _ description: String, before: String = "", after: String = "", _ unit: @escaping @Sendable (Int) -> String
    ) -> GrowthShape {
        GrowthShape(description) { size in
            var bytes = Array(before.utf8)
            var number = 0
            while bytes.count < size {
                bytes.append(contentsOf: unit(number).utf8)
                number += 1
            }
            return bytes + Array(after.utf8)
        }
    }
}
