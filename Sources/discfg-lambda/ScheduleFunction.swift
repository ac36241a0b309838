import AWSClient
import DiscfgCore
import DiscfgNotifications
import LambdaRuntime

/// `schedule`: commits what is overdue, forgets old history, finishes what was interrupted, and sends notifications again that
/// were refused.
///
/// What it does not come to before its time is over, it does the next time.
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
