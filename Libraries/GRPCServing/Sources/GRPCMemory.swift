/// Counts the bytes that calls hold together.
public protocol GRPCMemory: Sendable {
    /// Whether no more may be held.
    var isExhausted: Bool { get }
    /// Counts bytes; returns `false`, and counts none, if they may not be held.
    func take(_ bytes: Int) -> Bool
    /// Counts bytes that are held already, also if they may not be.
    func overdraw(_ bytes: Int)
    /// Counts bytes no longer.
    func giveBack(_ bytes: Int)
}

/// What one call holds, until it is released.
struct HeldMemory {
    let memory: any GRPCMemory
    private(set) var bytes = 0

    init(of memory: any GRPCMemory) { self.memory = memory }

    mutating func take(_ more: Int) -> Bool {
        guard memory.take(more) else { return false }
        bytes += more
        return true
    }

    mutating func overdraw(_ more: Int) {
        memory.overdraw(more)
        bytes += more
    }

    /// Gives bytes back, as far as they are held.
    mutating func giveBack(_ fewer: Int) {
        let part = min(bytes, fewer)
        guard part > 0 else { return }
        bytes -= part
        memory.giveBack(part)
    }

    mutating func release() { giveBack(bytes) }
}
