import AWSClient
import AWSTestSupport
import DynamoDBPatterns
import Foundation
import Testing

/// The snippets of docs/patterns.md and of the articles, in functions that are compiled and not run.
///
/// The files of this folder have the code of each page word for word, with the names that the page takes for granted.
@Suite("The guide to the patterns") struct PatternsGuide {
    private static let articles = "Libraries/DynamoDBPatterns/Sources/DynamoDBPatterns.docc"

    @Test("Every Swift snippet of docs/patterns.md is compiled here")
    func page() throws { #expect(try Self.snippets(of: "docs/patterns.md") >= 15) }

    @Test("Every Swift snippet of every article is compiled here")
    func articles() throws {
        let counts = try SwiftSnippets.pages(in: Self.articles).map { (page: $0, count: try Self.snippets(of: $0)) }
        // Only the overview has none.
        #expect(counts.count >= 15)
        #expect(counts.filter { $0.count == 0 }.map(\.page) == ["\(Self.articles)/DynamoDBPatterns.md"])
    }

    /// How many snippets a page has; each of them that is not compiled is an issue.
    private static func snippets(of page: String) throws -> Int {
        let snippets = try SwiftSnippets(of: page)
        for snippet in try snippets.untested() {
            Issue.record("No file of this folder has this code of \(page):\n\(snippet)")
        }
        return snippets.all.count
    }
}

extension PatternsGuide {
    struct Click: Codable, Sendable { var page: String }
    struct Sale: Codable, Sendable { var cents: Int }
    struct Show: Codable, Sendable { var (id, free) = ("", 0) }
    struct Booking: Codable, Sendable { var id: String }
    struct Price: Codable, Sendable { var (id, cents, author) = ("", 0, "") }
    struct Receipt: Codable, Sendable { var number: Int }
    struct User: Codable, Sendable { var (id, email) = ("", "") }
    struct Report: Codable, Sendable { var id: String }
    struct Event: Sendable { var (id, page, time) = ("", "", Date()) }

    struct Order: Codable, Sendable {
        var (id, show, cents, state) = ("", "", 0, "")
        var seats: [String] = []
    }

    struct Request: Codable, Sendable { var (id, amount) = ("", 0) }

    struct Bank: Sendable {
        @discardableResult func pay(_ cents: Int, key: String) async throws -> Receipt { Receipt(number: cents) }
        func charge(_ cents: Int, key: String) async throws -> String? { nil }
        func refund(_ key: String) async throws {}
    }

    struct Visit: Codable, Sendable { var seconds = 0 }
    struct Totals: Codable, Sendable { var (visits, seconds) = (0, 0) }
    struct SoldOut: Error {}
    struct NoSuchThing: Error {}

    struct Counter: Codable, Sendable {
        var id: String
        var count = 0
    }

    struct Row: Codable, Sendable {
        var (start, totals) = (Date(), Totals())
        init(_ start: Date, _ totals: Totals) { (self.start, self.totals) = (start, totals) }
    }

    struct Mails: Sendable {
        func send(_ content: some Sendable, idempotencyKey: String) async throws {}
    }

    struct Stock: Sendable {
        func reserve(_ amount: Int, key: String) async throws {}
        func free(_ key: String) async throws {}
    }

    struct Hall: Sendable {
        func reserve(_ show: String, key: String) async throws -> [String] { [] }
        func release(_ show: String, key: String) async throws {}
    }

    struct Queue: Sendable {
        func send(_ text: String, to topic: String, id: String) async throws {}
        func send(_ message: ProcessMessage) async throws {}
    }

    struct SearchIndex: Sendable {
        func update(_ keys: [String: AttributeValue], with price: Price?) async throws {}
    }
}
