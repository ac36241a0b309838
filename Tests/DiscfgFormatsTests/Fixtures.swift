import DiscfgCore
import DiscfgYAML
import Foundation
import Testing

@testable import DiscfgFormats

/// A file of the test's own, with what real files hold.
struct Fixture: Sendable, CustomTestStringConvertible {
    let name: String
    var document: Int?
    var testDescription: String { document.map { "\(name) document \($0)" } ?? name }

    static let all = [
        Fixture(name: "catalog.json"), Fixture(name: "gateway.yaml"), Fixture(name: "service.toml"),
        Fixture(name: "app.env"),
        Fixture(name: "server.properties"), Fixture(name: "stream.yml", document: 1),
        Fixture(name: "stream.yml", document: 2),
        Fixture(name: "stream.yml", document: 3),
    ]

    var bytes: [UInt8] {
        get throws {
            let folder = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
            return Array(try Data(contentsOf: folder.appendingPathComponent(name)))
        }
    }

    var format: ConfigFormat { get throws { try #require(ConfigFormat(fileName: name)) } }
}

extension ConfigFormat {
    /// Reads a file of any format, YAML as well.
    func leaves(
        of bytes: some Collection<UInt8>, document: Int? = nil, splitArrays: Bool = false
    ) async throws -> [Leaf] {
        try await leaves(of: bytes, document: document, splitArrays: splitArrays, yaml: .yams)
    }

    func tree(of bytes: [UInt8], document: Int? = nil) throws(DiscfgError) -> ConfigTree {
        try tree(of: bytes, document: document, yaml: .yams)
    }
}

/// Imports the text into an empty config, and gives its items.
func items(
    _ text: some StringProtocol, _ format: ConfigFormat, document: Int? = nil, splitArrays: Bool = false,
    prefix: String = "/"
) async throws -> [Key: Value] {
    try await items(format.leaves(of: Array(text.utf8), document: document, splitArrays: splitArrays), prefix: prefix)
}

/// The items that leaves make in an empty config, each checked as the service would.
func items(_ leaves: [Leaf], prefix: String = "/") throws -> [Key: Value] {
    try ImportedValues(leaves, for: ImportRequest(prefix: prefix)).values
}

/// The file that the format makes of these, as text.
func export(_ items: [Key: Value], _ format: ConfigFormat, under prefix: String = "/") async throws -> String {
    String(decoding: try await format.bytes(of: items, under: prefix), as: UTF8.self)
}

/// The items that hold these values.
func current(_ values: [Key: Value]) -> [Key: Item] {
    Dictionary(
        uniqueKeysWithValues: values.map { key, value in
            (key, Item(key: key, value: value, created: 2, modified: 2, modifiedAt: Timestamp(milliseconds: 0)))
        })
}

func key(_ path: String) throws -> Key { try Key(path: path) }

/// The tree with its members in the order of their names, so that two can be compared.
func sorted(_ tree: ConfigTree) -> ConfigTree {
    switch tree {
    case .array(let elements): .array(elements.map(sorted))
    case .object(let members):
        .object(
            members.map { ConfigTree.Member(name: $0.name, value: sorted($0.value)) }
                .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    default: tree
    }
}

/// The error that the work throws, which must be one of discfg.
func failure(_ work: () throws -> Void) -> DiscfgError? {
    do {
        try work()
        return nil
    } catch { return error as? DiscfgError }
}

/// The error that the work throws, which must be one of discfg.
func failure(_ work: () async throws -> Void) async -> DiscfgError? {
    do {
        try await work()
        return nil
    } catch { return error as? DiscfgError }
}
