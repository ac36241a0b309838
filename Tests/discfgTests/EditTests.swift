import DiscfgCore
import Testing

@testable import discfg

@Suite("Editing")
struct EditTests {
    @Test("A text comes back without the newline that the editor saw, and unchanged is seen as such")
    func text() throws {
        var draft = try Draft(Value("a"), type: nil)
        #expect(draft.text == Array("a\n".utf8))
        #expect(try !draft.take(draft.text))
        #expect(try draft.take(Array("b\n".utf8)))
        #expect(draft.value == Value("b"))
    }

    @Test("JSON on one line is edited on many, and stays on one")
    func json() throws {
        var draft = try Draft(Value(JSONValue(dictionaryLiteral: ("a", 1))), type: nil)
        #expect(draft.text == Array("{\n  \"a\": 1\n}\n".utf8))
        #expect(try !draft.take(draft.text))
        #expect(try draft.take(Array("{\n  \"a\": 2\n}\n".utf8)))
        #expect(draft.value.bytes == Array("{\"a\":2}".utf8))
        #expect(throws: DiscfgError.self) { try draft.take(Array("{".utf8)) }
    }

    @Test("Bytes that are not text are not edited")
    func binary() {
        #expect(throws: DiscfgError.self) { try Draft(Value(bytes: [0xFF], contentType: Value.text), type: nil) }
    }

    @Test("Without a terminal an editor must be named")
    func editor() throws {
        #expect(try EditedFile.editor([:], hasTerminal: true) == "vi")
        #expect(try EditedFile.editor(["EDITOR": "ed"], hasTerminal: false) == "ed")
        #expect(try EditedFile.editor(["EDITOR": "ed", "VISUAL": "code --wait"], hasTerminal: false) == "code --wait")
        let error = try #require(throws: DiscfgError.self) {
            try EditedFile.editor(["EDITOR": ""], hasTerminal: false)
        }
        #expect(error.hint?.contains("“discfg set KEY VALUE”") == true)
    }

    @Test("Waits grow, up to ten seconds")
    func pauses() {
        let pauses = (0...7).map { Watcher.pause(after: $0).milliseconds }
        #expect(pauses == [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000])
    }
}
