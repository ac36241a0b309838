#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The variables that settings and credentials are read from.
///
/// Some of them are secrets: neither a description nor a dump shows a value.
public struct AWSEnvironment: Sendable, Hashable {
    private let variables: [String: String]

    /// Takes the variables as they are; nothing is read from the process.
    public init(_ variables: [String: String]) { self.variables = variables }

    /// The variables that this process was started with.
    public static func process() -> AWSEnvironment { AWSEnvironment(ProcessInfo.processInfo.environment) }

    /// The value of a variable; `nil` if it is not set, or set to nothing.
    public subscript(name: String) -> String? {
        guard let value = variables[name], !value.isEmpty else { return nil }
        return value
    }

    /// Whether a variable says `true`, in letters of any size.
    func isTrue(_ name: String) -> Bool { self[name]?.lowercased() == "true" }

    /// The path of a file, with the home folder in place of a leading `~`.
    func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = self["HOME"] else { return path }
        return home + path.dropFirst()
    }

    /// All of it, for a program that is started with it.
    var all: [String: String] { variables }
}

extension AWSEnvironment: ExpressibleByDictionaryLiteral {
    /// Variables by name; the last of two with the same name holds.
    public init(dictionaryLiteral elements: (String, String)...) {
        variables = Dictionary(elements) { $1 }
    }
}

extension AWSEnvironment: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How many variables there are.
    public var description: String { "AWSEnvironment(\(variables.count) variables)" }
    /// How many variables there are.
    public var debugDescription: String { description }
    /// Nothing: `dump` would print the secrets otherwise.
    public var customMirror: Mirror { Mirror(self, children: ["count": variables.count]) }
}
