@testable import DiscfgNotifications

extension WebhookSender {
    /// Runs a test with a sender that may send to this machine, and closes it; its limits of time are not reached on a busy machine.
    static func with<Result>(
        timeout: Duration = .seconds(600),
        limits: WebhookConnections.Limits = .init(idleTime: .seconds(600), bodyTime: .seconds(60)),
        lookUp: @escaping LookUp = WebhookSender.systemLookUp,
        _ test: (WebhookSender) async throws -> Result
    ) async throws -> Result {
        let sender = WebhookSender(
            policy: AddressPolicy(allowsPrivate: true), timeout: timeout, limits: limits, lookUp: lookUp)
        do {
            let result = try await test(sender)
            await sender.shutdown()
            return result
        } catch {
            await sender.shutdown()
            throw error
        }
    }
}
