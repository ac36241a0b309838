import DiscfgCore
import DiscfgFormats

/// Writes answers to standard output, in the format that was asked for.
struct Output: Sendable {
    let format: OutputFormat
    let terminal: Terminal

    /// Whether the answer is for people.
    var isHuman: Bool { format == .human }
    /// Whether the answer is for programs: JSON, or the same as YAML.
    var isWire: Bool { format == .json || format == .yaml }
    /// How the model is written as JSON now.
    var style: WireStyle { WireStyle(now: TimeSource.system.now()) }

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
        case .json: try raw(json + [0x0A])
        case .yaml: try raw(ConfigFormat.yaml(of: try JSONValue(parsing: json)))
        case .human, .silent: break
        }
    }

    /// Writes text for people.
    func human(_ text: String) throws {
        if isHuman { try raw(Array(text.utf8)) }
    }

    /// Writes bytes as they are, unless nothing is to be written.
    func raw(_ bytes: [UInt8]) throws {
        if format != .silent { try Descriptor.output.write(bytes) }
    }

    /// Tells people something beside the data, on standard error.
    static func note(_ text: String) {
        // Where nobody can be told there is nobody to tell that.
        try? Descriptor.error.write(Array((text + "\n").utf8))
    }
}
