import AWSClient
import DynamoDBPatternsTesting
import Foundation
import Testing

@testable import DynamoDBPatterns

@Suite struct HistoricGapTests {
    @Test("A hole: the consumer was down for over 24 hours; what the next record knew is recovered, the rest unknown")
    func hole() async throws {
        let fixture = try HistoricFixture()
        try await fixture.documents.insert(Document(text: "1"))
        try await fixture.deliver()
        for number in 2...5 {
            fixture.at(Double(number) * 10)
            try await fixture.documents.update("a") { $0.text = "\(number)" }
        }
        // All of that is older than a day when the consumer comes back.
        fixture.at(90_000)
        fixture.store.trimStream(of: "documents")
        #expect(try await fixture.store.records(of: "documents").isEmpty)
        #expect(try await fixture.history.gaps(of: "a").map { [$0.after, $0.before] } == [[1, 6]])
        #expect(try await fixture.state(90_000) == "unknown 1-6")
        fixture.at(90_010)
        try await fixture.documents.update("a") { $0.text = "6" }
        for record in try await fixture.store.records(of: "documents") { try await fixture.history.record(record) }
        let entries = try await fixture.history.history(of: "a").entries
        #expect(entries.map(\.version) == [6, 5, 1] && entries.map(\.isRecovered) == [false, true, false])
        #expect(try entries[1].item?.text == "5" && entries[1].time == nil)
        #expect(try await fixture.history.gaps(of: "a").map { [$0.after, $0.before] } == [[1, 5]])
        #expect(try await fixture.state(90_010) == "6 6")
        #expect(try await fixture.state(90_009) == "unknown 1-6")
        #expect(try await fixture.state(0) == "unknown 1-6")
    }

    @Test("The newest version can be filled in from the item, also where the history began late")
    func fillGaps() async throws {
        let fixture = try HistoricFixture()
        try await fixture.documents.insert(Document(text: "1"))
        try await fixture.documents.update("a") { $0.text = "2" }
        try await fixture.lose()
        #expect(try await fixture.history.gaps(of: "a").map { [$0.after, $0.before] } == [[0, 3]])
        for _ in 1...2 {
            #expect(try await fixture.history.fillGaps(of: "a").map { [$0.after, $0.before] } == [[0, 2]])
        }
        let entries = try await fixture.history.history(of: "a").entries
        #expect(entries.map(\.version) == [2] && entries[0].isRecovered)
        try await fixture.documents.update("a") { $0.text = "3" }
        try await fixture.deliver()
        #expect(try await fixture.history.history(of: "a").entries.map(\.version) == [3, 2])
        #expect(try await fixture.history.fillGaps(of: "nothing").isEmpty)
    }

    @Test("A gap between two versions whose times are known is one all the same")
    func exactGap() async throws {
        let fixture = try HistoricFixture(attributes: .init(modified: "modified"))
        for number in 1...4 {
            fixture.at(Double(number) * 10)
            try await fixture.documents.update("a", orInsert: Document(text: "")) { $0.text = "\(number)" }
            if number == 1 { try await fixture.deliver() }
            if number == 3 { try await fixture.lose() }
        }
        try await fixture.deliver()
        #expect(try await fixture.history.history(of: "a").entries.map(\.version) == [4, 3, 1])
        for (second, state) in [(10, "unknown 1-3"), (29, "unknown 1-3"), (30, "3 3"), (40, "4 4")] {
            #expect(try await fixture.state(Double(second)) == state, "at \(second)")
        }
    }
}
