/// The error of discfg: what was wrong, with which value, and what to do about it.
///
/// Every API answers the same error: HTTP as `{"errorCode":…,"error":…,"message":…,"hint":…}`, the CLI as message and hint.
public struct DiscfgError: Error, Sendable {
    /// The kind of a failure; the number is part of the public protocol.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The number, as HTTP answers it in `errorCode`; docs/operations.md lists all of them.
        public let rawValue: Int
        /// A code of any number, such as one from a server of another version.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The key does not exist, or did not at the revision that was asked for.
        public static let keyNotFound = Code(rawValue: 100)
        /// A condition of the write does not hold; `DiscfgError.current` is the item as it is.
        public static let conditionFailed = Code(rawValue: 101)
        /// The store has no config of that name.
        public static let configNotFound = Code(rawValue: 102)
        /// A config of that name exists already.
        public static let configExists = Code(rawValue: 103)
        /// A key, a prefix or a config's name breaks the rules, or is not encoded correctly.
        public static let invalidName = Code(rawValue: 104)
        /// A value, body, message, author or transaction exceeds a limit.
        public static let tooLarge = Code(rawValue: 105)
        /// The history that was asked for is compacted, or the config was deleted and created again.
        public static let compacted = Code(rawValue: 106)
        /// A parameter, header, body or argument is wrong; the message names it.
        public static let invalidRequest = Code(rawValue: 107)
        /// The config has not reached the revision that was asked for.
        public static let futureRevision = Code(rawValue: 108)
        /// A JSON Pointer or a patch was applied to a value that is not JSON.
        public static let notJSON = Code(rawValue: 109)
        /// The JSON Pointer selects nothing in the value.
        public static let pathNotFound = Code(rawValue: 110)
        /// This store or server does not support what was asked for; the hint says what does.
        public static let unsupported = Code(rawValue: 111)
        /// The `Host` or `Origin` of a request is refused, or a webhook goes to a private address.
        public static let forbidden = Code(rawValue: 112)
        /// The API has no such path.
        public static let routeNotFound = Code(rawValue: 113)
        /// The path exists, and does not take this method.
        public static let methodNotAllowed = Code(rawValue: 114)
        /// The lease does not exist, or is ending.
        public static let leaseNotFound = Code(rawValue: 115)
        /// A lease with the id that was asked for exists already.
        public static let leaseExists = Code(rawValue: 116)
        /// The config has no notification of that name.
        public static let notificationNotFound = Code(rawValue: 117)
        /// The store could not be reached, or cannot take part now; nothing was written.
        public static let storeUnavailable = Code(rawValue: 300)
        /// The store did not say whether the write took effect.
        public static let outcomeUnknown = Code(rawValue: 301)
        /// The store cannot be used at all: another program's file, a newer schema, damage.
        public static let storeUnusable = Code(rawValue: 302)
        /// The store takes no writes: read-only or full.
        public static let storeNotWritable = Code(rawValue: 303)
        /// More requests are waiting than this process allows.
        public static let overloaded = Code(rawValue: 304)
        /// The target of a notification did not take it.
        public static let deliveryFailed = Code(rawValue: 305)
        /// A failure that discfg does not expect: the server's log has the cause.
        public static let internalError = Code(rawValue: 399)
    }

    /// The kind of failure.
    public var code: Code
    /// A sentence that says what was wrong, with the value.
    public var message: String
    /// What to do about it, as a sentence.
    public var hint: String?
    /// What a client of the HTTP API can do, if `hint` names a command or its options.
    package var httpHint: String?
    /// The error underneath; `nil` if there is none.
    public var cause: (any Error)?
    /// With `conditionFailed`: the item that did not meet the condition, `nil` if the key is absent.
    public var current: Item?

    /// An error of that kind.
    public init(_ code: Code, _ message: String, hint: String? = nil, cause: (any Error)? = nil, current: Item? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.cause = cause
        self.current = current
    }
}

extension DiscfgError {
    /// The error with another hint for clients of the HTTP API.
    package func overHTTP(_ hint: String) -> DiscfgError {
        var error = self
        error.httpHint = hint
        return error
    }

    /// Adds a sentence to every hint.
    package mutating func addHint(_ sentence: String) {
        hint = hint.map { "\($0) \(sentence)" } ?? sentence
        httpHint = httpHint.map { "\($0) \(sentence)" }
    }
}

extension DiscfgError: CustomStringConvertible {
    /// The message, followed by the hint if there is one.
    public var description: String { hint.map { "\(message) \($0)" } ?? message }
}

extension DiscfgError.Code {
    /// The fixed, short name of the kind, as HTTP answers it in `error`.
    public var title: String {
        switch self {
        case .keyNotFound: "Key not found"
        case .conditionFailed: "Condition failed"
        case .configNotFound: "Config not found"
        case .configExists: "Config already exists"
        case .invalidName: "Invalid name"
        case .tooLarge: "Too large"
        case .compacted: "Revision compacted"
        case .invalidRequest: "Invalid request"
        case .futureRevision: "Revision in the future"
        case .notJSON: "Not JSON"
        case .pathNotFound: "Path not found"
        case .unsupported: "Not supported"
        case .forbidden: "Forbidden"
        case .routeNotFound: "No such resource"
        case .methodNotAllowed: "Method not allowed"
        case .leaseNotFound: "Lease not found"
        case .leaseExists: "Lease already exists"
        case .notificationNotFound: "Notification not found"
        case .storeUnavailable: "Store unavailable"
        case .outcomeUnknown: "Outcome unknown"
        case .storeUnusable: "Store unusable"
        case .storeNotWritable: "Store not writable"
        case .overloaded: "Overloaded"
        case .deliveryFailed: "Delivery failed"
        default: "Internal error"
        }
    }
}

/// Carries out what follows a write that the store has.
///
/// - Throws: `outcomeUnknown` in place of another `DiscfgError` of `body`, whose code may mean that nothing was written.
package func afterWrite<Result>(
    _ written: String, hint: String = "Read before you try again.", _ body: () async throws -> Result
) async throws -> Result {
    do {
        return try await body()
    } catch let error as DiscfgError where error.code != .outcomeUnknown {
        throw DiscfgError(.outcomeUnknown, "\(written): \(error.message)", hint: hint, cause: error.cause)
    }
}

extension DiscfgError {
    /// Input that cannot be understood.
    public static func invalid(_ message: String, hint: String? = nil) -> DiscfgError {
        DiscfgError(.invalidRequest, message, hint: hint)
    }

    /// A config that does not exist.
    public static func noConfig(_ name: ConfigName) -> DiscfgError {
        DiscfgError(
            .configNotFound, "There is no config named “\(name)”.",
            hint: "Create it with “discfg create \(name)”, or see the others with “discfg cfgs”."
        ).overHTTP("Create it with PUT /v1/\(name)/cfg, or see the others with GET /v1/cfgs.")
    }

    /// A key that does not exist.
    public static func noKey(_ key: Key, in config: ConfigName) -> DiscfgError {
        DiscfgError(
            .keyNotFound, "There is no key “\(key)” in config “\(config)”.",
            hint: "See what there is with “discfg \(config == .default ? "ls" : "ls --cfg \(config)")”."
        ).overHTTP("See what there is with GET /v1/\(config)/keys/?recursive.")
    }

    /// A lease that does not exist, or is ending.
    public static func noLease(_ id: Int64, in config: ConfigName) -> DiscfgError {
        DiscfgError(
            .leaseNotFound, "There is no lease \(id) in config “\(config)”, or it has ended.", hint: "Grant one first.")
    }

    /// A revision whose history is gone.
    public static func compacted(_ revision: Revision, oldest: Revision) -> DiscfgError {
        DiscfgError(
            .compacted, "Revision \(revision) was compacted; the oldest that can be read is \(oldest).",
            hint: "Read the current state, then follow the changes after its revision.")
    }

    /// A log that ended when its config was deleted.
    public static func createdAgain(oldest: Revision) -> DiscfgError {
        DiscfgError(
            .compacted, "The config was deleted and created again; the oldest revision that can be read is \(oldest).",
            hint: "Read the current state, then follow the changes after its revision.")
    }
}
