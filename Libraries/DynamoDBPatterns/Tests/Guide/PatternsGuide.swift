import AWSClient
import AWSTestSupport
import DynamoDBPatterns
import Foundation
import Testing

/// The snippets of docs/patterns.md, in functions that are compiled and not run.
///
/// The files of this folder have the code of the page word for word, with the names that the page takes for granted.
@Suite("The guide to the patterns") struct PatternsGuide {
    @Test("Every Swift snippet of docs/patterns.md is compiled here")
    func page() throws {
        let snippets = try SwiftSnippets(of: "docs/patterns.md")
        #expect(snippets.all.count >= 15)
        for snippet in try snippets.untested() {
            Issue.record("No file of this folder has this code of docs/patterns.md:\n\(snippet)")
        }
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
    struct Event: Sendable { var (id, time) = ("", Date()) }

    struct Order: Codable, Sendable {
        var (id, show, cents) = ("", "", 0)
        var seats: [String] = []
    }

    struct Request: Codable, Sendable { var (id, amount) = ("", 0) }

    struct Bank: Sendable {
        @discardableResult func pay(_ cents: Int, key: String) async throws -> Receipt { Receipt(number: cents) }
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
