/// What users of other tools write for discfg's commands and options.
enum Synonyms {
    /// The name of a command that the user may have meant by a word, of those that there are at this place.
    ///
    /// The words are those of etcdctl, consul, aws, redis-cli and shells.
    static func command(for word: String, among names: [String]) -> String? {
        let known = commands[word]?.first { meant in
            meant.split(separator: " ").first.map { names.contains(String($0)) } == true
        }
        return known ?? nearest(to: word, among: names)
    }

    /// What the user may have meant by an option that a command does not have.
    static func option(for name: String, of command: CommandDefinition) -> String? {
        let known = options[name]?.first { meant in
            meant.split(separator: " ").first.map { command.option(String($0)) != nil } == true
        }
        let names = (command.arguments + CommandDefinition.globalOptions).filter(\.isDisplayed).flatMap(\.names)
        return known ?? nearest(to: name, among: names.filter { $0.hasPrefix("--") })
    }

    private static func nearest(to word: String, among names: [String]) -> String? {
        let dashes = word.prefix { $0 == "-" }.count
        let nearest = names.min { $0.distance(to: word) < $1.distance(to: word) }
        return nearest.flatMap { $0.distance(to: word) <= min(2, (word.count - dashes) / 3) ? $0 : nil }
    }

    private static let commands: [String: [String]] = [
        "put": ["set", "add"], "add": ["set", "create"], "write": ["set"], "update": ["set"],
        "create": ["add", "init"], "new": ["create", "add"], "make": ["create", "add"], "mk": ["create"],
        "rm": ["delete"], "del": ["delete", "rm"], "delete": ["rm", "destroy"], "remove": ["delete", "rm"],
        "unset": ["delete"], "drop": ["delete", "destroy"], "destroy": ["delete"],
        "list": ["ls", "list"], "ls": ["list"], "keys": ["ls"], "dir": ["ls"], "tree": ["ls"], "find": ["ls"],
        "read": ["get"], "cat": ["get"], "show": ["get", "describe"], "fetch": ["get"],
        "log": ["history"], "audit": ["history"], "revert": ["rollback"], "undo": ["rollback"], "restore": ["rollback"],
        "follow": ["watch"], "tail": ["watch"], "subscribe": ["watch"], "transaction": ["txn"],
        "load": ["import"], "dump": ["export"], "backup": ["export"], "save": ["export"], "run": ["exec"],
        "server": ["serve"], "start": ["serve"], "daemon": ["serve"], "listen": ["serve"],
        "init": ["store init"], "status": ["info"], "describe": ["info"], "configs": ["cfgs"], "config": ["cfg"],
        "namespaces": ["cfgs"], "switch": ["use"], "select": ["use"], "current": ["which"], "webhook": ["notify"],
        "completion": ["completions"],
    ]

    private static let options: [String: [String]] = {
        let groups: [(words: [String], meant: [String])] = [
            (["--port", "--host", "--address", "--addr", "--bind", "--http", "-p"], ["--listen HOST:PORT"]),
            (["--listen-client-urls", "--grpc", "--etcd"], ["--etcd-listen HOST:PORT"]),
            (["--endpoints", "--endpoint", "--server", "--url", "--db", "--database", "--table"], ["--store URL"]),
            (["--config", "--namespace", "--ns", "--env", "--environment"], ["--cfg NAME"]),
            (["--json"], ["--as json", "--format json"]), (["--yaml"], ["--as yaml", "--format yaml"]),
            (["--toml"], ["--as toml"]), (["--file-format"], ["--as FORMAT"]),
            (["--write-out", "-w", "--output", "--output-format", "-o"], ["--format FORMAT"]),
            (["--quiet", "-q", "--silent"], ["--format silent"]),
            (["--verbose", "-v", "--debug"], ["--log-level debug"]),
            (["--revision", "--at"], ["--rev N"]),
            (["--since", "--from", "--start-rev", "--rev"], ["--after REV"]),
            (["--recursive", "--recurse", "-r", "-R", "--all"], ["--prefix", "--recursive"]),
            (["--if-not-exists", "--nx", "--create-only", "--if-none-match"], ["--if-absent"]),
            (["--cas", "--modify-index", "--prev-index", "--mod-revision"], ["--if-revision N"]),
            (["--prev-value", "--swap-with-value", "--compare"], ["--if-value VALUE"]),
            (["--lease", "--expire", "--expires", "--expiration", "--ex", "--timeout"], ["--ttl DURATION"]),
            (["--comment", "--reason", "--description"], ["--message TEXT"]),
            (["--user", "--username", "--by"], ["--author NAME"]),
            (["--force", "--no-confirm"], ["--yes"]), (["--keys-only", "--long-listing"], ["--long"]),
            (["--max", "--number", "--max-count"], ["--limit N", "--count N"]),
            (["--read-consistency", "--strong", "--linearizable"], ["--consistent"]),
        ]
        return Dictionary(groups.flatMap { group in group.words.map { ($0, group.meant) } }) { first, _ in first }
    }()
}

extension CommandDefinition {
    /// The definition of the command that words name.
    static func named(_ words: [String], below root: CommandDefinition) -> CommandDefinition {
        var definition = root
        for word in words {
            guard let next = definition.subcommands.first(where: { $0.name == word }) else { break }
            definition = next
        }
        return definition
    }
}
