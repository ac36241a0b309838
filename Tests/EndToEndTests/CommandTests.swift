import Foundation
import Testing

/// What commands print in cases that the tour and the comparison of stores do not have.
@Suite("Commands")
struct CommandTests {
    @Test("history --author selects commits, and the variable for writers does not")
    func historyByAuthor() async throws {
        try await Sandbox.with { sandbox in
            for (author, value) in [("user/bob", "1"), ("ann", "2"), ("user/bob", "3")] {
                try await sandbox.discfg("set", "/a", value, "--author", author)
            }
            let bob = try await sandbox.discfg("history", "--author", "bob", "-f", "json").output
            #expect(bob.contains("\"revision\":4") && bob.contains("\"revision\":2"), "\(bob)")
            #expect(!bob.contains("\"revision\":3") && !bob.contains("\"revision\":1,"), "\(bob)")
            let newest = try await sandbox.discfg("history", "--author", "bob", "-n", "1").output
            #expect(newest.hasPrefix("revision 4  ") && !newest.contains("revision 2"))
            #expect(try await sandbox.discfg("history", "--author", "carol").output.isEmpty)
            let all = try await sandbox.bash("DISCFG_AUTHOR=bob discfg history | grep -c ^revision")
            #expect(all.line == "4")
        }
    }

    @Test("version takes the global options, and prints the line that --version prints")
    func version() async throws {
        try await Sandbox.with { sandbox in
            let text = try await sandbox.discfg("version").output
            #expect(text.hasPrefix("discfg ") && text.hasSuffix("\n"))
            #expect(try await sandbox.discfg("--version").output == text)
            let number = text.dropFirst(7).dropLast()
            #expect(try await sandbox.discfg("-f", "json", "version").output == "{\"version\":\"\(number)\"}\n")
            #expect(try await sandbox.discfg("--cfg", "staging", "version", "--store", "memory:").output == text)
        }
    }

    @Test("Names and data cannot steer a terminal, and files keep every byte")
    func escapes() async throws {
        try await Sandbox.with { sandbox in
            let keys = #"{"then":[{"set":"/k\u001b[2Jey","value":"a\u001b[2J"},{"set":"/k\u001b[2Jey/sub","value":1}]}"#
            try sandbox.write("keys.json", keys)
            #expect(try await sandbox.discfg("txn", "keys.json").status == 0)
            try sandbox.write("twice.toml", #""a\u001b[2Jb" = 1\n"a\u001b[2Jb" = 2\n"#.replacing("\\n", with: "\n"))
            for arguments in [["export"], ["get", "/\u{1B}[2J"], ["delete", "\u{1B}[2J"], ["import", "twice.toml"]] {
                let result = try await sandbox.run(arguments)
                #expect(result.status != 0 && !result.error.contains("\u{1B}"), "\(arguments): \(result.error)")
                #expect(result.error.contains("\\u{1b}[2J"), "\(arguments): \(result.error)")
            }
            #expect(try await sandbox.discfg("env").output.contains("a\u{1B}[2J"))
            for command in ["env", "export /", "ls -f yaml"] {
                try await sandbox.discfg("delete", "/k\u{1B}[2Jey/sub")
                let words = command.split(separator: " ").map { "\"\($0)\"" }.joined(separator: ",")
                let screen = try await sandbox.bash("python3 -c 'import pty; pty.spawn([\"discfg\",\(words)])'")
                #expect(screen.output.contains("[2J") && !screen.output.contains("\u{1B}"), "\(screen.output)")
            }
        }
    }

    /// The script with which a shell is asked what it would complete, and the name of the shell.
    static let shells: [(shell: String, script: String)] = [
        (
            "bash",
            """
            eval "$(discfg completions bash)"
            complete_line() {
                COMP_LINE=$1 COMP_POINT=${#1}
                read -ra COMP_WORDS <<<"$1"
                COMPREPLY=()
                _discfg 2>/dev/null
                printf '%s\\n' "${COMPREPLY[@]}"
            }
            """
        ),
        (
            "fish",
            """
            discfg completions fish | source
            function complete_line
                complete -C "$argv[1]" | string replace -r '\\t.*' ''
            end
            """
        ),
    ]

    @Test("A shell completes commands, options, keys, configs, revisions and files", arguments: shells.map(\.shell))
    func completion(shell: String) async throws {
        try await Sandbox.with { sandbox in
            try await sandbox.require(shell)
            let script = Self.shells.first { $0.shell == shell }?.script ?? ""
            try await sandbox.discfg("create", "production")
            for key in ["/db/host", "/db/port", "/shop"] { try await sandbox.discfg("set", key, "v") }
            try await sandbox.discfg("set", "production", "/only/here", "v")
            try sandbox.write("data.json", "{}")
            for (line, expected) in [
                ("discfg histo", "history"), ("discfg --sto", "--store"), ("discfg -f ya", "yaml"),
                ("discfg --cfg pro", "production"), ("discfg --cfg=pro", "production"),
                ("discfg use pro", "production"),
                ("discfg get /d", "/db/"), ("discfg get /db/h", "/db/host"), ("discfg get sho", "shop"),
                ("discfg --cfg production ls /o", "/only/"), ("discfg get production /only/", "/only/here"),
                ("discfg import da", "data.json"), ("discfg set /k @da", "data.json"),
                ("discfg set --type nul", "null"),
                ("discfg rollback --to 4", "4"), ("discfg export --as to", "toml"),
            ] {
                let result = try await sandbox.run(shell, script + "\ncomplete_line '\(line)'\n")
                let words = result.output.split(separator: "\n").map { word in
                    // Bash is given what follows the last “=”; fish gives the whole word.
                    String(word.split(separator: "=").last ?? word).trimmingPrefix("@")
                }
                #expect(words.contains { $0 == expected }, "\(shell): \(line): \(result.output)\(result.error)")
            }
            // Looking does not create a store.
            let other = sandbox.on("sqlite:\(sandbox.folder.path)/none.db")
            _ = try await other.discfg("complete", "--", "get", "/")
            #expect(!FileManager.default.fileExists(atPath: sandbox.folder.path + "/none.db"))
        }
    }

    @Test("Each script loads in its shell without a complaint", arguments: ["bash", "zsh", "fish"])
    func completionScripts(shell: String) async throws {
        try await Sandbox.with { sandbox in
            let script = try await sandbox.discfg("completions", shell).output
            #expect(script.contains("discfg complete"))
            try await sandbox.require(shell)
            let path = try sandbox.write("script", script)
            let loaded = try await sandbox.bash("\(shell) -n '\(path)'")
            #expect(loaded.status == 0 && loaded.error.isEmpty, "\(loaded.error)")
        }
    }

    @Test("A small mistake is named by its cause")
    func mistakes() async throws {
        try await Sandbox.with { sandbox in
            let few = try await sandbox.bash("ulimit -n 8; discfg ls")
            #expect(
                few.status == 3 && few.error.contains("may open only") && few.error.contains("ulimit"), "\(few.error)")
            try await sandbox.discfg("create", "staging")
            let refused = try await sandbox.discfg("cfg", "delete", "staging")
            #expect(refused.status == 2 && refused.error.contains("with 1 revision needs confirmation"))
            let always = try await sandbox.discfg("cfg", "delete", "default")
            #expect(always.status == 2 && always.error.contains("cannot be deleted"), "\(always.error)")
            #expect(try await sandbox.discfg("get", "staging", "/a").error.contains("“discfg ls --cfg staging”"))
            #expect(try await sandbox.discfg("help", "nope").status == 2)
            // Refused before the file is created.
            let new = sandbox.on("sqlite:\(sandbox.folder.path)/new.db")
            for command in [["init", "--protect"], ["destroy", "--yes"]] {
                let file = try await new.run(["store"] + command)
                #expect(file.status == 2 && file.error.contains("is a SQLite file, which"), "\(file.error)")
            }
            #expect(!FileManager.default.fileExists(atPath: sandbox.folder.path + "/new.db"))
            let server = try await sandbox.on("http://127.0.0.1:1").discfg("store", "destroy", "--yes")
            #expect(server.status == 2 && server.error.contains("is a discfg server, which"), "\(server.error)")
            #expect(try await sandbox.discfg("store", "status").output.contains("KiB"))
            #expect(try await sandbox.bash("discfg store status -f json").output.contains(/"walSize":"[0-9]+"/))
            let region = try await sandbox.bash(
                "unset AWS_REGION AWS_DEFAULT_REGION; AWS_CONFIG_FILE=/dev/null discfg --store dynamodb:table get /a")
            #expect(region.status == 2 && region.error.contains("dynamodb:table?region="), "\(region.error)")
            #expect(try await sandbox.discfg("txn", "{}").error.contains("“discfg txn -”"))
            let port = try await sandbox.discfg("serve", "--port", "9000")
            #expect(port.status == 2 && port.error.contains("Did you mean “--listen HOST:PORT”?"), "\(port.error)")
            #expect(try await sandbox.discfg("put", "/a", "1").error.contains("Did you mean “set”?"))
            #expect(try await sandbox.discfg("export", "-f", "yaml").error.contains("nothing below"))
            let nothing = try await sandbox.discfg("history", "/nothing")
            #expect(nothing.status == 0 && nothing.error.contains("note: no commit"), "\(nothing.error)")
        }
    }

    @Test("A hint names a command that works when it is copied, with the same store and config")
    func hintsCanBeCopied() async throws {
        try await Sandbox.with { sandbox in
            let other = ["--store", "sqlite:other file.db", "--cfg", "staging"]
            #expect(try await sandbox.run(["create", "staging"] + other.prefix(2)).status == 0)
            #expect(try await sandbox.run(["set", "/a b/c", "1"] + other).status == 0)
            for (words, status, output) in [
                (["ls", "/miss"], 0, "/a b/c\n"), (["get", "/miss"], 0, "/a b/\n"), (["get", "/a b"], 0, "/a b/c\n"),
                (["delete", "/a b"], 0, "deleted 1 key  revision 3\n"),
            ] {
                let missed = try await sandbox.run(words + other)
                #expect(missed.status == 1, "\(words): \(missed.error)")
                let command = try #require(missed.error.firstMatch(of: /“(discfg [^”]*)”/)).1
                let copied = try await sandbox.bash(String(command))
                #expect(copied.status == status && copied.output == output, "\(command): \(copied.error)")
            }
        }
    }

    @Test("A directory that is read or deleted as a key is called by its name")
    func directories() async throws {
        try await Sandbox.with { sandbox in
            try await sandbox.discfg("set", "/app/name", "x")
            let get = try await sandbox.discfg("get", "/app")
            #expect(
                get.error == """
                    error: There is no key “/app” in config “default”, but there are keys below it.
                    hint: List them with “discfg ls /app”.

                    """ && get.status == 1)
            let delete = try await sandbox.discfg("delete", "/app")
            #expect(delete.status == 1 && delete.error.contains("“discfg delete --prefix /app”"), "\(delete.error)")
            #expect(try await sandbox.discfg("get", "/app", "--rev", "1").error.contains("but there are") == false)
            #expect(try await sandbox.discfg("get", "/app/name").output == "x\n")
        }
    }

    @Test("edit without a terminal and without an editor is refused before anything is opened")
    func editWithoutTerminal() async throws {
        try await Sandbox.with { sandbox in
            let refused = try await sandbox.discfg("edit", "/a")
            #expect(refused.status == 2 && refused.error.contains("“discfg set KEY VALUE”"), "\(refused.error)")
            let edited = try await sandbox.bash("EDITOR='cp text' discfg edit /a")
            #expect(edited.error.contains("The editor “cp text”"), "\(edited.error)")
        }
    }

    @Test("Too few descriptors are an error, and never a crash")
    func descriptors() async throws {
        try await Sandbox.with { sandbox in
            for (limit, command) in [
                (4, "ls"), (5, "ls"), (6, "ls"), (7, "version"), (9, "ls"), (9, "--store http://127.0.0.1:9 ls"),
                (12, "--store http://127.0.0.1:9 ls"), (20, "serve --listen 127.0.0.1:0"),
            ] {
                let few = try await sandbox.bash("ulimit -n \(limit); exec discfg \(command)")
                #expect(few.status == 3, "\(limit) \(command): \(few.error)")
                #expect(few.error.contains("may open only") && few.error.contains("ulimit"), "\(few.error)")
            }
        }
    }

    @Test("The Makefile does not pass planted defects to a build")
    func makefile() async throws {
        try await Sandbox.with { sandbox in
            try sandbox.write("more.mk", "shown:\n\t@echo \"[$$DISCFG_MUTANTS]\"\n")
            let makefile = Sandbox.checkout.appending(path: "Makefile").path
            let shown = try await sandbox.bash("DISCFG_MUTANTS=1 make -f '\(makefile)' -f more.mk shown")
            #expect(shown.output == "[]\n", "\(shown.error)")
        }
    }

    @Test("A key without a leading slash is listed, read and deleted by the same name")
    func bareKeys() async throws {
        try await Sandbox.with { sandbox in
            #expect(try await sandbox.discfg("set", "bare:app/name", "svc").output.contains("set bare:app/name  "))
            #expect(try await sandbox.discfg("ls", "-r").output == "bare:app/name\n")
            #expect(try await sandbox.discfg("ls").output == "bare:app/\n")
            #expect(try await sandbox.discfg("ls", "bare:app").output == "bare:app/name\n")
            #expect(try await sandbox.discfg("get", "bare:app/name").output == "svc\n")
            #expect(try await sandbox.discfg("get", "app/name").status == 1)
            #expect(try await sandbox.discfg("env", "bare:app").output == "NAME=svc\n")
            let all = try await sandbox.discfg("export")
            #expect(all.status == 0 && all.output == "{}\n")
            #expect(all.error.contains("1 key without a leading “/” left out, such as “bare:app/name”"), "\(all.error)")
            let directory = try await sandbox.discfg("export", "bare:app", "--as", "yaml")
            #expect(directory.output == "name: svc\n" && directory.error.isEmpty, "\(directory.error)")
            #expect(try await sandbox.discfg("delete", "bare:app/name").status == 0)
            #expect(try await sandbox.discfg("history", "bare:app").output.contains("delete bare:app/name"))
        }
    }
}
