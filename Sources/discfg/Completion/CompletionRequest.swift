import ArgumentParser

/// What may stand in the place of the last word of a command line.
struct CompletionRequest: Hashable {
    /// A word that fits, and what it means.
    struct Word: Hashable {
        let text: String
        var meaning = ""
    }

    /// From where words come.
    enum Subject: Hashable {
        case words([Word])
        case files, keys, configs, revisions, notifications
        /// A config or a key, which may both come first.
        case configsAndKeys
    }

    var subject = Subject.words([])
    /// What stands before the part that is completed, such as `--cfg=` or `@`.
    var lead = ""
    /// The part that is completed, as far as it is typed.
    var prefix = ""
    /// The global options that the line has.
    var globals: [String] = []
    /// The config that a positional argument names.
    var config: String?

    /// Reads a line without its first word; the last word is the one to complete, and may be empty.
    init(_ words: [String], root: any ParsableCommand.Type = Discfg.self) {
        var line = Line(command: CommandDefinition(of: root))
        for word in words.dropLast() where !line.read(word) { return }
        (globals, prefix) = (line.globals, words.last ?? "")
        complete(line)
    }

    private mutating func complete(_ line: Line) {
        if let option = line.openOption { return complete(option, line) }
        if !line.isTerminated, prefix.hasPrefix("-") {
            if let equals = prefix.firstIndex(of: "="), let option = line.command.option(String(prefix[..<equals])) {
                lead = String(prefix[...equals])
                prefix = String(prefix[prefix.index(after: equals)...])
                return complete(option, line)
            }
            let options = (line.command.arguments + CommandDefinition.globalOptions).filter(\.isDisplayed)
            let words = options.flatMap { option in
                option.names.filter { $0.hasPrefix("--") }.map { Word(text: $0, meaning: option.abstract) }
            }
            return subject = .words(words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
        }
        if !line.command.subcommands.isEmpty, line.positionals.isEmpty {
            return subject = .words(line.command.subcommands.map { Word(text: $0.name, meaning: $0.abstract) })
        }
        let index = line.isTerminated ? line.terminated : line.positionals.count
        if let argument = line.command.positional(index, afterTerminator: line.isTerminated) {
            complete(argument, line)
        } else if line.isTerminated {
            subject = .files
        }
    }

    private mutating func complete(_ argument: ArgumentDefinition, _ line: Line) {
        if !argument.values.isEmpty {
            subject = .words(argument.values.map { Word(text: $0) })
        } else if argument.isFile {
            subject = .files
        } else if argument.names.contains("--store") {
            completeStore()
        } else if argument.names.contains("--cfg") || argument.names.contains("--etcd-cfg") {
            subject = .configs
        } else if ["--rev", "--to", "--after"].contains(where: argument.names.contains)
            || argument.valueName.hasPrefix("rev")
        {
            // “notify add --to” takes a target.
            if argument.valueName != "target" { subject = .revisions }
        } else if argument.valueName == "name", argument.isPositional {
            subject = line.path.first == "notify" ? .notifications : line.path.last == "create" ? .words([]) : .configs
        } else if ["key", "prefix", "key or prefix", "path"].contains(argument.valueName) {
            subject = .keys
        } else if argument.valueName.hasPrefix("[cfg] key") {
            completePositional(line)
        } else if argument.isPostTerminator {
            subject = .files
        }
    }

    /// `[CFG] KEY [VALUE]`: only the number of arguments tells whether the first is a config.
    private mutating func completePositional(_ line: Line) {
        switch line.positionals.count {
        case 0: subject = .configsAndKeys
        case _ where prefix.hasPrefix("@") && !prefix.hasPrefix("@@"):
            (subject, lead, prefix) = (.files, "@", String(prefix.dropFirst()))
        case 1 where !line.positionals[0].hasPrefix("/"):
            (subject, config) = (.keys, line.positionals[0])
        default: break
        }
    }

    private mutating func completeStore() {
        if prefix.hasPrefix("sqlite:") {
            (subject, lead, prefix) = (.files, lead + "sqlite:", String(prefix.dropFirst(7)))
        } else {
            subject = .words(["sqlite:", "dynamodb:", "http://", "https://", "memory:"].map { Word(text: $0) })
        }
    }
}

/// The words before the one that is completed, as far as they were understood.
private struct Line {
    var command: CommandDefinition
    /// The names of the commands.
    var path: [String] = []
    var positionals: [String] = []
    /// How many words stand behind `--`.
    var terminated = 0
    var isTerminated = false
    /// An option whose value comes next.
    var openOption: ArgumentDefinition?
    var globals: [String] = []

    init(command: CommandDefinition) { self.command = command }

    /// Takes the next word.
    ///
    /// - Returns: Whether it was understood; nothing fits after a word that was not.
    mutating func read(_ word: String) -> Bool {
        if isTerminated {
            terminated += 1
        } else if let option = openOption {
            note(option, word)
            openOption = nil
        } else if word == "--" {
            isTerminated = true
        } else if word.hasPrefix("-"), word.count > 1 {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let option = command.option(parts[0]) else { return true }
            if parts.count == 2 {
                note(option, parts[1])
            } else if !option.isFlag {
                openOption = option
            }
        } else if word == "help", path.isEmpty {
            // The names of commands follow.
            path.append(word)
        } else if !command.subcommands.isEmpty {
            guard let next = command.subcommands.first(where: { $0.name == word }) else { return false }
            path.append(word)
            command = next
        } else {
            positionals.append(word)
        }
        return true
    }

    private mutating func note(_ option: ArgumentDefinition, _ value: String) {
        guard let name = option.names.first, CommandLineWords.valuedOptions.contains(name) else { return }
        globals += [name, value]
    }
}
