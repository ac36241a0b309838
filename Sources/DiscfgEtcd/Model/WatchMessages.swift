/// A request on a stream of watches.
package enum WatchRequest: Sendable, Hashable {
    case create(WatchCreateRequest)
    /// Ends the watch of that id.
    case cancel(Int64)
    /// Requests the revision up to which everything was delivered.
    case progress
}

/// A watch to create.
package struct WatchCreateRequest: Sendable, Hashable {
    package enum Filter: Int, Sendable, CaseIterable { case noPut, noDelete }

    package var key: [UInt8]
    package var rangeEnd: [UInt8]
    /// The first revision whose events are requested; 0 for all events from now on.
    package var startRevision: Int64
    /// Whether to report progress from time to time if there are no events.
    package var progressNotify = false
    package var filters: [Filter] = []
    package var prevKv = false
    /// The watch's id; 0 for one that the stream chooses.
    package var watchID: Int64 = 0
    /// Whether large answers may be split.
    package var fragment = false

    package init(key: [UInt8] = [], rangeEnd: [UInt8] = [], startRevision: Int64 = 0) {
        self.key = key
        self.rangeEnd = rangeEnd
        self.startRevision = startRevision
    }
}

package struct WatchResponse: Sendable, Hashable {
    /// The id in answers that belong to no watch, or to all watches of the stream.
    package static let noWatch: Int64 = -1

    package var header: ResponseHeader
    package var watchID: Int64
    package var created = false
    package var canceled = false
    /// The lowest revision that can be watched, if the requested one cannot.
    package var compactRevision: Int64 = 0
    package var cancelReason = ""
    /// Whether more events of the same revision follow.
    package var fragment = false
    package var events: [Event]

    package init(header: ResponseHeader, watchID: Int64, events: [Event] = []) {
        self.header = header
        self.watchID = watchID
        self.events = events
    }

    /// The approximate number of bytes of its events.
    package var weight: Int { events.reduce(0) { $0 + $1.weight } }
}
