import ArgumentParser
import Testing

@testable import discfg

@Suite("Completion")
struct CompletionTests {
    /// What the request is about, in a word, and its words if they are known.
    private func subject(_ line: String) -> (name: String, words: [String]) {
        let request = CompletionRequest(line.split(separator: " ", omittingEmptySubsequences: false).map(String.init))
        guard case .words(let words) = request.subject else { return ("\(request.subject)", []) }
        return ("words", words.map(\.text).filter { $0.hasPrefix(request.prefix) })
    }

    @Test(
        "What may stand next depends on the command, its options and its arguments",
        arguments: [
            ("get ", "configsAndKeys"), ("get production /d", "keys"), ("get --cfg ", "configs"),
            ("--cfg p", "configs"),
            ("get --cfg=p", "configs"), ("ls /d", "keys"), ("history ", "keys"), ("rollback --to ", "revisions"),
            ("diff 3 ", "revisions"), ("get /a --rev ", "revisions"), ("import ", "files"), ("txn ", "files"),
            ("set /k -d ", "files"), ("set /k @", "files"), ("export -o ", "files"), ("--store sqlite:x", "files"),
            ("use ", "configs"), ("cfg delete ", "configs"), ("notify rm ", "notifications"), ("watch /a -- ", "files"),
            ("exec /a -- ", "files"), ("diff --prefix /a", "keys"), ("--store x get --cfg ", "configs"),
        ])
    func subjects(line: String, expected: String) {
        #expect(subject(line).name == expected, "\(line)")
    }

    @Test(
        "Commands, options and the values of options are completed",
        arguments: [
            ("hist", ["history"]), ("cfg u", ["update", "use"]), ("-f y", ["yaml"]), ("get -f s", ["silent"]),
            ("--s", ["--store"]), ("import --as t", ["toml"]), ("set --type nu", ["number", "null"]),
            ("get --cons", ["--consistent"]), ("help gE", []), ("help ge", ["get"]), ("completions z", ["zsh"]),
            ("create ", []), ("nope ", []), ("notify add --to ", []), ("--store mem", ["memory:"]),
        ])
    func words(line: String, expected: [String]) {
        let found = subject(line)
        #expect(found.name == "words" && Set(found.words) == Set(expected), "\(line): \(found.words)")
    }

    @Test("The lead of a word is kept, and the line's options choose the store")
    func leads() {
        let request = CompletionRequest(["--store", "memory:", "get", "--cfg=pro"])
        #expect(request.lead == "--cfg=" && request.prefix == "pro" && request.globals == ["--store", "memory:"])
        let file = CompletionRequest(["set", "/k", "@a/b"])
        #expect(file.lead == "@" && file.prefix == "a/b")
        #expect(CompletionRequest(["get", "staging", ""]).config == "staging")
    }

    @Test("The command that scripts ask is not offered")
    func hidden() {
        #expect(!subject("").words.contains("complete") && subject("").words.contains("completions"))
        #expect(subject("").words.contains("help"))
    }
}
