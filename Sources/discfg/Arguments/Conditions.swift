import ArgumentParser
import DiscfgCore

/// What must be true of a key for it to be written.
struct Conditions: ParsableArguments {
    @Flag(help: "Only when the key is not there yet.")
    var ifAbsent = false

    @Option(help: ArgumentHelp("Only when the key has this version; 0 means absent.", valueName: "n"))
    var ifVersion: Int64?

    @Option(help: ArgumentHelp("Only when the key was last changed by this revision; 0 means absent.", valueName: "n"))
    var ifRevision: Revision?

    @Option(
        name: [.customShort("c"), .long],
        help: ArgumentHelp("Only when the key holds this value (“@FILE” for that of a file).", valueName: "value"))
    var ifValue: String?

    /// Whether nothing is asked.
    var isEmpty: Bool { !ifAbsent && ifVersion == nil && ifRevision == nil && ifValue == nil }

    /// The conditions on a key; all must hold.
    func preconditions(on key: Key) throws -> [Precondition] {
        var tests: [Precondition.Test] = []
        if ifAbsent { tests.append(.absent) }
        if let ifVersion { tests.append(.version(ifVersion)) }
        if let ifRevision { tests.append(.revision(ifRevision)) }
        if let ifValue { tests.append(.value(try ValueSource(ifValue).bytes())) }
        return tests.map { Precondition(key, $0) }
    }
}
