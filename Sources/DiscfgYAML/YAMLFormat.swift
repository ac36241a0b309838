import CYaml
import DiscfgCore
public import DiscfgFormats

extension YAMLReader {
    /// Reads YAML with libyaml, the parser of Yams.
    public static let yams = YAMLReader { bytes, document, meter in
        Result { () throws(DiscfgError) in try YAMLFormat.tree(of: bytes, document: document, meter) }
    }
}

/// YAML, with the syntax read by libyaml and the scalars by `YAMLScalar`.
///
/// Anchors and merge keys are resolved.
enum YAMLFormat {
    /// How many values aliases may add to those that are written out; a few lines of YAML could otherwise name billions.
    static let maximumAliasedValues = 100_000
    /// How many bytes aliases may add: what one commit may hold.
    static let maximumAliasedBytes = 64 << 20

    static func tree(
        of bytes: [UInt8], document: Int?, _ meter: ReadingMeter = ReadingMeter()
    ) throws(DiscfgError) -> ConfigTree {
        var reader = YAMLTreeReader(try YAMLEvents(bytes), meter)
        let (tree, count) = try reader.document(document ?? 1)
        if let document, !(1...max(count, 1)).contains(document) {
            let error = DiscfgError.invalid(
                "There is no document \(document): the file holds \(count).",
                hint: count > 1 ? "Choose one from 1 to \(count)." : "Leave out “--document \(document)”.")
            throw count > 1 ? error : error.overHTTP("Leave out ?document=\(document).")
        }
        if document == nil, count > 1 {
            throw .invalid(
                "The file is a stream of \(count) YAML documents, and only one can be imported at a time.",
                hint: "Choose one with “--document N”, from 1 to \(count)."
            ).overHTTP("Choose one with ?document=N, from 1 to \(count).")
        }
        // A document with nothing but comments is null, and means that there is nothing.
        return tree == .null ? .object([]) : tree
    }
}
