import DiscfgCore

/// The forms in which gateways hand a request to a function, and expect its answer.
enum GatewayShape: Sendable, Hashable {
    /// An HTTP API with payload format 2.0, or a Function URL.
    case httpV2
    /// A REST API, or an HTTP API with payload format 1.0.
    ///
    /// A REST API passes bodies that are not text only with `binaryMediaTypes` set to `*/*`.
    case restV1
    /// An Application Load Balancer; the target group says whether fields and parameters come as lists, and then so must the
    /// answer's fields.
    case loadBalancer(multiValue: Bool)

    /// The form of an event, as far as it can be told; every gateway understands an answer of `httpV2`.
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

    /// The most bytes that an answer may have as JSON.
    ///
    /// Lambda takes 6 MB, and a load balancer takes 1 MB of it; beyond that, the client would be told of a failure without
    /// a word why. Source: the quotas of Lambda, and “Lambda functions as targets” of Elastic Load Balancing.
    var maximumAnswer: Int {
        switch self {
        case .httpV2, .restV1: 6_291_456
        case .loadBalancer: 1_000_000
        }
    }
}
