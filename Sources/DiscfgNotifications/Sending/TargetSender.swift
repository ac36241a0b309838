public import AWSClient
public import DiscfgCore
import Synchronization

/// Sends notifications to SNS, SQS, EventBridge and webhooks.
public final class TargetSender: NotificationSender {
    /// Creates a client for a region; `nil` is the region of the environment.
    public typealias MakeClient = @Sendable (_ region: String?) throws -> AWSClient

    private let makeClient: MakeClient
    private let webhooks: WebhookSender
    /// One for each region that has a target, created when it is first needed.
    private let clients = Mutex<[String?: AWSClient]>([:])

    /// - Parameters:
    ///   - allowsPrivateWebhooks: Whether webhooks may use plain HTTP, and loopback, private and link-local addresses.
    ///   - makeClient: Creates the clients for AWS; the sender closes them.
    public init(allowsPrivateWebhooks: Bool = false, makeClient: @escaping MakeClient) {
        webhooks = WebhookSender(policy: AddressPolicy(allowsPrivate: allowsPrivateWebhooks))
        self.makeClient = makeClient
    }

    /// Closes the connections; must be called before the sender is released.
    public func shutdown() async throws {
        let clients = clients.withLock { clients in
            defer { clients = [:] }
            return Array(clients.values)
        }
        await webhooks.shutdown()
        for client in clients { try await client.shutdown() }
    }

    /// Refuses an invalid secret, a URL that is not a queue, and a webhook whose address may not be used.
    public func check(_ rule: NotificationRule) throws(DiscfgError) {
        if let secret = rule.secret { try WebhookSecret.check(secret) }
        switch rule.target {
        case .webhook(let url): try webhooks.check(url)
        case .sqs(let url): try Self.check(queue: url)
        case .sns, .eventBridge: break
        }
    }

    /// Refuses a text that is not the URL of a queue of AWS, or of a stand-in for AWS, which has no TLS.
    private static func check(queue url: String) throws(DiscfgError) {
        let isSecure = url.hasPrefix("https://")
        let parts = url.dropFirst(isSecure ? 8 : 7).split(separator: "/", omittingEmptySubsequences: false)
        let isQueue = parts.count == 3 && parts[1].count == 12 && parts[1].allSatisfy(\.isNumber) && !parts[2].isEmpty
        let isAWS = [".amazonaws.com", ".amazonaws.com.cn"].contains { parts[0].hasSuffix($0) }
        guard isQueue, isAWS || !isSecure else {
            throw .invalid(
                "“\(url)” is not the URL of an SQS queue.",
                hint: "Write it as sqs:https://sqs.eu-west-1.amazonaws.com/123456789012/QUEUE.")
        }
    }

    /// Sends to SNS, SQS or EventBridge with a client of the target's region, or posts to a webhook.
    public func send(_ message: NotificationMessage, by rule: NotificationRule) async throws {
        // SQS refuses these two characters, which JSON may contain without an escape.
        let text = String(decoding: message.body, as: UTF8.self)
            .replacing("\u{FFFE}", with: "\\ufffe").replacing("\u{FFFF}", with: "\\uffff")
        let attributes = ["discfg-config": message.config.description, "discfg-type": message.kind.rawValue]
        do {
            switch rule.target {
            case .webhook(let url): try await webhooks.send(message, to: url, secret: rule.secret ?? "")
            case .sns(let arn):
                var request = PublishRequest(topicARN: arn, message: text, messageAttributes: attributes)
                if arn.hasSuffix(".fifo") {
                    (request.messageGroupID, request.messageDeduplicationID) = (message.config.description, message.id)
                }
                _ = try await SNS(try client(arn.arnRegion)).publish(request)
            case .sqs(let url):
                var request = SendMessageRequest(queueURL: url, messageBody: text, messageAttributes: attributes)
                if url.hasSuffix(".fifo") {
                    (request.messageGroupID, request.messageDeduplicationID) = (message.config.description, message.id)
                }
                _ = try await SQS(try client(url.queueRegion)).sendMessage(request)
            case .eventBridge(let bus):
                let entry = PutEventsEntry(
                    source: "discfg", detailType: message.kind.rawValue, detail: text, eventBusName: bus,
                    time: Double(message.time.milliseconds) / 1000)
                for result in try await EventBridge(try client(bus.arnRegion)).putEvents([entry]) {
                    _ = try result.get()
                }
            }
        } catch let error as AWSError {
            throw DeliveryFailure(error.description)
        } catch let error as DiscfgError {
            throw DeliveryFailure(error.message)
        } catch {
            if error is DeliveryFailure || error is CancellationError { throw error }
            throw DeliveryFailure("The notification could not be sent (\(type(of: error))).")
        }
    }

    private func client(_ region: String?) throws -> AWSClient {
        try clients.withLock { clients in
            if let client = clients[region] { return client }
            let client = try makeClient(region)
            clients[region] = client
            return client
        }
    }
}

extension String {
    /// The region in an ARN; `nil` if this is not an ARN or has no region.
    fileprivate var arnRegion: String? {
        let parts = split(separator: ":", omittingEmptySubsequences: false)
        return parts.count >= 6 && parts[0] == "arn" && !parts[3].isEmpty ? String(parts[3]) : nil
    }

    /// The region in the URL of a queue of AWS, `https://sqs.REGION.amazonaws.com/…`.
    fileprivate var queueRegion: String? {
        let host = dropFirst("https://".count).prefix { $0 != "/" }.split(separator: ".")
        return hasPrefix("https://sqs.") && host.count >= 4 && host[2] == "amazonaws" ? String(host[1]) : nil
    }
}
