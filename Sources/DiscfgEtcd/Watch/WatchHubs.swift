import DiscfgCore
import Synchronization

/// The hubs of the currently watched configs.
final class WatchHubs: Sendable {
    private let store: ConfigService
    private let time: TimeSource
    private let hubs = Mutex<[ConfigName: WatchHub]>([:])

    init(store: ConfigService, time: TimeSource) {
        self.store = store
        self.time = time
    }

    /// Adds a watch to its config's hub.
    ///
    /// - Parameters:
    ///   - config: The config.
    ///   - range: The keys.
    ///   - stream: The stream that gets the events.
    ///   - tail: The end of the config's log now.
    /// - Returns: The hub, the watch's number in it, and the revision after which the hub announces commits.
    func join(
        _ config: ConfigName, range: KeyRange, stream: WatchStream, at tail: LogTail
    ) -> (hub: WatchHub, id: Int, position: Revision) {
        hubs.withLock { hubs in
            // The hub of a log that has ended stays with its watches, and reports the end to them.
            let known = hubs[config].flatMap { $0.log == tail.incarnation ? $0 : nil }
            let hub = known ?? WatchHub(config: config, log: tail.incarnation, store: store, time: time)
            hubs[config] = hub
            let (id, position) = hub.add(range, stream: stream, at: tail.revision)
            return (hub, id, position)
        }
    }

    /// Removes a watch; a hub without watches is removed, so that unwatched names are not kept.
    func leave(_ hub: WatchHub, id: Int) {
        hubs.withLock { hubs in
            if hub.remove(id), hubs[hub.config] === hub { hubs[hub.config] = nil }
        }
    }
}
