import Foundation
import Testing

/// What documents and scripts say, compared with the program, with each other, or with what was wrong in them once.
@Suite("Documents")
struct DocumentTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: Sandbox.checkout.appending(path: path), encoding: .utf8)
    }

    /// README and docs, by their paths.
    private func documents() throws -> [(path: String, text: String)] {
        let names = try FileManager.default.contentsOfDirectory(atPath: Sandbox.checkout.appending(path: "docs").path)
        let paths = names.filter { $0.hasSuffix(".md") }.map { "docs/" + $0 } + ["README.md"]
        return try paths.map { ($0, try text($0)) }
    }

    @Test("The table of store URLs says how requests to a server are authorized")
    func credentials() throws {
        let row = try text("docs/cli.md").split(separator: "\n").first { $0.hasPrefix("| `http://") }
        #expect(row?.contains("DISCFG_TOKEN") == true && row?.contains("DISCFG_SIGN") == true, "\(row ?? "")")
        for document in try documents() { #expect(!document.text.contains("carry no credentials"), "\(document.path)") }
    }

    @Test("Every option of the server is in the table of its options")
    func serverOptions() async throws {
        let operations = try text("docs/operations.md")
        try await Sandbox.with { sandbox in
            let help = try await sandbox.discfg("serve", "--help").output
            let options = Set(help.matches(of: /^ +(?:-[a-zA-Z], )?(--[a-z-]+)/.anchorsMatchLineEndings()).map(\.1))
            #expect(options.isSuperset(of: ["--listen", "--max-request-memory", "--cors-origin", "--store"]))
            let general: Set<Substring> = ["--help", "--version", "--cfg", "--author"]
            for option in options.subtracting(general).sorted() {
                #expect(operations.contains("| `\(option)"), "\(option)")
            }
        }
    }

    @Test("The description of REST waits for the server before the first request")
    func firstRequest() throws {
        let rest = try text("docs/rest.md")
        let wait = try #require(rest.range(of: "--retry-connrefused"))
        let request = try #require(rest.range(of: "curl[^\n]*\\$url/v1", options: .regularExpression))
        #expect(wait.lowerBound < request.lowerBound)
    }

    @Test("The section about exec names the variables with which a key can run a program")
    func variables() throws {
        let section = try #require(try text("docs/cli.md").components(separatedBy: "\n## Variables").last)
        let part = try #require(section.components(separatedBy: "\n## ").first)
        for name in ["PATH", "LD_PRELOAD", "BASH_ENV"] { #expect(part.contains("`\(name)`"), "\(name)") }
    }

    @Test(
        "A sentence that was hard to read is in no document",
        arguments: [
            "a table that nobody uses its storage alone", "A key can end by itself", "A month in which nobody asks",
            "has requests signed for AWS, which at the addresses", "goes first",
            "how soon after the last find the log is looked at again", "`*` means nothing",
            "Only who stays away for longer", "Who may call is the gateway's to say",
            "Other than etcd, discfg has HTTP and gRPC", "Neither could be had for a try", "is refused to who lost",
            "Who is told of what is a setting", "Who dies while it holds it", "Who has AWS credentials does best",
            "goes the README's tour there", "Mend the target", "needs a yes",
        ])
    func english(phrase: String) throws {
        for document in try documents() { #expect(!document.text.contains(phrase), "\(document.path)") }
    }

    @Test("What the tests take from PyPI has a version and hashes, and pip installs nothing else")
    func hashes() throws {
        let folder = Sandbox.checkout.appending(path: "Scripts")
        let lists = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasPrefix("requirements-") && $0.hasSuffix(".txt")
        }
        #expect(lists.count >= 4)
        for list in lists {
            // A requirement goes on where its line ends in a backslash.
            let lines = try text("Scripts/" + list).replacing("\\\n", with: " ").split(separator: "\n")
            for line in lines where !line.hasPrefix("#") && !line.allSatisfy(\.isWhitespace) {
                #expect(line.contains("==") && line.contains("--hash=sha256:"), "\(list): \(line.prefix(60))")
            }
        }
        let script = try text("Scripts/install-dependencies.sh")
        let installs = script.components(separatedBy: "-m pip install").dropFirst()
        #expect(!installs.isEmpty)
        for install in installs { #expect(install.prefix(200).contains("--require-hashes")) }
    }
}
