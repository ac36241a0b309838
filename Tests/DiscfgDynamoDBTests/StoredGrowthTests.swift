import AWSClient
import DiscfgCore
import DiscfgTestSupport
import Testing

@testable import DiscfgDynamoDB

/// The time to read AWS's answers, and records of the table, must grow with their size.
@Suite struct StoredGrowthTests {
    static let answers: [GrowthShape] = [
        .numbered("many attributes", before: "{\"Item\":{", after: "\"z\":{\"N\":\"1\"}}}") {
            "\"a\($0)\":{\"S\":\"v\"},"
        },
        .numbered("many members that nobody knows", before: "{", after: "\"z\":0}") { "\"a\($0)\":[0]," },
        .repeated("many items", "{\"a\":{\"S\":\"v\"}},", before: "{\"Items\":[", after: "{}]}"),
        .repeated("a long text", "v\\u00e9", before: "{\"Item\":{\"a\":{\"S\":\"", after: "\"}}}"),
        .repeated("a long value in Base64", "AAAA", before: "{\"Item\":{\"a\":{\"B\":\"", after: "\"}}}"),
        .repeated("a long number", "1", before: "{\"Item\":{\"a\":{\"N\":\"", after: "\"}}}"),
        .numbered("a large set", before: "{\"Item\":{\"a\":{\"SS\":[", after: "\"z\"]}}}") { "\"v\($0)\"," },
        .repeated(
            "reasons of a cancellation", "{\"Code\":\"None\"},", before: "{\"CancellationReasons\":[", after: "{}]}"),
        .repeated("lists without their end", "[", before: "{\"Item\":"),
        .repeated("maps in maps", "{\"M\":{\"a\":", before: "{\"Item\":{\"a\":"),
        .repeated("blanks", " \n", before: "{", after: "}"),
    ]

    @Test("the time to read an answer of DynamoDB grows with its size", arguments: answers)
    func answer(_ shape: GrowthShape) throws {
        try Growth.check(shape) { bytes in _ = try JSONReader.value(of: bytes) }
    }

    @Test("the time to read an entry of the log grows with its size")
    func entry() throws {
        let shape = GrowthShape("many changes") { size in [UInt8](repeating: 0, count: size) }
        try Growth.check(shape) { bytes in
            let changes = (0..<bytes.count / 100).map { number in
                AttributeValue.map([
                    Name.changedKey: .string("/key/\(number)"), Name.kind: .string(Change.Kind.delete.rawValue),
                ])
            }
            _ = try CommitAttributes.read([
                Name.revision: .integer(2), Name.id: .string("id"), Name.time: .integer(0),
                Name.changes: .list(changes),
            ])
        }
    }

    @Test("the time to read the keys of a lease grows with their number")
    func lease() throws {
        let shape = GrowthShape("many keys") { size in [UInt8](repeating: 0, count: size) }
        try Growth.check(shape) { bytes in
            let keys = (0..<bytes.count / 20).map { Array("/key/\($0)".utf8) }
            _ = try LeaseAttributes.keys([Name.keys: .binarySet(keys)])
        }
    }
}
