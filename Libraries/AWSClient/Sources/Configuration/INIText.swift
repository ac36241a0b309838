/// A file of `[sections]` with settings, as AWS's command line writes it.
///
/// Source: Python's configparser, with which botocore reads these files. More is taken here: a section or a setting
/// that comes twice (the later value holds), a comment behind a value, and a byte order mark.
struct INIText: Equatable {
    /// What a setting says.
    enum Setting: Equatable {
        case text(String)
        /// A setting without a value of its own, and lines `NAME = VALUE` below it, further in.
        case nested([String: String])

        /// The value, if it is not nested.
        var text: String? { if case .text(let text) = self { text } else { nil } }
    }

    /// A header, with what stands below it.
    struct Section: Equatable {
        let header: String
        var settings: [String: Setting]
    }

    /// In the order in which the headers are first seen.
    let sections: [Section]

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: What is in the file.
    ///   - path: Where it is, for errors.
    /// - Throws: `invalidConfiguration`, with the number of the line, and never with what stands there.
    init(parsing bytes: [UInt8], path: String) throws(AWSError) {
        var parser = INIParser(path: path)
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        guard let text = String(validating: bytes[start...], as: UTF8.self) else {
            throw AWSError(
                .invalidConfiguration, "The file \(Quoted(path)) is not UTF-8 text.",
                hint: "Write it again with “aws configure”, or remove it.")
        }
        for line in text.unicodeScalars.lines { try parser.take(line) }
        sections = try parser.finished()
    }

    /// A file without anything.
    init() { sections = [] }
}

extension Substring.UnicodeScalarView {
    /// Without spaces at either end.
    var trimmed: Substring.UnicodeScalarView {
        var rest = self
        while let first = rest.first, first.isSpace { rest.removeFirst() }
        while let last = rest.last, last.isSpace { rest.removeLast() }
        return rest
    }
}

extension String.UnicodeScalarView {
    /// The lines, whether they end with a newline, a carriage return, or both.
    fileprivate var lines: [Substring.UnicodeScalarView] {
        var lines: [Substring.UnicodeScalarView] = []
        var start = startIndex
        var index = startIndex
        while index < endIndex {
            let isEnd = self[index] == "\n" || self[index] == "\r"
            let next = self.index(after: index)
            if isEnd {
                lines.append(self[start..<index])
                start = self[index] == "\r" && next < endIndex && self[next] == "\n" ? self.index(after: next) : next
                index = start
            } else {
                index = next
            }
        }
        if start < endIndex { lines.append(self[start...]) }
        return lines
    }
}

extension Unicode.Scalar {
    /// Whether it is a space, a tab, or the like.
    var isSpace: Bool { properties.isWhitespace }
}
