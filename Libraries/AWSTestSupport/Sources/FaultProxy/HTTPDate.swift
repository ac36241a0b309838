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
        var text = [CChar](repeating: 0, count: 64)
        // The names are English, because this process never chooses another locale.
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        return String(decoding: text[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
