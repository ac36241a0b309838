import AWSTestSupport
import Testing

@Suite struct TestingArticleTests {
    @Test("Every Swift snippet of the article is compiled and run here")
    func article() throws {
        let catalog = "Libraries/DynamoDBPatternsTesting/Sources/DynamoDBPatternsTesting.docc"
        let snippets = try SwiftSnippets(of: "\(catalog)/DynamoDBPatternsTesting.md")
        #expect(snippets.all.count >= 3)
        for snippet in try snippets.untested() {
            Issue.record("No file of this folder has this code of the article:\n\(snippet)")
        }
    }
}
