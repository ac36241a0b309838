/// One event for a bus.
public struct PutEventsEntry: Sendable, Encodable {
    /// The application that sends the event, such as `discfg`; must not begin with `aws.`.
    public var source: String
    /// What kind of event it is, up to 128 characters.
    public var detailType: String
    /// JSON: an object.
    public var detail: String
    /// The name or ARN of a bus in the client's region; `nil` for the account's default bus.
    public var eventBusName: String?
    /// When it happened, in seconds since 1970; `nil` for when it arrives.
    public var time: Double?
    /// The resources that the event concerns: ARNs, or other names.
    public var resources: [String]

    /// An event for the default bus, at the time it arrives, unless a bus or a time is given.
    public init(
        source: String, detailType: String, detail: String, eventBusName: String? = nil, time: Double? = nil,
        resources: [String] = []
    ) {
        self.source = source
        self.detailType = detailType
        self.detail = detail
        self.eventBusName = eventBusName
        self.time = time
        self.resources = resources
    }

    /// How many bytes count against the limit of all events of a call: see `MessageSize`.
    public var size: Int {
        ([source, detailType, detail] + resources).reduce(time == nil ? 0 : 14) { $0 + $1.utf8.count }
    }
}
