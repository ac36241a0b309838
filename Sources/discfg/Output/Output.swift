import DiscfgCore
import DiscfgFormats

/// Writes answers to standard output, in the format that was asked for.
struct Output: Sendable {
    let format: OutputFormat
    let terminal: Terminal
    /// The time by which the times to live of the store's items end.
    var time = TimeSource.system

    /// Whether the answer is for people.
    var isHuman: Bool { format == .human }
    /// Whether the answer is for programs: JSON, or the same as YAML.
    var isWire: Bool { format == .json || format == .yaml }
    /// How the model is written as JSON now.
    var style: WireStyle { WireStyle(now: time.now()) }

    /// Writes an answer: text for people, or JSON or YAML of what `wire` writes.
    func answer(human: @autoclosure () -> String, wire: (inout JSONWriter) -> Void) throws {
        switch format {
        case .silent: break
        case .human: try raw(Array(human().utf8))
        case .json, .yaml: try document(JSONWriter.bytes(wire))
        }
    }

    /// Writes an answer about one key.
    func answer(_ envelope: Envelope, human: @autoclosure () -> String) throws {
        try answer(human: human()) { envelope.write(to: &$0, style) }
    }

    /// Writes JSON that is complete already, as JSON or YAML.
    func document(_ json: [UInt8]) throws {
        switch format {
        case .json: try data(json + [0x0A])
        case .yaml: try data(ConfigFormat.yaml(of: try JSONValue(parsing: json)))
        case .human, .silent: break
        }
    }

    /// Writes text for people.
    func human(_ text: String) throws {
        if isHuman { try raw(Array(text.utf8)) }
    }

    /// Writes a document or a file: as it is for a program or a file, with escapes for a terminal.
    func data(_ bytes: [UInt8]) throws { try raw(shown(bytes)) }

    /// The bytes; for a terminal as text in which control characters, newlines and tabs aside, are escapes.
    func shown(_ bytes: [UInt8]) -> [UInt8] {
        terminal.isTerminal ? Array(String(decoding: bytes, as: UTF8.self).printableLines.utf8) : bytes
    }

    /// Writes bytes as they are, unless nothing is to be written.
    func raw(_ bytes: [UInt8]) throws {
        if format != .silent { try Descriptor.output.write(bytes) }
    }

    /// Writes a note that counts the keys that a command left out; nothing if there are none.
    static func note(leftOut count: Int, _ description: String) {
        if count > 0 { note(noteText(leftOut: count, description)) }
    }

    /// The text of that note, with what the keys have in common, such as `with a lease`.
    static func noteText(leftOut count: Int, _ description: String) -> String {
        "note: \(count == 1 ? "1 key" : "\(count) keys") \(description) \(count == 1 ? "was" : "were") left out"
    }

    /// Writes a note for people to standard error, with control characters as escapes.
    static func note(_ text: String) {
        // Nothing to do if stderr is closed.
        try? Descriptor.error.write(Array((text.printableLines + "\n").utf8))
    }
}
