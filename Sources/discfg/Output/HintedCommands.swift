import DiscfgCore

extension Settings {
    /// The error, with the options that this command was given in every command that its hint names, so that it can be copied.
    func completed(_ error: any Error) -> any Error {
        guard var error = error as? DiscfgError else { return error }
        error.hint = error.hint.map(completed(hint:))
        return error
    }

    /// The hint, with the store and the config in its commands if they are not those of the environment.
    func completed(hint: String) -> String {
        var (result, rest) = ("", hint[...])
        while let start = rest.firstRange(of: "“discfg "), let end = rest[start.upperBound...].firstIndex(of: "”") {
            let words = rest[start.upperBound..<end].split(separator: " ").map(String.init)
            result += rest[..<end]
            for option in options(for: words) { result += " " + option }
            rest = rest[end...]
        }
        return result + rest
    }

    private static let onConfigs: Set = [
        "get", "ls", "set", "edit", "delete", "history", "diff", "info", "import", "export", "env", "notify",
    ]
    private static let onStores: Set = ["create", "cfg", "cfgs", "store"]

    /// The options to add to a command; none if only its name is meant, as in “discfg delete --prefix”.
    private func options(for words: [String]) -> [String] {
        guard let command = words.first, words.last?.hasPrefix("--") == false else { return [] }
        let isOnConfig = Self.onConfigs.contains(command)
        var options: [String] = []
        if let storeOption, isOnConfig || Self.onStores.contains(command), !words.contains("--store") {
            options.append("--store " + Variables.quoted(storeOption))
        }
        if isOnConfig, config.source.isOfCommand, !words.contains("--cfg") { options.append("--cfg \(config.name)") }
        return options
    }
}

extension ConfigChoice.Source {
    /// Whether the command line named the config, so that another command does not find it by itself.
    fileprivate var isOfCommand: Bool { self == .argument || self == .option }
}

extension Variables {
    /// A text as a shell reads it back, in single quotes if it needs them.
    static func quoted(_ text: String) -> String { String(decoding: quoted(Array(text.utf8)), as: UTF8.self) }
}
