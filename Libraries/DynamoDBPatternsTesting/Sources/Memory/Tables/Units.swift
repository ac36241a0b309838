/// What requests cost.
enum Units {
    /// Writing an item: a unit for each KB.
    static func written(_ size: Int) -> Double { Double(max(1, (size + 1023) / 1024)) }

    /// Reading items, or finding none: a unit for each 4 KB, or half of one where older answers are good enough.
    static func read(_ size: Int, consistent: Bool) -> Double {
        Double(max(1, (size + 4095) / 4096)) * (consistent ? 1 : 0.5)
    }
}
