import CYaml
import DiscfgCore
import DiscfgFormats

/// The events of a YAML file, read by libyaml, the C parser that Yams is made of.
///
/// Yams itself builds all nodes of a file before anything can count them or stop: 90 bytes of memory and more for each byte
/// of a hostile file. It also hashes the names of maps, which never ends when aliases make a name exponentially large.
final class YAMLEvents {
    /// Every `%TAG` line is compared with all the others; no real file has more than a few.
    static let maximumTagDirectives = 100

    /// At a stable address, because the parser points to itself.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeMutableBufferPointer<UInt8>
    private var event = yaml_event_t()

    /// Begins to read a file.
    ///
    /// - Throws: `DiscfgError` for bytes that are not UTF-8, and for too many `%TAG` lines.
    init(_ file: [UInt8]) throws(DiscfgError) {
        let text = try SourceText.decode(file).utf8
        if let line = Self.lineOfExcessDirective(in: Array(text)) {
            throw .invalid(
                "Line \(line) of the file is one “%TAG” line more than \(Self.maximumTagDirectives).",
                hint: "Write the tags without directives.")
        }
        parser = .allocate(capacity: 1)
        bytes = .allocate(capacity: text.count)
        _ = bytes.initialize(from: text)
        guard yaml_parser_initialize(parser) == 1 else {
            throw DiscfgError(.internalError, "There is no memory to read the file.", hint: "Try again later.")
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_event_delete(&event)
        yaml_parser_delete(parser)
        parser.deallocate()
        bytes.deallocate()
    }

    /// Reads on to the next event, which stays until the next call.
    ///
    /// - Throws: `DiscfgError` with the line for a syntax error.
    func advance() throws(DiscfgError) {
        yaml_event_delete(&event)
        event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
    }

    private func syntaxError() -> DiscfgError {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "it cannot be read"
        switch parser.pointee.error {
        case YAML_READER_ERROR:
            let line = SourceText.line(of: Int(parser.pointee.problem_offset), in: bytes)
            return .invalid(
                "Line \(line) of the file is not YAML: \(problem).",
                hint: "Remove that character, or write it as an escape in double quotes.")
        case YAML_MEMORY_ERROR:
            return DiscfgError(.internalError, "There is no memory to read the file.", hint: "Try again later.")
        default:
            return .invalid(
                "Line \(parser.pointee.problem_mark.line + 1) of the file is not YAML: \(problem).",
                hint: "Fix that line, or choose another format.")
        }
    }

    /// The line of the first `%TAG` line after so many.
    private static func lineOfExcessDirective(in bytes: [UInt8]) -> Int? {
        var (count, isLineStart) = (0, true)
        let directive = Array("%TAG".utf8)
        for (position, byte) in bytes.enumerated() {
            if isLineStart, byte == directive[0], bytes[position...].starts(with: directive) {
                count += 1
                if count > maximumTagDirectives { return SourceText.line(of: position, in: bytes) }
            }
            // The last bytes of all that ends a line in YAML 1.1: also NEL, U+2028 and U+2029.
            isLineStart = byte == 0x0A || byte == 0x0D || byte == 0x85 || byte == 0xA8 || byte == 0xA9
        }
        return nil
    }
}

extension YAMLEvents {
    var type: yaml_event_type_t { event.type }
    /// The line at which the event begins, counted from 1.
    var line: Int { Int(event.start_mark.line) + 1 }

    /// The name of the alias, which this must be.
    var alias: [UInt8] { Self.bytes(event.data.alias.anchor) }

    /// The anchor of the node that begins here, if it has one.
    var anchor: [UInt8]? {
        let anchor =
            switch event.type {
            case YAML_SCALAR_EVENT: event.data.scalar.anchor
            case YAML_SEQUENCE_START_EVENT: event.data.sequence_start.anchor
            case YAML_MAPPING_START_EVENT: event.data.mapping_start.anchor
            default: nil as UnsafeMutablePointer<yaml_char_t>?
            }
        return anchor.map { Self.bytes($0) }
    }

    /// The tag of the node that begins here; `nil` if it is left to the reader.
    var tag: String? {
        switch event.type {
        case YAML_SCALAR_EVENT: Self.text(event.data.scalar.tag)
        case YAML_SEQUENCE_START_EVENT:
            event.data.sequence_start.implicit != 0 ? nil : Self.text(event.data.sequence_start.tag)
        case YAML_MAPPING_START_EVENT:
            event.data.mapping_start.implicit != 0 ? nil : Self.text(event.data.mapping_start.tag)
        default: nil
        }
    }

    /// The text of the scalar, which this must be.
    var scalar: String {
        String(
            decoding: UnsafeBufferPointer(start: event.data.scalar.value, count: event.data.scalar.length),
            as: UTF8.self)
    }

    /// Whether the scalar stands without quotes and is not a block of text.
    var isPlain: Bool { event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE }
    /// Whether the scalar is text because of its quotes, or of the tag “!”.
    var isText: Bool { event.data.scalar.quoted_implicit == 1 }

    private static func bytes(_ text: UnsafeMutablePointer<yaml_char_t>) -> [UInt8] {
        var end = text
        while end.pointee != 0 { end += 1 }
        return Array(UnsafeBufferPointer(start: text, count: end - text))
    }

    private static func text(_ text: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        text.map { String(decoding: bytes($0), as: UTF8.self) }
    }
}
