import Rainbow

/// How to write for people: whether in tables, and whether in colour.
struct Terminal: Sendable, Hashable {
    /// Whether columns are aligned, under a heading; otherwise they are separated by tabs, for other programs.
    var hasTables: Bool
    var hasColor: Bool
    var width = 80

    /// Whether a person reads the output as it is written: only then are there tables.
    var isTerminal: Bool { hasTables }

    /// Neither tables nor colour.
    static let none = Terminal(hasTables: false, hasColor: false)

    init(hasTables: Bool, hasColor: Bool, width: Int = 80) {
        self.hasTables = hasTables
        self.hasColor = hasColor
        self.width = width
    }

    /// What suits an open file.
    ///
    /// Source of NO_COLOR: https://no-color.org.
    init(_ descriptor: Descriptor, environment: [String: String]) {
        let isTerminal = descriptor.isTerminal
        let isPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false || environment["TERM"] == "dumb"
        self.init(hasTables: isTerminal, hasColor: isTerminal && !isPlain, width: isTerminal ? descriptor.width : 80)
    }

    /// The text in a colour, where there is colour.
    func paint(_ text: String, _ color: NamedColor? = nil, bold: Bool = false) -> String {
        guard hasColor else { return text }
        let styles: [Style]? = bold ? [.bold] : nil
        let segment = Rainbow.Segment(text: text, color: color.map { .named($0) }, styles: styles)
        return Rainbow.generateString(for: Rainbow.Entry(segments: [segment]))
    }

    func added(_ text: String) -> String { paint(text, .green) }
    func removed(_ text: String) -> String { paint(text, .red) }
    func heading(_ text: String) -> String { paint(text, bold: true) }
    func mark(_ text: String) -> String { paint(text, .yellow) }
}
