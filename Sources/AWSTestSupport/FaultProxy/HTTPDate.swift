#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The text of a `Date` header (RFC 9110, section 5.6.7).
enum HTTPDate {
    /// A moment that is so far from now, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    static func text(secondsFromNow offset: Int64) -> String {
        var seconds = time(nil) + Int(offset)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            // The names are English, because this process never chooses another locale.
            let count = strftime(buffer.baseAddress!, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return String(
                decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]), as: UTF8.self)
        }
    }
}
