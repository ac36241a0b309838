import DiscfgCore
import Subprocess

/// A value while a person edits it: JSON on many lines, a text with a newline at its end.
struct Draft {
    private(set) var value: Value
    /// What is put before the person.
    let text: [UInt8]
    private let original: Value
    private let isReformatted: Bool
    private let lacksNewline: Bool

    init(_ value: Value, type: ValueType?) throws(DiscfgError) {
        guard value.text != nil, value.contentType != Value.octets else {
            throw .invalid(
                "The value is \(value.contentType), not text.", hint: "Set it from a file: “discfg set KEY @FILE”.")
        }
        let json = value.isJSON && !value.bytes.contains(0x0A) ? try value.parsedJSON() : nil
        isReformatted = json != nil
        lacksNewline = value.bytes.last != 0x0A
        original = value
        self.value = value
        if let type {
            // What is there need not fit the type; what is written back must.
            self.value.contentType = try type.value(of: Array(type == .text ? "".utf8 : "0".utf8)).contentType
        }
        let shown = json.map { Array($0.prettyText.utf8) } ?? value.bytes
        text = shown + (lacksNewline && !shown.isEmpty ? [0x0A] : [])
    }

    /// Takes over what was saved.
    ///
    /// - Returns: Whether the value is another now.
    mutating func take(_ saved: [UInt8]) throws(DiscfgError) -> Bool {
        value.bytes = lacksNewline && saved.last == 0x0A ? saved.dropLast() : saved
        try value.validate()
        if isReformatted, value.isJSON { value.bytes = try value.parsedJSON().bytes }
        return value != original
    }
}

/// A file that only its owner can read, for an editor.
struct EditedFile {
    let path: String

    init(_ text: [UInt8], extension suffix: String) throws(DiscfgError) {
        var random = SystemRandomNumberGenerator()
        let name = "discfg-" + String(random.next(), radix: 36) + suffix
        path = Self.folder + "/" + name
        try LocalFile.write(text, to: path, isPrivate: true)
    }

    private static var folder: String {
        let folder = CurrentProcess.variable("TMPDIR").nonEmpty ?? "/tmp"
        return folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    }

    func content() throws(DiscfgError) -> [UInt8] { try LocalFile.read(path, limit: Value.maximumLength) }

    func remove() { LocalFile.remove(path) }

    /// The user's editor: that of VISUAL or EDITOR, or “vi” on a terminal.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` if no editor is named and there is no terminal.
    static func editor(_ environment: [String: String], hasTerminal: Bool) throws(DiscfgError) -> String {
        if let editor = environment["VISUAL"].nonEmpty ?? environment["EDITOR"].nonEmpty { return editor }
        guard hasTerminal else {
            throw .invalid(
                "There is no terminal for an editor, and neither VISUAL nor EDITOR names one.",
                hint: "Set one key with “discfg set KEY VALUE”, or many with “discfg import FILE”.")
        }
        return "vi"
    }

    /// Lets an editor work on the file, on the terminal of this process.
    func edit(with editor: String) async throws {
        // An editor may come with arguments, such as “code --wait”.
        let result = try await Subprocess.run(
            .name("sh"), arguments: ["-c", editor + " \"$@\"", editor, path], input: .currentStandardInput,
            output: .currentStandardOutput, error: .currentStandardError)
        guard result.terminationStatus.isSuccess else {
            throw DiscfgError.invalid(
                "The editor “\(editor)” \(result.terminationStatus.phrase).", hint: "Name one in VISUAL or EDITOR.")
        }
    }
}
