import AWSClient
import DiscfgCore
import DiscfgNotifications
import LambdaRuntime

/// `schedule`: commits expiry, trims history, finishes interrupted removals, and sends refused notifications again.
///
/// What is left when its time is up is done by the next invocation.
struct ScheduleFunction: Function {
    let maintenance: ConfigMaintenance
    let notifier: Notifier

    func answer(_ invocation: Invocation) async throws -> [UInt8] {
        try await AWSClient.$deadline.withValue(invocation.storeDeadline) {
            async let tidied: Void = maintenance.runOnce(until: invocation.deadline - .seconds(5))
            try await notifier.deliverAll(until: invocation.deadline)
            await tidied
        }
        return Array("{}".utf8)
    }
}
