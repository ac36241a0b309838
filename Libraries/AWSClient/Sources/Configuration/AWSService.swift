/// A service of AWS, as far as its addresses and signatures go.
public struct AWSService: Sendable, Hashable {
    /// As in settings and, in capitals, in variables: `dynamodb_streams` for `AWS_ENDPOINT_URL_DYNAMODB_STREAMS`.
    public let identifier: String
    /// What the host's name begins with, such as `streams.dynamodb`.
    public let endpointPrefix: String
    /// The name in signatures, such as `dynamodb`.
    public let signingName: String

    init(_ signingName: String, endpointPrefix: String? = nil, identifier: String? = nil) {
        self.signingName = signingName
        self.endpointPrefix = endpointPrefix ?? signingName
        self.identifier = identifier ?? signingName
    }

    /// Amazon DynamoDB.
    public static let dynamoDB = AWSService("dynamodb")
    /// The change streams of Amazon DynamoDB, which have hosts of their own.
    public static let dynamoDBStreams = AWSService(
        "dynamodb", endpointPrefix: "streams.dynamodb", identifier: "dynamodb_streams")
    /// Amazon EventBridge, whose hosts and signatures have the name of its predecessor, CloudWatch Events.
    public static let eventBridge = AWSService("events", identifier: "eventbridge")
    /// AWS Key Management Service.
    public static let kms = AWSService("kms")
    /// AWS Lambda.
    public static let lambda = AWSService("lambda")
    /// Amazon Simple Notification Service.
    public static let sns = AWSService("sns")
    /// Amazon Simple Queue Service.
    public static let sqs = AWSService("sqs")
    /// AWS Security Token Service.
    public static let sts = AWSService("sts")
}
