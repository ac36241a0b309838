import AWSClient
import DiscfgCore
import DiscfgNotifications
import LambdaRuntime
import Logging

/// `stream`: sends the notifications of the commits in the table's stream.
///
/// The records only show which logs have new commits. Notifications are read from the log, in the order of the
/// revisions. A refusal of a target is stored, and `schedule` tries again; the stream repeats its records only if the
/// store fails.
struct StreamFunction: Function {
    let notifier: Notifier
    let logger: Logger

    func answer(_ invocation: Invocation) async throws -> [UInt8] {
        let event: StreamEvent
        do {
            event = try StreamEvent(event: JSONValue(parsing: invocation.body))
        } catch {
            throw InvocationFailure("Discfg.InvalidEvent", "The event is not one of a DynamoDB stream.")
        }
        if event.malformed > 0 {
            logger.warning("stream records passed over", metadata: ["count": "\(event.malformed)"])
        }
        let failed = await AWSClient.$deadline.withValue(invocation.storeDeadline) {
            await deliver(event.revisions.keys.sorted(), until: invocation.deadline)
        }
        return event.answer(failed: failed)
    }

    /// Sends the notifications of these configs that are due; returns the configs for which the store failed.
    private func deliver(_ configs: [ConfigName], until deadline: ContinuousClock.Instant) async -> Set<ConfigName> {
        await withTaskGroup(of: ConfigName?.self) { group in
            for config in configs {
                group.addTask {
                    do {
                        _ = try await notifier.deliver(in: config, until: deadline)
                        return nil
                    } catch let error as DiscfgError where error.code == .configNotFound {
                        // The config was deleted meanwhile, with its notifications.
                        return nil
                    } catch {
                        logger.error(
                            "notifications could not be sent",
                            metadata: ["discfg.config": "\(config)", "error": "\(error)"])
                        return config
                    }
                }
            }
            return await group.reduce(into: []) { failed, config in if let config { failed.insert(config) } }
        }
    }
}
