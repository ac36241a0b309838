import Synchronization

/// Identities that are unique: 64 random bits for the process, and a count within it.
///
/// Asking the system for random numbers each time would cost a system call for each commit and each request.
package enum UniqueID {
    private static let process = hexadecimal(UInt64.random(in: .min ... .max))
    private static let count = Atomic<UInt64>(0)

    /// 32 lower-case hexadecimal digits.
    package static func next() -> String {
        process + hexadecimal(count.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
