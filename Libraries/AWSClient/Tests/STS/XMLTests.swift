import Testing

@testable import AWSClient

@Suite("XML")
struct XMLTests {
    private func parse(_ text: String) -> XMLElement? { XMLElement.parse(Array(text.utf8)) }

    @Test("Elements, text, entities, comments and sections of text are read")
    func reading() throws {
        let element = try #require(
            parse(
                """
                \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
                <!-- a <comment> -->
                <ns:a xmlns:ns="x" b='>' c = "/">
                  one&amp;two &lt;&gt;&quot;&apos;&#65;&#x1F511;
                  <b/><b attribute="y"> first </b><b>second</b><c:d><![CDATA[<raw>&amp;]]></c:d>
                  <!-- <b>no</b> -->
                </ns:a >
                <!-- the end -->
                """))
        #expect(element.name == "a" && element.text == "one&two <>\"'A🔑")
        #expect(element.children.map(\.name) == ["b", "b", "b", "d"])
        #expect(element.children.map(\.text) == ["", "first", "second", "<raw>&amp;"])
        #expect(
            element.text(at: "d") == "<raw>&amp;" && element.text(at: "b") == nil && element.text(at: "x", "y") == nil)
    }

    @Test(
        "What is no document is none",
        arguments: [
            "", " ", "text", "<a>", "</a>", "<a></b>", "<a/><b/>", "<a>&nope;</a>", "<a>&#0;</a>", "<a>&#xD800;</a>",
            "<a>&#x110000;</a>", "<a>&amp</a>", "<a>& b</a>", "<a b=\"</a>", "<a><!-- </a>", "<a/>text", "<>", "< a/>",
            "<!DOCTYPE a><a/>", "<a><![CDATA[ </a>", "<a>\(String(repeating: "&", count: 100))</a>", "<a",
            String(repeating: "<a>", count: 33) + String(repeating: "</a>", count: 33), "<a>&#99999999999;</a>",
            "<a/ b",
        ])
    func broken(text: String) { #expect(parse(text) == nil) }

    @Test("As many elements may be open as it says")
    func depth() {
        #expect(parse(String(repeating: "<a>", count: 32) + String(repeating: "</a>", count: 32)) != nil)
    }

    @Test("Any bytes are read or refused, and nothing else happens")
    func noise() {
        var generator = Noise(state: 7)
        let parts = [
            "<a>", "</a>", "<b x='1'/>", "&amp;", "&#6", "5;", "<", ">", "<!--", "-->", "]]>", "<![CDATA[", "<?",
            "\u{0}", "é",
        ]
        for _ in 0..<3_000 {
            let text = (0..<Int.random(in: 0...20, using: &generator)).map { _ in
                parts[Int.random(in: 0..<parts.count, using: &generator)]
            }
            _ = parse(text.joined())
            _ = XMLElement.parse(Array(text.joined().utf8).dropLast(1).reversed())
        }
    }
}
