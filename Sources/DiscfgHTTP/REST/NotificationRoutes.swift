import DiscfgCore
import Hummingbird

/// The notifications of a config: `/v1/CONFIG/notifications`.
struct NotificationRoutes: Sendable {
    let access: NotificationAccess

    func add(to table: RouteTable) {
        table.on(.get, "/v1/:cfg/notifications", list)
        table.on(.post, "/v1/:cfg/notifications", add)
        table.on(.delete, "/v1/:cfg/notifications/:id", remove)
        table.on(.post, "/v1/:cfg/notifications/:id/test", test)
        table.on(.post, "/v1/:cfg/notifications/:id/replay", replay)
    }

    /// The notifications, for the caller of a request.
    private func notifications(for call: Call) throws -> CallerNotifications { access.acting(as: try call.caller) }

    private func list(_ call: Call) async throws -> Response {
        _ = try Query(call)
        let statuses = try await notifications(for: call).notifications(of: try call.config)
        return .json { writer in
            writer.object { writer in
                writer.name("notifications")
                writer.array { for status in statuses { status.write(to: &$0) } }
            }
        }
    }

    private func add(_ call: Call) async throws -> Response {
        try call.refuseConditions()
        _ = try Query(call)
        let rule = try NotificationRule(wire: try await call.json(atMost: 64 << 10))
        let kept = try await notifications(for: call).addNotification(rule, to: try call.config)
        return .json(status: .created) { writer in
            writer.object { writer in
                writer.member("action", "add")
                writer.name("notification")
                kept.write(to: &writer, withSecret: true)
            }
        }
    }

    private func remove(_ call: Call) async throws -> Response {
        _ = try Query(call)
        let id = try call.notification
        try await notifications(for: call).removeNotification(id, from: try call.config)
        return .done("remove", id)
    }

    private func test(_ call: Call) async throws -> Response {
        _ = try Query(call)
        let id = try call.notification
        try await notifications(for: call).testNotification(id, in: try call.config)
        return .done("test", id)
    }

    private func replay(_ call: Call) async throws -> Response {
        _ = try Query(call)
        let result = try await notifications(for: call).replayNotifications(try call.notification, in: try call.config)
        return .json { result.write(to: &$0) }
    }
}

extension Call {
    /// The notification that the path names.
    fileprivate var notification: String {
        get throws { try PercentEncoding.decode(context.parameters.get("id") ?? "") }
    }
}

extension Response {
    /// That something was done with a notification.
    fileprivate static func done(_ action: String, _ id: String) -> Response {
        .json { writer in
            writer.object {
                $0.member("action", action)
                $0.member("id", id)
            }
        }
    }
}
