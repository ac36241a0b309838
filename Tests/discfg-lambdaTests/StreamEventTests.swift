import DiscfgCore
import Testing

@testable import discfg_lambda

@Suite("Events of the table's stream")
struct StreamEventTests {
    /// A record as DynamoDB sends it: a commit of `shop` with revision 258.
    static let commit = #"""
        {
          "eventID": "c4ca4238a0b923820dcc509a6f75849b", "eventName": "INSERT", "eventVersion": "1.1",
          "eventSource": "aws:dynamodb", "awsRegion": "eu-west-1",
          "dynamodb": {
            "ApproximateCreationDateTime": 1783711145, "SizeBytes": 211, "StreamViewType": "NEW_AND_OLD_IMAGES",
            "Keys": {"pk": {"S": "C#shop#L#0a1b"}, "sk": {"B": "AAAAAAAAAQI="}}, "SequenceNumber": "111",
            "NewImage": {
              "pk": {"S": "C#shop#L#0a1b"}, "sk": {"B": "AAAAAAAAAQI="}, "rev": {"N": "258"}, "id": {"S": "00ff"},
              "at": {"N": "1783711145250"}, "by": {"S": "alice"}, "changes": {"L": []}
            }
          },
          "eventSourceARN": "arn:aws:dynamodb:eu-west-1:123456789012:table/discfg/stream/2026-07-10T00:00:00.000"
        }
        """#

    /// A record like it.
    static func record(
        _ partition: String, _ revision: UInt8, number: String, kind: String = "INSERT", _ patch: JSONValue = [:]
    ) throws -> JSONValue {
        let sort = JSONValue.string(EventBase64.encode([0, 0, 0, 0, 0, 0, 0, revision]))
        return try JSONValue(parsing: commit).merging([
            "eventName": .string(kind),
            "dynamodb": [
                "Keys": ["pk": ["S": .string(partition)], "sk": ["B": sort]], "SequenceNumber": .string(number),
                "NewImage": ["pk": ["S": .string(partition)], "sk": ["B": sort], "rev": ["N": .string("\(revision)")]],
            ],
        ]).merging(patch)
    }

    private func event(_ records: [JSONValue]) throws -> StreamEvent {
        try StreamEvent(event: ["Records": .array(records)])
    }

    private let shop: ConfigName
    private let cart: ConfigName

    init() throws {
        shop = try ConfigName("shop")
        cart = try ConfigName("cart.v2-x_y")
    }

    @Test("A commit is read with its config, its revision and where it stands in the stream")
    func record() throws {
        let event = try event([JSONValue(parsing: Self.commit)])
        let record = try #require(event.records.first)
        #expect(event.malformed == 0 && record.kind == "INSERT" && record.partition == "C#shop#L#0a1b")
        #expect(record.sort == [0, 0, 0, 0, 0, 0, 1, 2] && record.sequenceNumber == "111")
        #expect(record.commit?.log == .init(config: shop, incarnation: "0a1b"))
        #expect(record.commit?.revision == 258 && record.commit?.isEnd == false)
        #expect(event.revisions == [shop: 258])
    }

    @Test("Of records in any order the greatest revision of each config counts, and the numbers keep their order")
    func several() throws {
        let event = try event([
            Self.record("C#shop#L#a", 8, number: "30"), Self.record("C#cart.v2-x_y#L#b", 3, number: "31"),
            Self.record("C#shop#K", 9, number: "32"), Self.record("C#shop#L#a", 7, number: "33"),
            Self.record("C#cart.v2-x_y#L#b", 4, number: "9"), Self.record("C#shop#L#a", 6, number: "35"),
        ])
        #expect(event.revisions == [shop: 8, cart: 4] && event.malformed == 0 && event.records.count == 6)
        #expect(event.sequenceNumbers(of: shop) == ["30", "33", "35"])
        #expect(event.sequenceNumbers(of: cart) == ["31", "9"])
        #expect(event.sequenceNumbers(of: .default).isEmpty)
    }

    @Test(
        "What is not an insertion into a log is passed over",
        arguments: [
            ("C#shop#L#a", "MODIFY"), ("C#shop#L#a", "REMOVE"), ("C#shop", "INSERT"), ("C", "INSERT"),
            ("C#shop#K", "INSERT"),
            ("C#shop#E#a", "INSERT"), ("C#shop#B#a", "INSERT"), ("C#shop#V#d#u", "INSERT"), ("C#shop#L", "INSERT"),
            ("C#shop#L#", "INSERT"), ("C#shop#L#a#b", "INSERT"), ("D#shop#L#a", "INSERT"), ("C##L#a", "INSERT"),
            ("C#.shop#L#a", "INSERT"), ("C#sh op#L#a", "INSERT"), ("C#größe#L#a", "INSERT"), ("", "INSERT"),
            ("C#" + String(repeating: "x", count: 65) + "#L#a", "INSERT"),
        ])
    func passedOver(partition: String, kind: String) throws {
        let event = try event([Self.record(partition, 5, number: "1", kind: kind)])
        #expect(event.revisions.isEmpty && event.records.count == 1 && event.malformed == 0)
    }

    @Test(
        "A record that cannot be understood is counted, and the others are read",
        arguments: [
            .null, [], "x", 5, [:], ["dynamodb": .null],
            ["eventName": "INSERT", "eventSource": "aws:dynamodb", "dynamodb": []],
        ] as [JSONValue])
    func malformed(record: JSONValue) throws {
        let event = try event([record, Self.record("C#shop#L#a", 5, number: "1")])
        #expect(event.malformed == 1 && event.revisions == [shop: 5])
    }

    @Test(
        "A member that is missing or of the wrong kind makes a record malformed",
        arguments: [
            ["eventName": .null], ["eventName": 5], ["eventSource": .null], ["eventSource": "aws:kinesis"],
            ["dynamodb": ["SequenceNumber": .null]], ["dynamodb": ["SequenceNumber": 5]],
            ["dynamodb": ["SequenceNumber": ""]],
            ["dynamodb": ["Keys": .null]], ["dynamodb": ["Keys": ["pk": ["S": .null, "N": "5"]]]],
            ["dynamodb": ["Keys": ["sk": ["B": .null, "S": "!"]]]], ["dynamodb": ["Keys": ["sk": ["B": "???"]]]],
            // A log's entry whose key is no revision, or another than the one beside it.
            ["dynamodb": ["Keys": ["sk": ["B": "AAAAAAAABQ=="]]]],
            ["dynamodb": ["Keys": ["sk": ["B": "AAAAAAAAAAAF"]]]],
            ["dynamodb": ["Keys": ["sk": ["B": "/////////98="]]]], ["dynamodb": ["Keys": ["sk": ["B": ""]]]],
            ["dynamodb": ["NewImage": ["rev": ["N": "6"]]]], ["dynamodb": ["NewImage": ["rev": ["N": "5.0"]]]],
            ["dynamodb": ["NewImage": ["rev": ["N": 5]]]],
        ] as [JSONValue])
    func wrongMember(patch: JSONValue) throws {
        let event = try event([Self.record("C#shop#L#a", 5, number: "1", patch)])
        #expect(event.malformed == 1 && event.records.isEmpty && event.revisions.isEmpty)
    }

    @Test("Without the image the key tells the revision, up to the greatest there is")
    func keysOnly() throws {
        let bare: JSONValue = ["dynamodb": ["NewImage": .null]]
        #expect(try event([Self.record("C#shop#L#a", 200, number: "1", bare)]).revisions == [shop: 200])
        let greatest = bare.merging(["dynamodb": ["Keys": ["sk": ["B": "f/////////8="]]]])
        #expect(try event([Self.record("C#shop#L#a", 1, number: "1", greatest)]).revisions == [shop: .max])
    }

    @Test("A config that was removed has no new revision, and one that was made anew has its own")
    func removal() throws {
        let end: JSONValue = ["dynamodb": ["NewImage": ["end": ["BOOL": true]]]]
        let old = try [
            Self.record("C#shop#L#a", 50, number: "1"), Self.record("C#shop#L#a", 51, number: "2", end),
        ]
        #expect(try event(old).revisions.isEmpty && event(old.reversed()).revisions.isEmpty)
        let new = try Self.record("C#shop#L#b", 2, number: "3")
        #expect(try event(old + [new]).revisions == [shop: 2])
        #expect(try event([old[0], new]).revisions == [shop: 2], "its end may be in another event")
        #expect(try event(old + [new]).sequenceNumbers(of: shop) == ["1", "2", "3"])
    }

    @Test("The answer names the first record of a config that failed, or nothing")
    func answer() throws {
        let event = try event([
            Self.record("C#shop#K", 1, number: "10"), Self.record("C#shop#L#a", 1, number: "11"),
            Self.record("C#cart.v2-x_y#L#b", 1, number: "12"), Self.record("C#shop#L#a", 2, number: "13"),
        ])
        func answer(_ failed: Set<ConfigName>) -> String {
            String(decoding: event.answer(failed: failed), as: UTF8.self)
        }
        #expect(answer([]) == #"{"batchItemFailures":[]}"#)
        #expect(answer([cart]) == #"{"batchItemFailures":[{"itemIdentifier":"12"}]}"#)
        #expect(answer([cart, shop]) == #"{"batchItemFailures":[{"itemIdentifier":"11"}]}"#)
        #expect(answer([.default]) == #"{"batchItemFailures":[]}"#)
    }

    @Test("An event without records is empty; what is no event of a stream is refused")
    func noRecords() throws {
        #expect(try event([]).revisions.isEmpty)
        for other: JSONValue in [.null, [], "x", [:], ["Records": .null], ["Records": ["a": 1]], ["records": []]] {
            let error = try #require(throws: DiscfgError.self) { try StreamEvent(event: other) }
            #expect(error.code == .invalidRequest)
        }
    }
}
