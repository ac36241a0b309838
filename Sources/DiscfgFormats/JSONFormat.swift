import DiscfgCore

/// JSON, RFC 8259; numbers keep their literals.
enum JSONFormat {
    static func tree(of bytes: [UInt8]) throws(DiscfgError) -> ConfigTree {
        let content = SourceText.withoutMark(bytes)
        do {
            return ConfigTree(try JSONValue(parsing: content))
        } catch {
            throw .invalid(
                "Line \(SourceText.line(of: error.offset, in: content)) of the file is not JSON: \(error.reason).",
                hint: "Mend that line, or name another format.")
        }
    }

    static func bytes(of tree: ConfigTree) -> [UInt8] { Array((tree.json.prettyText + "\n").utf8) }
}
