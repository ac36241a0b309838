import AWSClient
import AWSTestSupport
import Testing

/// The code of the article about the module, which `Article.swift` has word for word.
@Suite("The article about AWSClient") struct ArticleTests {
    @Test("Every Swift snippet of the article is compiled here")
    func snippets() throws {
        let snippets = try SwiftSnippets(of: "Libraries/AWSClient/Sources/AWSClient.docc/AWSClient.md")
        #expect(snippets.all.count == 1)
        for snippet in try snippets.untested() {
            Issue.record("No file of this folder has this code of the article:\n\(snippet)")
        }
    }

    @Test("The article's program takes a seat that the guest has for reserved, and one of another guest for taken")
    func reserves() async throws {
        let bench = try Bench([.lost, .success, .error("ConditionalCheckFailedException")])
        #expect(try await reserve("A12", for: "ada", in: bench.dynamoDB))
        #expect(try await !reserve("A12", for: "bob", in: bench.dynamoDB))
        #expect(bench.transport.requests.count == 3)
    }
}
