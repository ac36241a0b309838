import Synchronization

/// The bytes that requests under way may hold together, whichever API they came by.
package final class MemoryBudget: Sendable {
    /// What a server allows when nothing is set.
    package static let standard = 256 << 20

    /// Maximum number of bytes.
    package let limit: Int
    private let used = Atomic(0)

    package init(_ limit: Int = standard) { self.limit = limit }

    /// The bytes that are held now.
    package var held: Int { used.load(ordering: .relaxed) }

    /// Whether more is held than allowed, or just as much.
    package var isExhausted: Bool { held >= limit }

    /// Takes bytes; returns `false`, and takes none, if there are not as many left.
    package func take(_ bytes: Int) -> Bool {
        let before = used.add(bytes, ordering: .relaxed).oldValue
        guard before > limit - bytes else { return true }
        giveBack(bytes)
        return false
    }

    /// Takes bytes that are held already, also if there are not as many left.
    func takeAll(_ bytes: Int) { used.add(bytes, ordering: .relaxed) }

    /// Takes what a part of a stream holds until its client has read it; returns `nil` if there are not as many bytes left.
    ///
    /// A part up to `RequestLimits.smallAnswer` is not counted. A part above `limit` counts as `limit`, so that it can be
    /// sent while nothing else is held.
    package func hold(part bytes: Int) -> MemoryHold? {
        let hold = MemoryHold(of: self)
        return bytes <= RequestLimits.smallAnswer || hold.take(min(bytes, limit)) ? hold : nil
    }

    /// Gives back bytes that were taken.
    package func giveBack(_ bytes: Int) { used.subtract(bytes, ordering: .relaxed) }
}

/// What one request holds of a budget, until it is released.
package final class MemoryHold: Sendable {
    private let budget: MemoryBudget
    private let bytes = Atomic(0)

    package init(of budget: MemoryBudget) { self.budget = budget }

    deinit { release() }

    /// The most that all requests may hold together.
    package var limit: Int { budget.limit }

    /// Takes more bytes; returns `false` if there are not as many left.
    package func take(_ more: Int) -> Bool {
        guard budget.take(more) else { return false }
        bytes.add(more, ordering: .relaxed)
        return true
    }

    /// Takes more bytes.
    ///
    /// - Throws: `DiscfgError` with code `overloaded`, or `tooLarge` if the whole budget does not suffice.
    package func require(_ more: Int) throws(DiscfgError) {
        guard !take(more) else { return }
        guard bytes.load(ordering: .relaxed) + more > budget.limit else { throw .noMemory }
        throw DiscfgError(
            .tooLarge, "The request takes more memory than this server allows for all requests.",
            hint: "Send less at once, or start the server with a larger --max-request-memory.")
    }

    /// Takes more bytes, also if there are not as many left.
    package func overdraw(_ more: Int) {
        budget.takeAll(more)
        bytes.add(more, ordering: .relaxed)
    }

    /// Gives some of the bytes back, as far as they are still held.
    package func giveBack(_ fewer: Int) {
        var held = bytes.load(ordering: .relaxed)
        while true {
            let part = min(held, fewer)
            let (isDone, now) = bytes.compareExchange(expected: held, desired: held - part, ordering: .relaxed)
            if isDone { return budget.giveBack(part) }
            held = now
        }
    }

    /// Gives everything back.
    package func release() {
        let held = bytes.exchange(0, ordering: .relaxed)
        if held > 0 { budget.giveBack(held) }
    }
}
