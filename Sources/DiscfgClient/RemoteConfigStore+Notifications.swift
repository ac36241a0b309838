public import DiscfgModel
import NIOHTTP1

extension RemoteConfigStore: NotificationStore {
    /// `GET /v1/CFG/notifications`: the rules without their secrets.
    public func notifications(of config: ConfigName) async throws -> [NotificationStatus] {
        let answer = try await connection.send(.GET, "/v1/\(config)/notifications")
        return try (answer["notifications"]?.array ?? []).map { value throws in try NotificationStatus(wire: value) }
    }

    /// `POST /v1/CFG/notifications`: sends the rule with its secret, if it has one.
    public func addNotification(_ rule: NotificationRule, to config: ConfigName) async throws -> NotificationRule {
        let body = JSONWriter.bytes { rule.write(to: &$0, withSecret: true) }
        let answer = try await connection.send(.POST, "/v1/\(config)/notifications", body: body)
        return try NotificationRule(wire: answer["notification"] ?? .null)
    }

    /// `DELETE /v1/CFG/notifications/ID`.
    public func removeNotification(_ id: String, from config: ConfigName) async throws {
        _ = try await connection.send(.DELETE, path(of: id, in: config))
    }

    /// `POST /v1/CFG/notifications/ID/test`: the server sends the test, and answers when it was sent.
    public func testNotification(_ id: String, in config: ConfigName) async throws {
        _ = try await connection.send(.POST, path(of: id, in: config) + "/test")
    }

    /// `POST /v1/CFG/notifications/ID/replay`: the server sends a part of the dead letters for each request.
    public func replayNotifications(_ id: String, in config: ConfigName) async throws -> NotificationReplay {
        try NotificationReplay(wire: try await connection.send(.POST, path(of: id, in: config) + "/replay"))
    }

    private func path(of id: String, in config: ConfigName) -> String {
        "/v1/\(config)/notifications/\(PercentEncoding.encode(id.utf8))"
    }
}
