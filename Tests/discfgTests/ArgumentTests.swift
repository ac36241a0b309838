import ArgumentParser
import DiscfgCore
import DiscfgFormats
import Testing

@testable import discfg

@Suite("Arguments")
struct ArgumentTests {
    @Test(
        "Global options may lead, and the command of exec becomes an option",
        arguments: [
            ("get /a", "get /a"), ("--store memory: get /a", "get --store memory: /a"),
            ("-f json --cfg=x cfg list", "cfg list -f json --cfg=x"), ("--version", "--version"),
            ("exec /a -- ls -l --", "exec /a --command-word=.ls --command-word=.-l --command-word=.--"),
            ("--cfg x exec -- a", "exec --cfg x --command-word=.a"), ("watch /a -- ls", "watch /a -- ls"),
            ("help get", "help get"), ("history -n1 /a", "history -n 1 /a"), ("set /a -n1", "set /a -n1"),
            ("set /a -- -5", "set /a -- -5"),
        ])
    func order(line: String, expected: String) throws {
        let words = line.split(separator: " ").map(String.init)
        #expect(try CommandLineWords(words).words.joined(separator: " ") == expected)
    }

    @Test("A command that there is not is refused, with the nearest that there is")
    func unknownCommand() throws {
        let error = try #require(throws: DiscfgError.self) { try CommandLineWords(["gett", "x"]) }
        #expect(error.message == "There is no command “gett”.")
        #expect(error.hint == "Did you mean “get”?")
        let other = try #require(throws: DiscfgError.self) { try CommandLineWords(["cfg", "frobnicate"]) }
        #expect(other.hint == "See “discfg --help”.")
        for words in [["help", "nope"], ["help", "cfg", "bogus"]] {
            #expect(throws: DiscfgError.self) { try CommandLineWords(words) }
        }
        #expect(try CommandLineWords(["help", "cfg", "list"]).words.count == 3)
    }

    @Test(
        "A word of another tool is answered with discfg's own",
        arguments: [
            ("put /a 1", "set"), ("rm /a", "delete"), ("del /a", "delete"), ("list", "ls"), ("keys", "ls"),
            ("init", "store init"), ("server", "serve"), ("cfg ls", "list"), ("cfg rm x", "delete"),
            ("notify list", "ls"), ("notify delete x", "rm"), ("notify create", "add"), ("store create", "init"),
            ("store delete", "destroy"), ("help put", "set"), ("exprot", "export"),
        ])
    func otherCommands(line: String, meant: String) throws {
        let words = line.split(separator: " ").map(String.init)
        let error = try #require(throws: DiscfgError.self) { try CommandLineWords(words) }
        #expect(error.hint == "Did you mean “\(meant)”?")
    }

    @Test(
        "An unknown option is answered with the one that was meant, if the command has it",
        arguments: [
            ("serve --port 9", "--port", "--listen HOST:PORT"), ("delete /a --recursive", "--recursive", "--prefix"),
            ("delete /a -r", "-r", "--prefix"), ("ls --recursiv", "--recursiv", "--recursive"),
            ("get /a --json", "--json", "--format json"), ("export --yaml", "--yaml", "--as yaml"),
            ("set /a 1 --if-not-exists", "--if-not-exists", "--if-absent"),
            ("set /a 1 --lease 5", "--lease", "--ttl DURATION"),
            ("cfg list --endpoint x", "--endpoint", "--store URL"), ("get /a --revision 3", "--revision", "--rev N"),
            ("ls --port 9", "--port", nil), ("--port 9", "--port", nil), ("ls --xyz", "--xyz", nil),
        ])
    func otherOptions(line: String, option: String, meant: String?) throws {
        let words = try CommandLineWords(line.split(separator: " ").map(String.init)).words
        let error = try #require(throws: (any Error).self) { try Discfg.parseAsRoot(words) }
        let lines = Failure(error, words: words).text.split(separator: "\n").map(String.init)
        #expect(lines.first == "error: Unknown option “\(option)”.")
        #expect(lines.first { $0.hasPrefix("hint: ") } == meant.map { "hint: Did you mean “\($0)”?" })
        #expect(lines.contains { $0.hasPrefix("Usage: ") })
    }

    @Test("Every suggested command and option exists")
    func suggestions() {
        let root = CommandDefinition(of: Discfg.self)
        let names = root.subcommands.map(\.name)
        for word in ["put", "rm", "list", "log", "undo", "tail", "load", "dump", "run", "config", "switch", "init"] {
            let meant = Synonyms.command(for: word, among: names)
            #expect(meant.map { names.contains(String($0.split(separator: " ")[0])) } == true, "\(word)")
        }
    }

    @Test("A file is exported as --as says, as its name says, or as all answers are written")
    func exportFormats() throws {
        func format(_ words: [String], _ answers: OutputFormat) throws -> ConfigFormat {
            try Export.parse(words).fileFormat(for: answers)
        }
        #expect(try format([], .human) == .json && format([], .json) == .json && format([], .yaml) == .yaml)
        #expect(try format(["--as", "toml"], .yaml) == .toml)
        #expect(try format(["-o", "x.env"], .yaml) == .env)
        #expect(try format(["-o", "x"], .yaml) == .yaml)
    }

    @Test("An empty prefix of keys to export is refused")
    func emptyPrefix() throws {
        for words in [[""], ["/a", ""]] {
            #expect(throws: (any Error).self) { try Env.parse(words) }
            #expect(throws: (any Error).self) { try Exec.parse(words + ["--command-word=.ls"]) }
        }
        let error = try #require(throws: (any Error).self) { try Export.parse([""]) }
        #expect(Export.message(for: error) == "A prefix is empty; give “/” for all keys.")
        #expect(try Export.parse([]).prefix == "/" && Env.parse(["/"]).selection.prefixes == ["/"])
    }

    @Test("One more positional argument than needed names the config")
    func positionals() throws {
        #expect(try Positionals(["/a", "1"], names: ["KEY", "VALUE"]).config == nil)
        let three = try Positionals(["cfg", "/a", "1"], names: ["KEY", "VALUE"])
        #expect(three.config == "cfg")
        #expect(three.values == ["/a", "1"])
        #expect(try Positionals(["cfg", "/a"], names: ["KEY"]).config == "cfg")
        for arguments in [[], ["/a"], ["a", "b", "c", "d"]] {
            #expect(throws: ValidationError.self) { try Positionals(arguments, names: ["KEY", "VALUE"]) }
        }
    }

    @Test(
        "A value is an argument, standard input or a file",
        arguments: [
            ("x", ValueSource.literal("x")), ("-", .input), ("@f", .file("f")), ("@@f", .literal("@f")),
            ("@@@", .literal("@@")), ("", .literal("")), ("-5", .literal("-5")),
        ])
    func valueSource(argument: String, expected: ValueSource) {
        #expect(ValueSource(argument) == expected)
    }

    @Test(
        "A type is checked, and says how the value is stored",
        arguments: [
            ("text", "x", "text/plain", "x"), ("json", "{\"a\": 1}", "application/json", "{\"a\": 1}"),
            ("number", "5\n", "application/json", "5"), ("bool", "true", "application/json", "true"),
            ("null", "null", "application/json", "null"), ("binary", "x", "application/octet-stream", "x"),
            ("application/yaml", "a: 1", "application/yaml", "a: 1"),
        ])
    func types(name: String, text: String, contentType: String, stored: String) throws {
        let value = try ValueType(parsing: name).value(of: Array(text.utf8))
        #expect(value == Value(bytes: Array(stored.utf8), contentType: contentType))
    }

    @Test(
        "A value that does not fit its type is refused and not shown",
        arguments: [("json", "{secret"), ("number", "secret"), ("number", "\"1\""), ("bool", "1"), ("null", "0")])
    func misfits(name: String, text: String) throws {
        let type = try ValueType(parsing: name)
        let error = try #require(throws: DiscfgError.self) { try type.value(of: Array(text.utf8)) }
        #expect(error.code == .invalidRequest)
        #expect(!error.description.contains("secret"))
    }

    @Test("A type that there is not is refused")
    func unknownType() {
        #expect(throws: DiscfgError.self) { try ValueType(parsing: "integer") }
    }

    @Test(
        "The name of a file tells the content type",
        arguments: [("a.json", "application/json"), ("/x/b.YML", "application/yaml"), ("c.toml", "application/toml")])
    func fileNames(name: String, type: String) {
        #expect(ValueType.contentType(fileName: name) == type)
    }

    @Test("A time to live is a duration or “keep”")
    func expiry() throws {
        #expect(try Operation.Expiry(parsing: "1h30m") == .after(.seconds(5400)))
        #expect(try Operation.Expiry(parsing: "keep") == .unchanged)
        for text in ["", "0", "-1s", "5x", "ever"] {
            #expect(throws: DiscfgError.self) { try Operation.Expiry(parsing: text) }
        }
    }

    @Test("Conditions become preconditions, all of which must hold")
    func conditions() throws {
        let key = try Key(path: "/a")
        let conditions = try Conditions.parse(["--if-absent", "--if-version", "2", "--if-revision", "7", "-c", "@@x"])
        #expect(
            try conditions.preconditions(on: key).map(\.test)
                == [.absent, .version(2), .revision(7), .value(Array("@x".utf8))])
    }

    @Test("The poll interval of a server is from 1 ms to 10 s")
    func pollInterval() throws {
        for duration in [Duration.milliseconds(1), .seconds(10)] { try Serve.check(pollInterval: duration) }
        #expect(throws: DiscfgError.self) { try Serve.check(pollInterval: .zero) }
        let error = #expect(throws: DiscfgError.self) { try Serve.check(pollInterval: .milliseconds(10_001)) }
        #expect(error?.message == "--poll-interval 10s1ms is too long.")
    }

    @Test("A wrong command line is refused before a store is opened")
    func validation() {
        for words in [
            ["compact"], ["compact", "--to", "3", "--keep", "1d"], ["exec", "/a"], ["import", "x.xml"], ["set", "k"],
        ] {
            #expect(throws: (any Error).self) { try Discfg.parseAsRoot(words) }
        }
    }
}
