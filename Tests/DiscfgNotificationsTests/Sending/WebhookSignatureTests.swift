import Crypto
import Foundation
import Testing

@testable import DiscfgNotifications

@Suite("Signatures of webhooks")
struct WebhookSignatureTests {
    private func signature(_ secret: String, _ id: String, _ seconds: Int64, _ body: String) -> String? {
        WebhookSecret(secret).fields(id: id, seconds: seconds, body: Array(body.utf8))
            .first { $0.name == "webhook-signature" }?.value
    }

    @Test("They are what Standard Webhooks has published")
    func published() {
        #expect(
            signature(
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330,
                #"{"test": 2432232314}"#) == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect(
            signature("plain secret", "msg_1", 1_614_265_330, "{}") == "v1,C5ubqbTBZ8i/l1lkQbwICQ7g7acl3F/5ea9vZjveiyY="
        )
    }

    @Test("Any other text is the key by its bytes, also what begins like a secret and is no base64")
    func others() {
        for secret in ["whsec_no base64!", "WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "ü🦊 secret"] {
            let code = HMAC<SHA256>.authenticationCode(
                for: Data("m.1.body".utf8), using: SymmetricKey(data: Data(secret.utf8)))
            #expect(signature(secret, "m", 1, "body") == "v1,\(Data(code).base64EncodedString())")
        }
    }

    @Test("Secrets that are made are 24 random bytes, and nothing of them is shown")
    func generated() throws {
        let secret = WebhookSecret.generate()
        #expect(Data(base64Encoded: String(secret.dropFirst(6)))?.count == 24)
        var shown = ""
        dump(WebhookSecret("plain secret"), to: &shown)
        #expect(!shown.contains("plain") && !"\(WebhookSecret("plain secret"))".contains("plain"))
    }
}
