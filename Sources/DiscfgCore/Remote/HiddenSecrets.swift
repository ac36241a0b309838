extension ConfigRecord {
    /// The record for a remote engine.
    var withoutSecrets: ConfigRecord {
        var record = self
        record.settings = settings.withoutSecrets
        return record
    }
}

extension ConfigSettings {
    /// Stands for a secret that only the store has; no secret that anybody chooses.
    private static let hiddenSecret = "(hidden secret)"

    /// The settings in which marks stand for the secrets of notifications, and for the queries of their URLs.
    var withoutSecrets: ConfigSettings {
        var settings = self
        for index in settings.notifications.indices {
            let rule = settings.notifications[index]
            if rule.secret != nil { settings.notifications[index].secret = Self.hiddenSecret }
            if case .webhook = rule.target { settings.notifications[index].target = .webhook(rule.target.shown) }
        }
        return settings
    }

    /// The settings with the secrets of earlier ones in place of the marks.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest` for a mark that stands for nothing.
    func restoringSecrets(of earlier: ConfigSettings) throws(DiscfgError) -> ConfigSettings {
        var settings = self
        try settings.restoreHiddenTargets(from: earlier)
        for index in settings.notifications.indices
        where settings.notifications[index].secret == Self.hiddenSecret {
            let id = settings.notifications[index].id
            guard let secret = earlier.notifications.first(where: { $0.id == id })?.secret else {
                throw .invalid(
                    "The secret of notification “\(id)” is hidden.", hint: "Give the notification a secret of its own.")
            }
            settings.notifications[index].secret = secret
        }
        return settings
    }
}
