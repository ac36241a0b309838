import ArgumentParser

/// `discfg completions`: prints a script for a shell.
struct Completions: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print a script with which a shell completes discfg's commands.",
        discussion: """
            Examples:
              discfg completions bash > ~/.local/share/bash-completion/completions/discfg
              discfg completions zsh > ~/.zsh/completions/_discfg
              discfg completions fish > ~/.config/fish/completions/discfg.fish
            """)

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    @OptionGroup
    var globals: GlobalOptions

    /// A shell that is served.
    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish
    }

    func run() throws {
        let script =
            switch shell {
            case .bash: CompletionScripts.bash
            case .zsh: CompletionScripts.zsh
            case .fish: CompletionScripts.fish
            }
        try Descriptor.output.write(Array(script.utf8))
    }
}
