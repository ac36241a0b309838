import Foundation

/// The Swift code of a page in Markdown, for a test that compiles all of it.
///
/// The code of a block whose language is exactly `swift` counts. A block with another language is not compiled:
/// `swift package` marks an excerpt of a `Package.swift`.
package struct SwiftSnippets: Sendable {
    /// The code of each block, without indentation.
    package let all: [String]
    private let file: String

    /// The snippets of a page.
    ///
    /// - Parameters:
    ///   - page: The path of the page in the repository.
    ///   - file: The test's file, in the repository.
    /// - Throws: An error if the page cannot be read.
    package init(of page: String, testedBy file: String = #filePath) throws {
        let text = try String(contentsOf: Self.repository(of: file).appending(path: page), encoding: .utf8)
        self.init(inText: text, testedBy: file)
    }

    /// The paths of the pages in a folder of the repository, by their names.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder in the repository.
    ///   - file: A file in the repository.
    /// - Returns: The paths of its Markdown files in the repository.
    /// - Throws: An error if the folder cannot be read.
    package static func pages(in folder: String, of file: String = #filePath) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: repository(of: file).appending(path: folder).path)
            .filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
    }

    private static func repository(of file: String) -> URL {
        var root = URL(fileURLWithPath: file).deletingLastPathComponent()
        while root.path != "/", !FileManager.default.fileExists(atPath: root.appending(path: "Package.swift").path) {
            root.deleteLastPathComponent()
        }
        return root
    }

    package init(inText text: String, testedBy file: String) {
        var (all, block): ([String], [String]?) = ([], nil)
        var isOpen = false
        for line in Self.lines(of: text) {
            switch (line.hasPrefix("```"), isOpen) {
            case (true, false):
                isOpen = true
                block = line == "```swift" ? [] : nil
            case (true, true):
                isOpen = false
                if let code = block { all.append(code.joined(separator: "\n")) }
                block = nil
            case (false, _): block?.append(line)
            }
        }
        (self.all, self.file) = (all, file)
    }

    /// The snippets that the Swift files of the test's folder do not have.
    ///
    /// - Returns: The code of each of them.
    /// - Throws: An error if a file cannot be read.
    package func untested() throws -> [String] {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        return untested(
            in: try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
                .filter { $0.pathExtension == "swift" }
                .map { try String(contentsOf: $0, encoding: .utf8) })
    }

    /// The snippets that some sources do not have.
    ///
    /// Indentation does not matter. An import may be anywhere in the sources, since a snippet with imports may have
    /// code that belongs into a function. `@main` may be absent, since a test bundle has a `main` function of its own.
    package func untested(in sources: [String]) -> [String] {
        let sources = sources.map { "\n" + Self.lines(of: $0).joined(separator: "\n") + "\n" }
        func isTested(_ code: some StringProtocol) -> Bool { sources.contains { $0.contains("\n\(code)\n") } }
        return all.filter { snippet in
            let lines = Self.lines(of: snippet)
            let isImport: (String) -> Bool = { $0.hasPrefix("import ") }
            let rest = lines.drop { isImport($0) || $0.isEmpty }.joined(separator: "\n")
            let code = rest.hasPrefix("@main ") ? String(rest.dropFirst("@main ".count)) : rest
            return !isTested(code) || !lines.filter(isImport).allSatisfy { isTested($0) }
        }
    }

    /// The lines of a text without indentation and trailing spaces.
    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
