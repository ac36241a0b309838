import DiscfgCore
import Testing

@testable import DiscfgNotifications

@Suite("Rules that a sender takes")
struct RuleCheckTests {
    private struct NoClient: Error {}

    private func refusal(_ target: String, secret: String? = nil) throws -> String? {
        let sender = TargetSender { _ in throw NoClient() }
        let rule = try NotificationRule(to: NotificationTarget(target), secret: secret)
        do throws(DiscfgError) {
            try sender.check(rule)
            return nil
        } catch {
            #expect(error.code == .invalidRequest)
            return error.message
        }
    }

    @Test("The bytes of a secret's key are counted, and not those of its text")
    func secrets() throws {
        let hook = "https://hooks.example/in"
        #expect(try refusal(hook, secret: "whsec_AA==") == "The secret's key has 1 bytes; the minimum is 8.")
        #expect(try refusal(hook, secret: "whsec_!!") == "The part of the secret after “whsec_” is not base64.")
        #expect(try refusal(hook, secret: WebhookSecret.generate()) == nil)
        #expect(try refusal(hook, secret: "whsec_AAAAAAAAAAA=") == nil)
        #expect(try refusal(hook, secret: "12345678") == nil)
    }

    @Test("A queue is AWS's, or a stand-in's")
    func queues() throws {
        for url in [
            "http://127.0.0.1:1/x", "https://evil.com/1/q", "https://evil.com/123456789012/q",
            "https://sqs.eu-west-1.amazonaws.com/q",
        ] {
            #expect(try refusal("sqs:\(url)") == "“\(url)” is not the URL of an SQS queue.")
        }
        for url in [
            "https://sqs.eu-west-1.amazonaws.com/123456789012/q",
            "https://sqs.cn-north-1.amazonaws.com.cn/123456789012/q.fifo",
            "https://vpce-1-a.sqs.eu-west-1.vpce.amazonaws.com/123456789012/q", "http://127.0.0.1:4566/000000000000/q",
        ] {
            #expect(try refusal("sqs:\(url)") == nil)
        }
    }
}
