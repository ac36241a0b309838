/// A notification of a config's changes; a setting of the config.
public struct NotificationRule: Sendable, Hashable {
    /// The maximum number of rules of one config.
    public static let maximumCount = 20

    /// Its name among the rules of the config: 1 to 64 letters, digits, `-`, `_` and `.`.
    public var id: String
    /// Where the changes are sent.
    public var target: NotificationTarget
    /// The key, or the directory, whose changes are sent; `/` for all.
    public var prefix: String
    /// Whether values are sent too, and not only the changed keys.
    public var withValues: Bool
    /// The secret that signs webhooks; never shown again once it is stored.
    public var secret: String?
    /// Only changes after this revision are sent; `nil` until the rule is stored, which sets it to the current
    /// revision.
    public var after: Revision?

    /// - Throws: `DiscfgError` with code `invalidRequest` or `invalidName` that names what is wrong.
    public init(
        id: String? = nil, to target: NotificationTarget, prefix: String = "/", withValues: Bool = false,
        secret: String? = nil, after: Revision? = nil
    ) throws(DiscfgError) {
        self.id =
            id ?? "\(target.kind)-\(String(UInt32.random(in: .min ... .max), radix: 36))"
        self.target = target
        self.prefix = prefix.isEmpty ? "/" : prefix
        self.withValues = withValues
        self.secret = secret
        self.after = after
        guard (1...64).contains(self.id.utf8.count), self.id.utf8.allSatisfy(\.isNameCharacter) else {
            throw .invalid(
                "“\(self.id)” cannot name a notification.", hint: "Use 1 to 64 letters, digits, “-”, “_” and “.”.")
        }
        _ = try selection
        guard let secret else { return }
        guard case .webhook = target else {
            throw .invalid(
                "A secret says nothing about \(target.kind): AWS signs what it carries.",
                hint: "Leave it out; only webhooks are signed with one.")
        }
        guard (8...256).contains(secret.utf8.count) else {
            throw .invalid(
                "The secret has \(secret.utf8.count) bytes.",
                hint: "Give 8 to 256, best “whsec_” and the base64 of 24 random bytes, or none to have one made.")
        }
    }

    /// The keys whose changes are sent.
    public var selection: KeySelection { get throws(DiscfgError) { try .subtree(prefix) } }
}

extension NotificationRule: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Without the secret, and without the target: an address can be a secret of its own.
    public var description: String { "NotificationRule(\(id))" }
    /// The same as `description`: neither the secret nor the target may be in a log.
    public var debugDescription: String { description }
    /// The content that `dump` and debuggers show.
    public var customMirror: Mirror { Mirror(self, children: ["id": id, "prefix": prefix, "withValues": withValues]) }
}

extension NotificationRule {
    /// The rule as a setting, under its name; with the secret only for the store.
    func json(withSecret: Bool) -> JSONValue {
        let shown = withSecret ? "\(target)" : target.shown
        var members: [(String, JSONValue)] = [("to", .string(shown)), ("prefix", .string(prefix))]
        if withValues { members.append(("withValues", .bool(true))) }
        if withSecret, let secret { members.append(("secret", .string(secret))) }
        if let after { members.append(("after", .integer(after))) }
        return .object(JSONObject(members))
    }

    /// Parses the output of `json`.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` that names what is unknown or wrong.
    public init(id: String?, json: JSONValue) throws(DiscfgError) {
        let label = "notifications" + (id.map { ".\($0)" } ?? "")
        guard let object = json.object else {
            throw .invalid("“\(label)” is not a JSON object.", hint: "Write it as {…}.")
        }
        for (name, _) in object where !["to", "prefix", "withValues", "secret", "after"].contains(name) {
            throw .invalid(
                "There is no setting “\(label).\(name)”.", hint: "There are to, prefix, withValues, secret and after.")
        }
        func member<Value>(_ name: String, _ kind: String, _ read: (JSONValue) -> Value?) throws(DiscfgError) -> Value?
        {
            guard let value = object[name] else { return nil }
            guard let read = read(value) else {
                throw .invalid(
                    "The setting “\(label).\(name)” is not \(kind).", hint: "Write \(kind), or leave it out.")
            }
            return read
        }
        guard let target = try member("to", "text", \.string) else {
            throw .invalid("“\(label)” names no target.", hint: "Add “to”, such as sns:ARN, sqs:URL or https://….")
        }
        let after = try member("after", "a revision from 0") { $0.integer.flatMap { $0 >= 0 ? $0 : nil } }
        try self.init(
            id: id, to: NotificationTarget(target), prefix: try member("prefix", "text", \.string) ?? "/",
            withValues: try member("withValues", "true or false", \.bool) ?? false,
            secret: try member("secret", "text", \.string), after: after)
    }
}

extension UInt8 {
    fileprivate var isNameCharacter: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "._-".utf8.contains(self)
        }
    }
}
