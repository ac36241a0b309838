import ArgumentParser
import DiscfgCore

/// A command as its parser is defined: what completion needs to know of it.
struct CommandDefinition {
    let name: String
    let abstract: String
    let subcommands: [CommandDefinition]
    let arguments: [ArgumentDefinition]

    /// The definition of a command, as ArgumentParser describes it.
    init(of command: any ParsableCommand.Type) { self.init(Self.description(command._dumpHelp())) }

    /// The options that every command has.
    static let globalOptions = CommandDefinition(description(GlobalOptions._dumpHelp())).arguments.filter {
        CommandLineWords.valuedOptions.contains($0.names.first ?? "")
    }

    private static func description(_ dump: String) -> JSONValue {
        (try? JSONValue(parsing: dump))?["command"] ?? .null
    }

    private init(_ json: JSONValue) {
        name = json["commandName"]?.string ?? ""
        abstract = json["abstract"]?.string ?? ""
        subcommands = (json["subcommands"]?.array ?? []).map { CommandDefinition($0) }.filter {
            $0.name != Complete.configuration.commandName
        }
        arguments = (json["arguments"]?.array ?? []).map { ArgumentDefinition($0) }
    }

    /// The option or flag of that name; every command also knows the global options.
    func option(_ name: String) -> ArgumentDefinition? {
        (arguments + Self.globalOptions).first { $0.names.contains(name) }
    }

    /// What stands at a place among the positional arguments, behind `--` or not.
    func positional(_ index: Int, afterTerminator: Bool) -> ArgumentDefinition? {
        let all = arguments.filter { $0.isPositional && $0.isPostTerminator == afterTerminator }
        return index < all.count ? all[index] : all.last { $0.isRepeating }
    }
}

/// An argument, an option or a flag of a command.
struct ArgumentDefinition {
    /// As they are written, such as `--limit` and `-n`; none for a positional argument.
    let names: [String]
    let valueName: String
    let abstract: String
    /// The values that it takes, if they are a fixed list.
    let values: [String]
    let isPositional: Bool
    let isFlag: Bool
    let isFile: Bool
    let isRepeating: Bool
    let isDisplayed: Bool
    let isPostTerminator: Bool

    fileprivate init(_ json: JSONValue) {
        names = (json["names"]?.array ?? []).compactMap { name in
            name["name"]?.string.map { (name["kind"]?.string == "long" ? "--" : "-") + $0 }
        }
        valueName = json["valueName"]?.string ?? ""
        abstract = json["abstract"]?.string ?? ""
        let kind = json["completionKind"]
        let list = kind?["list"]?["values"] ?? json["allValueStrings"] ?? json["allValues"]
        values = (list?.array ?? []).compactMap(\.string)
        isPositional = json["kind"]?.string == "positional"
        isFlag = json["kind"]?.string == "flag"
        isFile = kind?["file"] != nil
        isRepeating = json["isRepeating"]?.bool == true
        isDisplayed = json["shouldDisplay"]?.bool != false
        isPostTerminator = json["parsingStrategy"]?.string == "postTerminator"
    }
}
