import DiscfgCore

/// The formats of requests from gateways, and of the answers to them.
enum GatewayShape: Sendable, Hashable {
    /// An HTTP API with payload format 2.0, or a Function URL.
    case httpV2
    /// A REST API, or an HTTP API with payload format 1.0.
    ///
    /// A REST API sends bodies that are not text only if `binaryMediaTypes` is `*/*`.
    case restV1
    /// An Application Load Balancer; a setting of the target group makes fields and parameters lists, in requests and
    /// in answers.
    case loadBalancer(multiValue: Bool)

    /// The shape of an event; `httpV2` if it is not recognised, because every gateway accepts such answers.
    init(of event: JSONValue) {
        let context = event["requestContext"]
        if context?["elb"]?.object != nil {
            self = .loadBalancer(multiValue: event["multiValueHeaders"]?.object != nil)
        } else if context?["http"]?.object == nil, event["httpMethod"]?.string != nil {
            self = .restV1
        } else {
            self = .httpV2
        }
    }

    /// Maximum size of an answer as JSON, in bytes.
    ///
    /// The limit is 6 MB of Lambda, and 1 MB of a load balancer. For a larger answer the client would get an error
    /// without a reason. Source: the quotas of Lambda, and “Lambda functions as targets” of Elastic Load Balancing.
    var maximumAnswer: Int {
        switch self {
        case .httpV2, .restV1: 6_291_456
        case .loadBalancer: 1_000_000
        }
    }
}
