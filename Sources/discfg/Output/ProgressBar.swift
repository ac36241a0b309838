import DiscfgCore

/// A bar on standard error, for work on a terminal that takes more than a second.
struct ProgressBar {
    private let title: String
    private let total: Int
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var wasDrawn = false

    init(_ title: String, total: Int, descriptor: Descriptor = .error) {
        self.title = title
        self.total = total
        self.isShown = descriptor.isTerminal
    }

    /// Says how much is done.
    mutating func advance(to done: Int) {
        guard isShown, ContinuousClock.now - start > .seconds(1) else { return }
        wasDrawn = true
        draw("\r" + Self.line(title, done: done, total: total))
    }

    /// Wipes the bar out.
    func finish() {
        if wasDrawn { draw("\r\u{1B}[K") }
    }

    static func line(_ title: String, done: Int, total: Int, width: Int = 30) -> String {
        let share = total == 0 ? 1 : min(1, Double(done) / Double(total))
        let filled = Int(share * Double(width))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
        return "\(title) \(bar) \(done) of \(total)"
    }

    private func draw(_ text: String) {
        // A bar that cannot be drawn is not worth failing for.
        try? Descriptor.error.write(Array(text.utf8))
    }
}
