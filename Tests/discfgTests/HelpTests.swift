import ArgumentParser
import Testing

@testable import discfg

@Suite("Help")
struct HelpTests {
    @Test("The root lists the commands in groups")
    func root() {
        let text = Discfg.helpMessage(columns: 80)
        let shown = text.components(before: "SERVER SUBCOMMANDS:")
        #expect(
            shown == """
                OVERVIEW: Configuration with revisions, history and watch, in one file, in
                DynamoDB or behind a server.

                Try:
                  discfg set /db/host localhost
                  discfg get /db/host
                  discfg history /db

                A config is a key space with revisions of its own; the config “default” always
                exists. Data goes to standard output, everything else to standard error. Exit
                status: 1 not found or condition failed, 2 usage, 3 store. Every command but
                “help” takes --store, --cfg, --format, --log-level and --author, before its
                name or after it.

                USAGE: discfg <subcommand>

                OPTIONS:
                  --version               Show the version.
                  -h, --help              Show help information.

                CONFIGS SUBCOMMANDS:
                  create                  Create a config.
                  use                     Remember a config for this directory, in “.discfg”.
                  which                   Tell which config and which store are used here, and
                                          why.
                  info                    Describe a config: its revisions, settings and store.
                  cfgs                    List the configs of the store.
                  cfg                     Create, delete and describe configs.

                KEYS SUBCOMMANDS:
                  set                     Set a key.
                  get                     Print the value of a key.
                  ls                      List keys: one level, directories ending in “/”.
                  delete                  Delete a key, or all below a prefix.
                  edit                    Change a value in $VISUAL or $EDITOR.
                  txn                     Change several keys together, under conditions.

                HISTORY SUBCOMMANDS:
                  history                 Show who changed what, when and why; newest first.
                  diff                    Show what differs between two revisions.
                  rollback                Put keys back to what they were, as a new commit.
                  watch                   Follow changes as they are made.
                  compact                 Forget old history; the current keys stay.

                FILES SUBCOMMANDS:
                  import                  Set keys from a file: JSON, YAML, TOML, dotenv or
                                          Java properties.
                  export                  Write keys as a file: JSON, YAML, TOML, dotenv or
                                          Java properties.

                PROCESSES SUBCOMMANDS:
                  exec                    Run a command with keys as environment variables.
                  env                     Print keys as environment variables, quoted for a
                                          shell.

                NOTIFICATIONS SUBCOMMANDS:
                  notify                  Tell SNS, SQS, EventBridge or a webhook of changes.
                """ + "\n\n")
    }

    @Test("“get” explains itself with examples")
    func helpGet() {
        #expect(
            Discfg.helpMessage(for: Get.self, columns: 80) == """
                OVERVIEW: Print the value of a key.

                The value stands alone on standard output; a text that does not end in a
                newline gets one.

                Examples:
                  discfg get /db/host
                  discfg get production /db/host --rev 7
                  discfg get /features --path /beta/enabled

                USAGE: discfg get [<cfg>] <key> [<options>]

                ARGUMENTS:
                  <[cfg] key>             The config, if not that of --cfg; the key.

                OPTIONS:
                  --rev <n>               Read as of this revision.
                  --path <pointer>        Of a JSON value, only what this JSON Pointer names.
                  --detailed              Print what is known of the key beside its value.
                  -n, --no-newline        Print exactly the bytes of the value.
                  --consistent            Read what is newest, at twice the cost on a remote
                                          store.
                  --store <url>           Where configs are kept. (DISCFG_STORE; default:
                                          sqlite:)
                  --cfg <name>            The config. (DISCFG_CFG, then .discfg; default:
                                          default)
                  -f, --format <format>   How answers are written. (DISCFG_FORMAT; default:
                                          human) (values: human, json, yaml, silent)
                  --log-level <level>     How much is logged. (DISCFG_LOG_LEVEL; default:
                                          warning) (values: trace, debug, info, notice,
                                          warning, error, critical)
                  --author <name>         Author of changes; “history” selects by it.
                                          (DISCFG_AUTHOR; default: login name)
                  --version               Show the version.
                  -h, --help              Show help information.

                """)
    }

    @Test("“set” explains itself with examples")
    func helpSet() {
        #expect(
            Discfg.helpMessage(for: SetCommand.self, columns: 80) == """
                OVERVIEW: Set a key.

                Three arguments name the config first. VALUE is “-” for standard input or
                “@FILE” for a file; write “@@x” for a text that begins with “@”, and “--”
                before a value that begins with “-”.

                Examples:
                  discfg set /db/host localhost -m "local for now"
                  discfg set --type number /limits/low -- -5
                  discfg set /tls/cert @cert.pem --if-absent

                USAGE: discfg set [<cfg>] <key> <value> [<options>]

                ARGUMENTS:
                  <[cfg] key value>       The config, if not that of --cfg; the key; its value.

                CONDITIONS:
                  --if-absent             Only when the key is not there yet.
                  --if-version <n>        Only when the key has this version; 0 means absent.
                  --if-revision <n>       Only when the key was last changed by this revision;
                                          0 means absent.
                  -c, --if-value <value>  Only when the key holds this value (“@FILE” for that
                                          of a file).

                OPTIONS:
                  -d, --data <file>       Take the value from a file; VALUE is left out.
                  --type <type>           What the value is: text, json, number, bool, null,
                                          binary, or a media type such as application/yaml.
                  --ttl <duration>        How long the key stays, such as 30s; “keep” for as
                                          before.
                  -m, --message <text>    Why; kept in the history.
                  --store <url>           Where configs are kept. (DISCFG_STORE; default:
                                          sqlite:)
                  --cfg <name>            The config. (DISCFG_CFG, then .discfg; default:
                                          default)
                  -f, --format <format>   How answers are written. (DISCFG_FORMAT; default:
                                          human) (values: human, json, yaml, silent)
                  --log-level <level>     How much is logged. (DISCFG_LOG_LEVEL; default:
                                          warning) (values: trace, debug, info, notice,
                                          warning, error, critical)
                  --author <name>         Author of changes; “history” selects by it.
                                          (DISCFG_AUTHOR; default: login name)
                  --version               Show the version.
                  -h, --help              Show help information.

                """)
    }

    @Test("“diff” explains itself with examples")
    func helpDiff() {
        #expect(
            Discfg.helpMessage(for: Diff.self, columns: 80) == """
                OVERVIEW: Show what differs between two revisions.

                With one revision, between that and now; with none, what the last commit
                changed. Exits with 0 when nothing differs, and with 1 when something does.

                Examples:
                  discfg diff
                  discfg diff 3 7 --prefix /db

                USAGE: discfg diff [<rev1>] [<rev2>] [--prefix <prefix>] [--store <url>] [--cfg <name>] [--format <format>] [--log-level <level>] [--author <name>]

                ARGUMENTS:
                  <rev1>                  The revision to begin with; by default that before
                                          the current.
                  <rev2>                  The revision to end with; by default the current.

                OPTIONS:
                  --prefix <prefix>       Only this key, and keys below it. (default: /)
                  --store <url>           Where configs are kept. (DISCFG_STORE; default:
                                          sqlite:)
                  --cfg <name>            The config. (DISCFG_CFG, then .discfg; default:
                                          default)
                  -f, --format <format>   How answers are written. (DISCFG_FORMAT; default:
                                          human) (values: human, json, yaml, silent)
                  --log-level <level>     How much is logged. (DISCFG_LOG_LEVEL; default:
                                          warning) (values: trace, debug, info, notice,
                                          warning, error, critical)
                  --author <name>         Author of changes; “history” selects by it.
                                          (DISCFG_AUTHOR; default: login name)
                  --version               Show the version.
                  -h, --help              Show help information.

                """)
    }

    @Test("“serve” names the defaults of its address and its poll interval")
    func helpServe() {
        let text = Discfg.helpMessage(for: Serve.self, columns: 400)
        #expect(text.contains("(DISCFG_LISTEN; default: 127.0.0.1:8899)"))
        #expect(text.contains("(default: 50ms on a file, 200ms on a table)"))
    }

    @Test("“exec” explains itself with examples")
    func helpExec() {
        #expect(
            Discfg.helpMessage(for: Exec.self, columns: 80) == """
                OVERVIEW: Run a command with keys as environment variables.

                The command replaces the discfg process: it receives the signals, and its exit
                status is the one you see; 127 if it is not found, 126 if it cannot be run.
                /db/pool-size below /db is POOL_SIZE; of two prefixes the later wins.

                Examples:
                  discfg exec /db -- psql
                  discfg exec /shared /app --pristine -- ./server --port 80

                USAGE: discfg exec [<prefix> ...] [<options>] -- <command> ...

                ARGUMENTS:
                  <prefix>                Keys below these directories; by default all.

                OPTIONS:
                  --strict                Fail where two keys make one name, or a key makes
                                          none; otherwise that is a warning.
                  --pristine              Start the command with these variables alone.
                  --store <url>           Where configs are kept. (DISCFG_STORE; default:
                                          sqlite:)
                  --cfg <name>            The config. (DISCFG_CFG, then .discfg; default:
                                          default)
                  -f, --format <format>   How answers are written. (DISCFG_FORMAT; default:
                                          human) (values: human, json, yaml, silent)
                  --log-level <level>     How much is logged. (DISCFG_LOG_LEVEL; default:
                                          warning) (values: trace, debug, info, notice,
                                          warning, error, critical)
                  --author <name>         Author of changes; “history” selects by it.
                                          (DISCFG_AUTHOR; default: login name)
                  --version               Show the version.
                  -h, --help              Show help information.

                """)
    }

    @Test("Examples agree with the manual on backups and on importing a ConfigMap")
    func examples() {
        #expect(!Discfg.helpMessage(for: Export.self, columns: 80).contains("backup"))
        #expect(Discfg.helpMessage(for: Import.self, columns: 80).contains("jq .data"))
    }

    @Test("Every command has an abstract, and says what to type")
    func all() {
        let groups = Discfg.configuration.groupedSubcommands.flatMap { $0.subcommands }
        for command in groups + Cfg.configuration.subcommands {
            #expect(!command.configuration.abstract.isEmpty)
            #expect(command.configuration.commandName != nil)
        }
    }
}

extension String {
    /// The text before a mark.
    fileprivate func components(before mark: String) -> String {
        ranges(of: mark).first.map { String(self[..<$0.lowerBound]) } ?? self
    }
}
