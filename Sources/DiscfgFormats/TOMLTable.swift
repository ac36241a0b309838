import DiscfgCore

/// A table while the file that fills it is being read; what may still be added depends on how it came to be.
final class TOMLTable {
    enum Origin: Equatable {
        /// A header named something below it.
        case implicit
        /// A header of its own.
        case header
        /// A dotted name in the section of that number; only that section may go on.
        case dotted(section: Int)
    }

    enum Entry {
        case value(ConfigTree)
        case table(TOMLTable)
        /// The tables of `[[…]]` headers.
        case tables(List)

        fileprivate var children: [Entry] {
            switch self {
            case .value: []
            case .table(let table): table.entries.map(\.entry)
            case .tables(let list): list.tables.map { .table($0) }
            }
        }
    }

    /// A list that grows in place: a copy of it for each header would make the reading quadratic.
    final class List {
        var tables: [TOMLTable]
        init(_ table: TOMLTable) { tables = [table] }
    }

    private var origin: Origin
    private var entries: [(name: String, entry: Entry)] = []
    private var positions: [[UInt8]: Int] = [:]

    init(_ origin: Origin) { self.origin = origin }

    var tree: ConfigTree {
        fold(Entry.table(self), children: \.children) { entry, children in
            switch entry {
            case .value(let tree): tree
            case .table(let table):
                .object(zip(table.entries, children).map { ConfigTree.Member(name: $0.name, value: $1) })
            case .tables: .array(children)
            }
        }
    }

    private func entry(_ name: String) -> Entry? { positions[Array(name.utf8)].map { entries[$0].entry } }

    private func set(_ name: String, _ entry: Entry) {
        if let position = positions[Array(name.utf8)] {
            entries[position].entry = entry
        } else {
            positions[Array(name.utf8)] = entries.count
            entries.append((name, entry))
        }
    }

    /// Sets a value; `false` if the name is taken.
    func insert(_ value: ConfigTree, at name: String) -> Bool {
        guard entry(name) == nil else { return false }
        set(name, .value(value))
        return true
    }

    /// The table below it that a dotted name in that section goes through; `nil` if that is not allowed.
    func dotted(_ name: String, section: Int) -> TOMLTable? {
        switch entry(name) {
        case nil:
            let table = TOMLTable(.dotted(section: section))
            set(name, .table(table))
            return table
        case .table(let table):
            if table.origin == .implicit { table.origin = .dotted(section: section) }
            return table.origin == .dotted(section: section) ? table : nil
        default: return nil
        }
    }

    /// The table below it that a header goes through; `nil` if that is not allowed.
    func through(_ name: String) -> TOMLTable? {
        switch entry(name) {
        case nil:
            let table = TOMLTable(.implicit)
            set(name, .table(table))
            return table
        case .table(let table): return table
        case .tables(let list): return list.tables.last
        case .value: return nil
        }
    }

    /// The table that a header `[…name]` opens; `nil` if it was opened before.
    func open(_ name: String) -> TOMLTable? {
        switch entry(name) {
        case nil:
            let table = TOMLTable(.header)
            set(name, .table(table))
            return table
        case .table(let table):
            guard table.origin == .implicit else { return nil }
            table.origin = .header
            return table
        default: return nil
        }
    }

    /// The table that a header `[[…name]]` adds; `nil` if the name is taken by something else.
    func append(_ name: String) -> TOMLTable? {
        let table = TOMLTable(.header)
        switch entry(name) {
        case nil: set(name, .tables(List(table)))
        case .tables(let list): list.tables.append(table)
        default: return nil
        }
        return table
    }
}
