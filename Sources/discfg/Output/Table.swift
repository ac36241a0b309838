/// Rows with columns: aligned under a heading for people, separated by tabs for programs.
struct Table {
    /// A heading, and on which side its column is aligned.
    struct Column {
        let title: String
        var isNumber = false
    }

    let columns: [Column]
    private var rows: [[String]] = []
    private var widths: [Int]

    init(_ columns: [Column]) {
        self.columns = columns
        self.widths = columns.map { $0.title.count }
    }

    /// Adds a row; characters that would steer a terminal are written as escapes.
    mutating func add(_ cells: [String]) {
        let row = cells.map(\.printable)
        rows.append(row)
        for (index, cell) in row.enumerated() where index < widths.count {
            widths[index] = max(widths[index], cell.count)
        }
    }

    /// The rows that were added since the last call, each with a newline; the heading goes before the first.
    mutating func lines(for terminal: Terminal, heading: Bool = true) -> String {
        defer { rows.removeAll() }
        guard terminal.hasTables else { return rows.map { $0.joined(separator: "\t") + "\n" }.joined() }
        var text = ""
        if heading, !rows.isEmpty { text += terminal.heading(line(columns.map(\.title))) + "\n" }
        for row in rows { text += line(row) + "\n" }
        return text
    }

    private func line(_ cells: [String]) -> String {
        var text = ""
        for (index, cell) in cells.enumerated() {
            let padding = String(repeating: " ", count: max(0, widths[index] - cell.count))
            let isLast = index == cells.count - 1
            text += columns[index].isNumber ? padding + cell : isLast ? cell : cell + padding
            if !isLast { text += "  " }
        }
        return text
    }

    /// Names with their values, one to a line, the values aligned.
    static func fields(_ fields: [(name: String, value: String)], for terminal: Terminal) -> String {
        let fields = fields.map { (name: $0.name.printable, value: $0.value) }
        let width = fields.map(\.name.count).max() ?? 0
        return fields.map { name, value in
            let padding = String(repeating: " ", count: width - name.count + 2)
            return terminal.heading(name) + padding + value.printable + "\n"
        }.joined()
    }
}
