/// The settings of one profile of the shared files.
///
/// Some of them are secrets: a description shows the name alone.
public struct Profile: Sendable {
    /// Such as `default`.
    public let name: String
    private var settings: [String: INIText.Setting]

    init(name: String, settings: [String: INIText.Setting]) {
        self.name = name
        self.settings = settings
    }

    /// The value of a setting; `nil` if it is not there, or has no text.
    ///
    /// - Parameter name: In small letters, such as `region`.
    public subscript(name: String) -> String? {
        guard let text = settings[name]?.text, !text.isEmpty else { return nil }
        return text
    }

    /// The settings below a setting, such as `endpoint_url` below `dynamodb` in a `services` section.
    ///
    /// - Parameter name: In small letters.
    /// - Returns: Empty if there are none.
    public func nested(_ name: String) -> [String: String] {
        if case .nested(let nested) = settings[name] { nested } else { [:] }
    }

    /// All settings, for a comparison.
    var all: [String: INIText.Setting] { settings }

    /// The same, where what another profile says holds.
    func overlaid(with other: Profile?) -> Profile {
        Profile(name: name, settings: settings.merging(other?.settings ?? [:]) { $1 })
    }
}

extension Profile: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name alone.
    public var description: String { "Profile(\(name))" }
    /// The name alone.
    public var debugDescription: String { description }
    /// The name alone: `dump` would print the secrets otherwise.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
