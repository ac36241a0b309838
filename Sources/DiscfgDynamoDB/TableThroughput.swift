import AWSClient
public import DiscfgCore

/// The throughput of a table, and how it is billed.
public enum TableThroughput: Sendable, Hashable {
    /// Each request is billed.
    case onDemand
    /// A number of units a second is billed by the hour.
    case provisioned(readUnits: Int64, writeUnits: Int64)

    private static let (readUnits, writeUnits) = ("ReadCapacityUnits", "WriteCapacityUnits")
    private static let billingMode = "BillingMode"

    /// Reads the settings of a store; `nil` if there are none.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` that names what is unknown, incomplete or out of range.
    public init?(_ settings: [String: JSONValue]) throws(DiscfgError) {
        if settings.isEmpty { return nil }
        for name in settings.keys.sorted() where ![Self.readUnits, Self.writeUnits, Self.billingMode].contains(name) {
            throw .invalid(
                "There is no setting “\(name)”.",
                hint: "A DynamoDB table has “\(Self.readUnits)”, “\(Self.writeUnits)” and “\(Self.billingMode)”.")
        }
        let read = try Self.units(Self.readUnits, in: settings)
        let write = try Self.units(Self.writeUnits, in: settings)
        switch (read, write, settings[Self.billingMode]) {
        case (let read?, let write?, nil): self = .provisioned(readUnits: read, writeUnits: write)
        case (nil, nil, let mode?):
            guard mode.string == BillingMode.payPerRequest.rawValue else {
                throw .invalid(
                    "The setting “\(Self.billingMode)” is not “\(BillingMode.payPerRequest.rawValue)”.",
                    hint: "For provisioned throughput give \(Self.readUnits) and \(Self.writeUnits).")
            }
            self = .onDemand
        default:
            throw .invalid(
                "The throughput is not complete, or given twice.",
                hint: "Give both \(Self.readUnits) and \(Self.writeUnits), or \(Self.billingMode) alone.")
        }
    }

    private static func units(_ name: String, in settings: [String: JSONValue]) throws(DiscfgError) -> Int64? {
        guard let value = settings[name] else { return nil }
        guard let number = value.integer, number >= 1 else {
            throw .invalid("The setting “\(name)” is not a number from 1.", hint: "Write it as 4.")
        }
        return number
    }

    /// The settings that request this throughput.
    public var settings: [String: JSONValue] {
        switch self {
        case .onDemand: [Self.billingMode: .string(BillingMode.payPerRequest.rawValue)]
        case .provisioned(let read, let write): [Self.readUnits: .integer(read), Self.writeUnits: .integer(write)]
        }
    }

    /// The settings as a JSON object, as a command takes them.
    var json: String {
        JSONValue.object(JSONObject(settings.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })).text
    }

    /// The throughput of a request to DynamoDB; `nil` on demand.
    var provisioned: ProvisionedThroughput? {
        guard case .provisioned(let read, let write) = self else { return nil }
        return ProvisionedThroughput(readCapacityUnits: read, writeCapacityUnits: write)
    }
}
