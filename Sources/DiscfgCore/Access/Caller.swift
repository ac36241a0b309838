/// The caller of an operation: a name, and how the name is proven.
///
/// Every API creates a caller for each request, and reaches a store only through `StoreAccess.acting(as:)` or
/// `ConfigStore.acting(as:)`. The author of each commit is derived from the caller in one place, below all APIs.
/// A caller has no permissions yet: any caller may do everything.
public struct Caller: Sendable, Hashable {
    /// How the name of a caller is proven.
    public enum Proof: Sendable, Hashable {
        /// Not at all: the name is what the client claims, and may be empty.
        case none
        /// An authenticated gateway named the caller, such as API Gateway with an authoriser or IAM.
        case gateway
        /// The process opened the store itself, so it can write anything; the name is the one that its user chose.
        case localUser
        /// The work of discfg itself, such as a check whether the store can be read.
        case process
    }

    /// The name; empty if it is not known.
    public let name: String
    /// How the name is proven.
    public let proof: Proof

    /// A caller with a name that is proven.
    public init(_ name: String, provenBy proof: Proof) {
        self.name = name
        self.proof = proof
    }

    /// A caller whose name is only claimed; empty for no claim.
    public static func claiming(_ name: String) -> Caller { Caller(name, provenBy: .none) }

    /// A caller that claims no name.
    public static let anonymous = Caller.claiming("")

    /// discfg itself, whose commits have no author.
    public static let process = Caller("", provenBy: .process)

    /// The caller of a request: the proven one, or the one that the client claims to be if none is proven.
    ///
    /// A claim never replaces a name that is proven, and is not read then.
    public static func of(
        proven: Caller?, orClaiming claim: @autoclosure () throws(DiscfgError) -> String?
    ) throws(DiscfgError) -> Caller {
        if let proven { return proven }
        return .claiming(try claim() ?? "")
    }

    /// Reads the name that the fields of a request claim.
    ///
    /// - Parameter fields: Every field of that name, each percent-encoded.
    /// - Returns: The name; `nil` if there is no field.
    /// - Throws: `invalidRequest` for more than one field, and for one that is not percent-encoded UTF-8; `tooLarge`.
    package static func claim(in fields: [String]) throws(DiscfgError) -> String? {
        guard let field = fields.first else { return nil }
        guard fields.count == 1 else {
            // A proxy that adds a field to the client's must not let the client choose.
            throw .invalid("The author is given \(fields.count) times.", hint: "Send the field of the author once.")
        }
        // What a server puts in place of bytes that are not UTF-8.
        guard !field.unicodeScalars.contains("\u{FFFD}") else {
            throw .invalid("The author is not UTF-8.", hint: "Send it percent-encoded.")
        }
        let name = try PercentEncoding.decode(field)
        try Transaction(then: [], author: name).validate()
        return name
    }

    /// The author of the caller's commits; empty if the name is not known.
    public var author: String { name }
}
