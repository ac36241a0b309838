import ArgumentParser
import DiscfgCore

/// `discfg complete`: answers the scripts that `discfg completions` prints.
///
/// The first line is `words`, or `files` and what stands before the name of a file, as in `files:@`. The other lines are words that
/// fit, each with a tab and what it means.
struct Complete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete", abstract: "List what may end a command line, for the scripts of shells.",
        shouldDisplay: false)

    @Argument(parsing: .postTerminator, help: ArgumentHelp("The words of the line.", valueName: "word"))
    var words: [String] = []

    /// The most words that are listed.
    static let maximumWords = 500
    /// How long a store may take to answer.
    static let patience: Duration = .seconds(2)

    func run() async throws {
        let request = CompletionRequest(words)
        let words: [CompletionRequest.Word]
        switch request.subject {
        case .files: return try Descriptor.output.write(Array("files:\(request.lead)\n".utf8))
        case .words(let all): words = all
        default: words = try await Self.inTime { try await Self.words(for: request) }
        }
        let lines = words.filter { $0.text.hasPrefix(request.prefix) }.prefix(Self.maximumWords).map { word in
            let text = request.lead + word.text
            return text.printable == text ? "\(text)\t\(word.meaning.printable)\n" : ""
        }
        try Descriptor.output.write(Array(("words\n" + lines.joined()).utf8))
    }

    /// What the store has that fits; nothing where a look would create the store.
    private static func words(for request: CompletionRequest) async throws -> [CompletionRequest.Word] {
        let options = try GlobalOptions.parse(request.globals + ["--log-level", "critical"])
        let settings = try options.settings(config: request.config)
        guard settings.store.location.hasContents else { return [] }
        var words: [CompletionRequest.Word] = []
        try await Session.with(settings, expiry: .left) { session in
            if [.configs, .configsAndKeys].contains(request.subject) {
                words += try await session.store.configs().map { .init(text: "\($0.name)", meaning: "config") }
            }
            if [.keys, .configsAndKeys].contains(request.subject) {
                words += try await session.keys(like: request.prefix).map { .init(text: $0) }
            }
            if request.subject == .revisions {
                let page = try await session.store.history(HistoryQuery(limit: 50), in: session.config)
                words += page.commits.map { commit in
                    let meaning = [commit.time.short, commit.author, commit.message].filter { !$0.isEmpty }
                    return .init(text: "\(commit.revision)", meaning: meaning.joined(separator: "  "))
                }
            }
            if request.subject == .notifications {
                let all = try await session.notifications.notifications(of: session.config)
                words += all.map { .init(text: $0.rule.id, meaning: "\($0.rule.target)") }
            }
        }
        return words
    }

    /// What the work returns, or nothing if it fails or takes longer than a person waits.
    private static func inTime(
        _ body: @escaping @Sendable () async throws -> [CompletionRequest.Word]
    ) async throws -> [CompletionRequest.Word] {
        await withTaskGroup(of: [CompletionRequest.Word].self) { group in
            group.addTask { (try? await body()) ?? [] }
            group.addTask {
                try? await Task.sleep(for: patience)
                return []
            }
            defer { group.cancelAll() }
            return await group.next() ?? []
        }
    }
}

extension Session {
    /// One level of keys and directories that begin like this, written as what was typed is.
    fileprivate func keys(like prefix: String) async throws -> [String] {
        let typed = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
        let isBare = prefix.hasPrefix(KeyName.bare)
        let directory = isBare && typed.isEmpty ? KeyName.bare : typed == KeyName.encoded ? "/" : typed
        let query = ListQuery(directory, limit: ListQuery.defaultLimit, keysOnly: true)
        let names = try await store.list(query, in: config).entries.map(\.shown)
        // A leading “/” of a path may be left out.
        return isBare || prefix.isEmpty || prefix.hasPrefix("/") || prefix.hasPrefix(KeyName.encoded)
            ? names : names.filter { $0.hasPrefix("/") }.map { String($0.dropFirst()) }
    }
}
