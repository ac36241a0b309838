#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// How many files and connections this process may have open.
enum DescriptorLimit {
    /// Descriptors for everything but the connections of clients: the store, the way to AWS, event loops, standard streams.
    static let reserve = 64

    /// Raises the soft limit as far as the hard one allows; returns what it is then.
    static func raise() -> Int {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return .max }
        // More than a million serve nobody, and systems refuse infinity.
        let wanted = min(limit.rlim_max, 1 << 20)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = wanted
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// How many connections each of some listeners may have, of those that were asked for.
    static func connections(_ asked: Int, listeners: Int, limit: Int) -> Int {
        min(asked, max(1, (limit - reserve) / max(1, listeners)))
    }
}
