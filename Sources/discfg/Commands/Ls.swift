import ArgumentParser
import DiscfgCore

/// `discfg ls`: lists keys.
struct Ls: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List keys: one level, directories ending in “/”.",
        discussion: """
            Everything is listed as of one revision, however long it takes; from
            DynamoDB only with --consistent or --rev.

            What is printed is the name that commands take: bare:app/name for the key
            app/name without a leading “/”, bytes://%FF for a key of any bytes. “bare:”
            is the directory of the keys without a leading “/”.

            Examples:
              discfg ls /db
              discfg ls -r -l
              discfg ls / -r --rev 7 -f json
            """)

    @Argument(help: ArgumentHelp("The directory.", valueName: "prefix"))
    var directory = "/"

    @Flag(name: .shortAndLong, help: "Descend into directories.")
    var recursive = false

    @Flag(name: .shortAndLong, help: "Print version, revision, time, author, time to live and size too.")
    var long = false

    @Option(name: .customLong("rev"), help: ArgumentHelp("List as of this revision.", valueName: "n"))
    var revision: Revision?

    @Flag(help: "Read what is newest, all of one moment; costs more on a remote store.")
    var consistent = false

    @OptionGroup
    var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            let output = session.output
            let query = ListQuery(
                directory, isRecursive: recursive, at: revision, limit: output.isWire || long ? 500 : 5000,
                keysOnly: output.isHuman && !long,
                consistency: consistent ? .strong : .eventual)
            var writer = ListingWriter(output: output, isLong: long)
            for try await page in session.pages(of: query) { try writer.write(page) }
            if writer.count == 0 {
                // A key may stand where a directory was looked for.
                guard !["", "/", KeyName.bare].contains(directory) else { return try writer.finish() }
                let path = directory.hasSuffix("/") ? String(directory.dropLast()) : directory
                let reading = try await session.found(try Key(path: path), at: revision, query.consistency)
                try writer.write(Listing(entries: [.item(reading.item)], revision: reading.revision, next: nil))
            }
            try writer.finish()
        }
    }
}

extension Session {
    /// The key that stands where nothing is listed below.
    fileprivate func found(_ key: Key, at revision: Revision?, _ consistency: Consistency) async throws -> Reading {
        do {
            return try await store.get(key, in: config, at: revision, consistency: consistency)
        } catch let error as DiscfgError where error.code == .keyNotFound {
            throw DiscfgError(
                .keyNotFound, "There is nothing at “\(key)” or below it in config “\(config)”.",
                hint: "See what there is with “discfg ls -r”.")
        }
    }
}

/// Writes a listing page by page, so that a long one needs no memory.
private struct ListingWriter {
    let output: Output
    let isLong: Bool
    private(set) var count = 0
    private var revision: Revision?
    private var table = Table([
        .init(title: "KEY"), .init(title: "VERSION", isNumber: true), .init(title: "REVISION", isNumber: true),
        .init(title: "MODIFIED"), .init(title: "BY"), .init(title: "TTL", isNumber: true),
        .init(title: "SIZE", isNumber: true),
    ])

    init(output: Output, isLong: Bool) {
        self.output = output
        self.isLong = isLong
    }

    mutating func write(_ page: Listing) throws {
        revision = page.revision
        guard !page.entries.isEmpty else { return }
        defer { count += page.entries.count }
        if output.format == .json {
            if count == 0 { try output.data(frame.head) }
            let entries = Listing(entries: page.entries, revision: page.revision, next: nil)
            let json = JSONWriter.bytes(capacity: 65_536) { entries.write(to: &$0, output.style, keysOnly: false) }
            try output.data(
                (count == 0 ? [] : [UInt8(ascii: ",")]) + json.dropFirst(frame.head.count).dropLast(frame.tail.count))
        } else if output.format == .yaml {
            pages.entries += page.entries
        } else if isLong {
            for entry in page.entries { table.add(row(entry)) }
            try output.human(table.lines(for: output.terminal, heading: count == 0))
        } else {
            try output.human(page.entries.map { $0.shown.printable + "\n" }.joined())
        }
    }

    mutating func finish() throws {
        pages.revision = revision
        if output.format == .json { try output.data((count == 0 ? frame.head : []) + frame.tail + [0x0A]) }
        if output.format == .yaml {
            try output.document(JSONWriter.bytes { pages.write(to: &$0, output.style, keysOnly: false) })
        }
    }

    /// For YAML, which is written as a whole.
    private var pages = Listing(entries: [], revision: nil, next: nil)

    /// What stands around the entries of a listing at this revision.
    private var frame: (head: [UInt8], tail: [UInt8]) {
        let empty = Listing(entries: [], revision: revision, next: nil)
        let json = JSONWriter.bytes { empty.write(to: &$0, output.style, keysOnly: false) }
        let split = json.firstIndex(of: UInt8(ascii: "]")) ?? json.endIndex
        return (Array(json[..<split]), Array(json[split...]))
    }

    private func row(_ entry: Listing.Entry) -> [String] {
        guard case .item(let item) = entry else { return [entry.shown] + Array(repeating: "", count: 6) }
        return [
            item.key.shown, String(item.version), String(item.modified), item.modifiedAt.short, item.author,
            item.timeLeft(from: output.style.now), String(item.value.bytes.count),
        ]
    }
}
