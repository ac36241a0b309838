/// The notifications of a store on behalf of one caller.
public struct CallerNotifications: Sendable {
    private let notifications: any NotificationStore
    /// The caller.
    public let caller: Caller

    fileprivate init(_ notifications: any NotificationStore, caller: Caller) {
        self.notifications = notifications
        self.caller = caller
    }
}

/// Notifications that can be used only on behalf of a caller: what an API holds instead of the notifications.
public struct NotificationAccess: Sendable {
    private let notifications: any NotificationStore

    /// Access to notifications.
    public init(_ notifications: any NotificationStore) { self.notifications = notifications }

    /// The notifications for a caller.
    public func acting(as caller: Caller) -> CallerNotifications { notifications.acting(as: caller) }
}

extension NotificationStore {
    /// The notifications on behalf of a caller.
    public func acting(as caller: Caller) -> CallerNotifications { CallerNotifications(self, caller: caller) }
}

extension CallerNotifications: NotificationStore {
    /// Reads the rules from the store.
    public func notifications(of config: ConfigName) async throws -> [NotificationStatus] {
        try await notifications.notifications(of: config)
    }

    /// Adds the rule to the store.
    public func addNotification(_ rule: NotificationRule, to config: ConfigName) async throws -> NotificationRule {
        try await notifications.addNotification(rule, to: config)
    }

    /// Removes the rule from the store.
    public func removeNotification(_ id: String, from config: ConfigName) async throws {
        try await notifications.removeNotification(id, from: config)
    }

    /// Lets the store send the test.
    public func testNotification(_ id: String, in config: ConfigName) async throws {
        try await notifications.testNotification(id, in: config)
    }

    /// Lets the store send the dead letters again.
    public func replayNotifications(_ id: String, in config: ConfigName) async throws -> NotificationReplay {
        try await notifications.replayNotifications(id, in: config)
    }
}
