import AWSTestSupport
import Testing

@Suite struct SwiftSnippetsTests {
    private let snippets = SwiftSnippets(
        inText: """
            Text.

            ```swift
            import A

            if a {
                b()
            }
            ```

            ```swift package
            .package(path: "x"),
            ```

            ```sh
            make
            ```

            ```swift
            @main struct C {}
            ```
            """, testedBy: #filePath)

    @Test("Only the blocks whose language is exactly Swift are snippets")
    func blocks() {
        #expect(snippets.all == ["import A\n\nif a {\nb()\n}", "@main struct C {}"])
    }

    @Test(
        "A snippet is tested if one source has its code and one has each import",
        arguments: [
            (["import A\nfunc f() {\n  if a {\n    b()\n  }\n}", "struct C {}\n"], []),
            (["import A\nif a {\n\nb()\n}", "struct C {}"], [0]),
            (["import A\nif a {", "b()\n}", "struct C {}"], [0]),
            (["if a {\nb()\n}\nstruct C {}"], [0]),
            (["import A\nif a {\nb()\n}\nstruct C {} // more"], [1]),
            ([], [0, 1]),
        ] as [([String], [Int])])
    func untested(sources: [String], missing: [Int]) {
        #expect(snippets.untested(in: sources) == missing.map { snippets.all[$0] })
    }
}
