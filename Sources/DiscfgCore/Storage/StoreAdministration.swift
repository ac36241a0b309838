/// The store as a whole, for its operator and for periodic work.
///
/// `StorageEngine` is what the rules of configs need of a store; this is what creates, describes, maintains and destroys
/// it. Every call throws `DiscfgError`, or `CancellationError`.
public protocol StoreAdministration: Sendable {
    /// The name of the store, which a person confirms before it is destroyed; `nil` if discfg does not destroy it.
    var subject: StoreSubject? { get }

    /// Creates the store if it does not exist, and waits until it can be used; an existing store is not changed.
    ///
    /// - Returns: A warning for each requested property that the existing store does not have.
    /// - Throws: `unsupported` if the kind of store has no such property; `storeUnusable` if another program created
    ///   the store.
    func create(_ properties: StoreProperties) async throws -> [StoreWarning]

    /// A description of the store and its current state, for people; may send requests to the store.
    func status() async throws -> StorageDescription

    /// The size of the store in bytes; `nil` if it is not known without a request.
    var size: Int64? { get }

    /// Does the periodic work of the store: removes what interrupted calls have left behind.
    func maintain() async throws

    /// Deletes the store with all configs and all history.
    ///
    /// - Throws: `unsupported` if the kind of store is not deleted by discfg; `storeNotWritable` if it is protected
    ///   against deletion; `storeUnusable` if there is none, or if another program created it.
    func destroy() async throws
}

extension StoreAdministration {
    /// `nil`, for stores whose size is not known without a request.
    public var size: Int64? { nil }
}

/// The name of a store for a person.
public struct StoreSubject: Sendable, Hashable {
    /// The kind of store with its name, such as `the table “shop” in eu-west-1`.
    public var description: String
    /// The name that a person types to confirm.
    public var name: String

    /// The name of a store in a sentence, and as a person types it.
    public init(description: String, name: String) {
        self.description = description
        self.name = name
    }
}

/// The requested properties of a new store.
public struct StoreProperties: Sendable, Hashable {
    /// Settings of the kind of store, as in `ConfigSettings.store`; the others have their defaults.
    public var settings: [String: JSONValue]
    /// Whether the store is protected against deletion.
    public var isProtected: Bool

    /// Properties of a new store; what is left out has its default.
    public init(settings: [String: JSONValue] = [:], isProtected: Bool = false) {
        self.settings = settings
        self.isProtected = isProtected
    }
}

/// A requested property that an existing store does not have.
public struct StoreWarning: Sendable, Hashable {
    /// A sentence without a period.
    public var message: String
    /// A command that changes the store.
    public var hint: String

    /// A warning with the command that changes the store.
    public init(message: String, hint: String) {
        self.message = message
        self.hint = hint
    }
}
