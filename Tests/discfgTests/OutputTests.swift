import ArgumentParser
import DiscfgCore
import DiscfgFormats
import Testing

@testable import discfg

@Suite("Output")
struct OutputTests {
    private static let columns: [Table.Column] = [.init(title: "KEY"), .init(title: "N", isNumber: true)]

    @Test("A table has a heading and aligned columns on a terminal only")
    func table() {
        var table = Table(Self.columns)
        table.add(["/a", "10"])
        table.add(["/long", "7"])
        #expect(table.lines(for: Terminal(hasTables: true, hasColor: false)) == "KEY     N\n/a     10\n/long   7\n")
        table.add(["/a", "10"])
        #expect(table.lines(for: .none) == "/a\t10\n")
    }

    @Test("What would steer a terminal is written as an escape")
    func printable() {
        #expect("a\u{1B}[31m\n\tb".printable == "a\\u{1b}[31m\\n\\tb")
        #expect("zażółć 🎈".printable == "zażółć 🎈")
        var table = Table(Self.columns)
        table.add(["/a\n/b", "1"])
        #expect(table.lines(for: .none) == "/a\\n/b\t1\n")
    }

    @Test("An error is shown without what would steer a terminal, whoever wrote it")
    func printableErrors() {
        let error = DiscfgError(.keyNotFound, "No key “a\u{1B}[2J\nb”.", hint: "Read \u{9B}31m\u{202E}.")
        #expect(
            Failure(error).text == "error: No key “a\\u{1b}[2J\\nb”.\nhint: Read \\u{9b}31m\\u{202e}.\n")
        let usage = #expect(throws: (any Error).self) { try Discfg.parseAsRoot(["diff", "\u{1B}[2J"]) }
        let text = usage.map { Failure($0).text } ?? ""
        #expect(text.contains("\\u{1b}[2J") && !text.contains("\u{1B}") && text.contains("\n"))
    }

    @Test("A document is exact for programs and escaped for a terminal")
    func shown() {
        let bytes = Array("A='\u{1B}]0;x\u{7}'\n\tb\u{9B}\n".utf8)
        #expect(Output(format: .human, terminal: .none).shown(bytes) == bytes)
        let person = Output(format: .human, terminal: Terminal(hasTables: true, hasColor: true)).shown(bytes)
        #expect(String(decoding: person, as: UTF8.self) == "A='\\u{1b}]0;x\\u{7}'\n\tb\\u{9b}\n")
    }

    @Test("A value is summed up on one line")
    func summary() {
        #expect(Value("a\nb").summary() == "a\\nb")
        #expect(Value(String(repeating: "x", count: 100)).summary(limit: 5) == "xxxx…")
        #expect(Value(bytes: [0, 255], contentType: Value.octets).summary() == "<2 bytes>")
        #expect(Value(bytes: [0xFF], contentType: Value.text).summary() == "<1 bytes>")
    }

    @Test("NO_COLOR and a dumb terminal are honoured, and nothing is coloured off a terminal")
    func color() {
        #expect(Terminal(Descriptor(number: -1), environment: [:]) == .none)
        #expect(Terminal.none.added("x") == "x")
    }

    @Test("A commit reads like a short log entry")
    func commit() throws {
        let key = try Key(path: "/db/host")
        let time = Timestamp(milliseconds: 1_769_847_300_250)
        let old = Item(key: key, value: Value("old"), created: 2, modified: 2, modifiedAt: time)
        let new = Item(key: key, value: Value("new"), version: 2, created: 2, modified: 7, modifiedAt: time)
        let commit = Commit(
            revision: 7, time: time, author: "anna", message: "why", changes: [.set(new, previous: old)])
        #expect(
            commit.description(for: .none)
                == "revision 7  2026-01-31 08:15:00Z  anna  why\n    set    /db/host = new  (was old)\n")
        let difference = Difference(from: 6, to: 7, changes: commit.changes)
        #expect(
            difference.description(for: .none)
                == "--- revision 6\n+++ revision 7\n- /db/host = old\n+ /db/host = new\n")
        #expect(Difference(from: 7, to: 7, changes: []).description(for: .none).isEmpty)
    }

    @Test("Of a text of several lines a difference shows the lines that differ")
    func lines() throws {
        let key = try Key(path: "/a")
        let time = Timestamp(milliseconds: 0)
        let old = Item(key: key, value: Value("a\nb\nc\n"), created: 1, modified: 1, modifiedAt: time)
        let new = Item(key: key, value: Value("a\nx\nc\nd\n"), created: 1, modified: 2, modifiedAt: time)
        #expect(Change.set(new, previous: old).patch(for: .none) == "@@ /a @@\n- 2: b\n+ 2: x\n+ 4: d\n")
    }

    @Test("A progress bar shows its share")
    func progress() {
        #expect(ProgressBar.line("importing", done: 5, total: 10, width: 4) == "importing ██░░ 5 of 10")
        #expect(ProgressBar.line("importing", done: 0, total: 0, width: 2) == "importing ██ 0 of 0")
    }

    @Test(
        "The exit status says whether it was the answer, the usage or the store",
        arguments: [
            (DiscfgError.Code.keyNotFound, Int32(1)), (.conditionFailed, 1), (.configNotFound, 1), (.configExists, 1),
            (.compacted, 1), (.futureRevision, 1), (.pathNotFound, 1), (.notJSON, 1), (.invalidName, 2),
            (.invalidRequest, 2), (.tooLarge, 2), (.unsupported, 2), (.storeUnavailable, 3), (.outcomeUnknown, 3),
            (.storeUnusable, 3), (.storeNotWritable, 3), (.overloaded, 3), (.internalError, 3), (.forbidden, 2),
        ])
    func statuses(code: DiscfgError.Code, status: Int32) {
        let failure = Failure(DiscfgError(code, "It is so.", hint: "Do that."))
        #expect(failure.status == status)
        #expect(failure.text == "error: It is so.\nhint: Do that.\n")
    }

    @Test("Wrong usage exits with 2, help with 0, a command's own status is kept")
    func parserStatuses() {
        for words in [["get"], ["get", "--nope", "x"], ["get", "/a", "-f", "xml"], ["diff", "x"]] {
            let failure = #expect(throws: (any Error).self) { try Discfg.parseAsRoot(words) }.map { Failure($0) }
            #expect(failure?.status == 2)
            #expect(failure?.text.hasPrefix("error: ") == true)
        }
        #expect(Failure(CleanExit.helpRequest(Get.self)).status == 0)
        #expect(Failure(ExitCode(127)).status == 127)
        #expect(Failure(ExitCode(1)).text.isEmpty)
    }

    @Test("A JSON answer is the same as YAML")
    func yaml() throws {
        let json = Array("{\"cfgs\":[{\"name\":\"a\",\"size\":1}],\"x/y\":null}".utf8)
        let yaml = String(decoding: ConfigFormat.yaml(of: try JSONValue(parsing: json)), as: UTF8.self)
        #expect(yaml == "cfgs:\n  - name: a\n    size: 1\nx/y: null\n")
    }

    @Test("A text gets the newline that it lacks, other bytes never")
    func newline() {
        func text(_ value: Value, bare: Bool = false, exact: Bool = false) -> String {
            String(decoding: Get.text(of: value, bare: bare, exact: exact), as: UTF8.self)
        }
        #expect(text(Value("a")) == "a\n")
        #expect(text(Value("a\n")) == "a\n")
        #expect(text(Value("a"), exact: true) == "a")
        #expect(text(Value(bytes: [65], contentType: Value.octets)) == "A")
        #expect(text(Value(JSONValue.string("a")), bare: true) == "a\n")
        #expect(text(Value(JSONValue.string("a"))) == "\"a\"\n")
    }

    @Test("A name that is printed is one line of plain text, and names the key")
    func shownNames() throws {
        for (text, shown) in [
            ("/a b/é", "/a b/é"), ("app/x", "bare:app/x"), ("/a\u{1b}[2J", "bytes:///a%1B%5B2J"),
            ("/a\n", "bytes:///a%0A"),
            ("/a/", "bytes:///a%2F"), ("/\u{202e}a", "bytes:///%E2%80%AEa"),
        ] {
            let key = try Key(bytes: text.utf8)
            #expect(key.shown == shown && key.shown.printable == shown)
            #expect(try Key(path: key.shown) == key)
        }
        #expect(Listing.Entry.directory(Array("/a\tb/".utf8)).shown == "bytes:///a%09b/")
        #expect(Listing.Entry.directory([0x61, 0x2F]).shown == "bare:a/")
    }

    @Test("A note counts what was left out, in the singular and in the plural")
    func leftOutNote() {
        #expect(Output.noteText(leftOut: 1, "with a lease") == "note: 1 key with a lease was left out")
        #expect(Output.noteText(leftOut: 2, "with a lease") == "note: 2 keys with a lease were left out")
    }

    @Test("What an export leaves out is counted, apart from what no file can have")
    func leftOut() throws {
        let keys = try ["a", "bytes:///b%2F", "bytes://%FF", "bytes://%FE"].map {
            try Key(path: $0 == "a" ? "bare:a" : $0)
        }
        #expect(Export.warnings(leavingOut: []) == [])
        #expect(
            Export.warnings(leavingOut: keys) == [
                "1 key without a leading “/” left out, such as “bare:a”; “discfg export bare:” has them",
                "3 keys that no file has a place for left out, such as “bytes:///b%2F”; read them with “discfg get”",
            ])
    }
}
