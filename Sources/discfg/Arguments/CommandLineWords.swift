import ArgumentParser
import DiscfgCore

/// The words of a command line, put in the order in which they are parsed.
struct CommandLineWords {
    static let valuedOptions = ["--store", "--cfg", "--format", "--log-level", "--author", "-f"]

    /// What to parse.
    private(set) var words: [String]

    /// Moves global options that lead behind the name of the command, and the words behind `--` of `discfg exec` into an
    /// option: the parser takes only one list of positional arguments.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` if a command is named that there is not.
    init(_ words: [String], root: any ParsableCommand.Type = Discfg.self) throws(DiscfgError) {
        let end = Self.leadingOptions(words)
        let (options, rest) = (words[..<end], words[end...])
        let names = try Self.commandNames(rest, below: root)
        self.words = Array(rest.prefix(names) + options + rest.dropFirst(names))
        if rest.first == Exec.configuration.commandName { passCommand() }
        if rest.first == "help" { _ = try Self.commandNames(rest.dropFirst(), below: root, isComplete: true) }
        if rest.first == History.configuration.commandName { splitCounts() }
    }

    /// Refuses arguments that are not UTF-8: Swift would replace their bytes, and something else would be stored.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest`.
    static func checkEncoding() throws(DiscfgError) {
        for case let argument? in UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc)) {
            guard String(validatingCString: argument) == nil else { continue }
            throw .invalid(
                "The argument “\(String(cString: argument))” is not UTF-8.",
                hint: "Give bytes from a file with “@FILE”, or from standard input with “-”.")
        }
    }

    private static func leadingOptions(_ words: [String]) -> Int {
        var end = 0
        while end < words.count {
            if valuedOptions.contains(words[end]), end + 1 < words.count {
                end += 2
            } else if valuedOptions.contains(where: { words[end].hasPrefix($0 + "=") }) {
                end += 1
            } else {
                break
            }
        }
        return end
    }

    /// How many of the first words name a command and its subcommand.
    private static func commandNames(
        _ words: ArraySlice<String>, below command: any ParsableCommand.Type, isComplete: Bool = false
    ) throws(DiscfgError) -> Int {
        let configuration = command.configuration
        let subcommands = configuration.subcommands + configuration.groupedSubcommands.flatMap { $0.subcommands }
        // “help” takes names of commands alone.
        let isOver = subcommands.isEmpty && !isComplete
        guard let word = words.first, !isOver, !word.hasPrefix("-"), word != "help" else { return 0 }
        guard let next = subcommands.first(where: { $0.configuration.commandName == word }) else {
            let names = subcommands.compactMap { $0.configuration.commandName }
            let meant = Synonyms.command(for: word, among: names)
            throw .invalid(
                "There is no command “\(word)”.", hint: meant.map { "Did you mean “\($0)”?" } ?? "See “discfg --help”.")
        }
        return try 1 + commandNames(words.dropFirst(), below: next, isComplete: isComplete)
    }

    /// Splits `-n5` into two words, as git's users write it.
    private mutating func splitCounts() {
        words = words.flatMap { word -> [String] in
            let digits = word.dropFirst(2)
            let isCount = word.hasPrefix("-n") && !digits.isEmpty && digits.allSatisfy { ("0"..."9").contains($0) }
            return isCount ? ["-n", String(digits)] : [word]
        }
    }

    private mutating func passCommand() {
        guard let terminator = words.firstIndex(of: "--") else { return }
        words = words[..<terminator] + words[(terminator + 1)...].map { "--\(Exec.commandOption)=.\($0)" }
    }
}

extension String {
    /// How many characters must be inserted, removed or replaced to get the other text.
    func distance(to other: String) -> Int {
        let other = Array(other)
        var row = Array(0...other.count)
        for (index, character) in enumerated() {
            var next = [index + 1]
            for (position, candidate) in other.enumerated() {
                let replaced = row[position] + (character == candidate ? 0 : 1)
                next.append(Swift.min(row[position + 1] + 1, next[position] + 1, replaced))
            }
            row = next
        }
        return row[other.count]
    }
}
