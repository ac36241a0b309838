/// Takes one line after the other, and keeps what they said so far.
struct INIParser {
    private let path: String
    private var number = 0
    private var sections: [(header: String, settings: [String: [String]])] = []
    private var places: [String: Int] = [:]
    private var section: Int?
    private var name: String?
    /// How far in the line stands that began the current setting: what stands further in belongs to it.
    private var indent = 0

    init(path: String) { self.path = path }

    /// Takes the next line.
    mutating func take(_ line: Substring.UnicodeScalarView) throws(AWSError) {
        number += 1
        let (content, isComment) = Self.withoutComment(line)
        let text = content.trimmed
        if text.isEmpty {
            if !isComment { extend(with: "") }
            return
        }
        let indent = line.prefix { $0.isSpace }.count
        if indent > self.indent, extend(with: String(text)) { return }
        self.indent = indent
        if text.first == "[", let end = text.lastIndex(of: "]"), text.distance(from: text.startIndex, to: end) > 1 {
            begin(String(text[text.index(after: text.startIndex)..<end]))
        } else {
            try set(text)
        }
    }

    /// What all lines said.
    func finished() throws(AWSError) -> [INIText.Section] {
        let defaults = places["DEFAULT"].map { sections[$0].settings } ?? [:]
        var result: [INIText.Section] = []
        for (header, settings) in sections where header != "DEFAULT" {
            var section = INIText.Section(header: header, settings: [:])
            for (name, lines) in settings.merging(defaults, uniquingKeysWith: { own, _ in own }) {
                section.settings[name] = try setting(lines, name: name)
            }
            result.append(section)
        }
        return result
    }

    private static func withoutComment(
        _ line: Substring.UnicodeScalarView
    ) -> (Substring.UnicodeScalarView, isComment: Bool) {
        var isAfterSpace = true
        for index in line.indices {
            if isAfterSpace, line[index] == "#" || line[index] == ";" { return (line[..<index], true) }
            isAfterSpace = line[index].isSpace
        }
        return (line, false)
    }

    /// Adds a line to the current setting.
    ///
    /// - Returns: Whether there is one.
    @discardableResult
    private mutating func extend(with line: String) -> Bool {
        guard let section, let name else { return false }
        sections[section].settings[name]?.append(line)
        return true
    }

    private mutating func begin(_ header: String) {
        name = nil
        if let place = places[header] {
            section = place
        } else {
            section = sections.count
            places[header] = sections.count
            sections.append((header, [:]))
        }
    }

    private mutating func set(_ text: Substring.UnicodeScalarView) throws(AWSError) {
        guard let section else {
            throw broken("stands before the first [section]")
        }
        guard let delimiter = text.firstIndex(where: { $0 == "=" || $0 == ":" }) else {
            throw broken("is neither a [section] nor NAME = VALUE")
        }
        let name = String(text[..<delimiter].trimmed).lowercased()
        guard !name.isEmpty else { throw broken("has no name before the sign") }
        self.name = name
        sections[section].settings[name] = [String(text[text.index(after: delimiter)...].trimmed)]
    }

    private func broken(_ what: String) -> AWSError {
        AWSError(.invalidConfiguration, "Line \(number) of \(Quoted(path)) \(what).", hint: "Correct or remove it.")
    }

    /// The value of a setting that has several lines, where those behind the last text do not count.
    private func setting(_ lines: [String], name: String) throws(AWSError) -> INIText.Setting {
        let end = (lines.lastIndex { !$0.isEmpty } ?? -1) + 1
        let lines = lines[..<end]
        guard lines.count > 1, lines.first == "" else { return .text(lines.joined(separator: "\n")) }
        var nested: [String: String] = [:]
        for line in lines where !line.isEmpty {
            let scalars = Substring(line).unicodeScalars
            guard let delimiter = scalars.firstIndex(of: "=") else {
                throw AWSError(
                    .invalidConfiguration, "A line below \(Quoted(name)) in \(Quoted(path)) is not NAME = VALUE.",
                    hint: "Correct or remove it.")
            }
            let value = scalars[scalars.index(after: delimiter)...].trimmed
            nested[String(scalars[..<delimiter].trimmed)] = String(value)
        }
        return .nested(nested)
    }
}
