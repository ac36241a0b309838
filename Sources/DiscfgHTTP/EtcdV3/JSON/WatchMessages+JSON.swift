import DiscfgEtcd

/// What a client asks on a stream of watches, as the gateway wraps it.
struct WatchMessage: EtcdDecodable {
    /// `nil` if nothing was asked that is known.
    private(set) var request: WatchRequest?

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "create_request", "createRequest": request = try reader.message().map { .create($0) }
        case "cancel_request", "cancelRequest": request = try reader.message(Cancel.self).map { .cancel($0.id) }
        case "progress_request", "progressRequest":
            request = try reader.message(EmptyRequest.self).map { _ in .progress }
        default: try reader.skip()
        }
    }

    private struct Cancel: EtcdDecodable {
        var id: Int64 = 0

        mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
            switch name {
            case "watch_id", "watchId": id = try reader.integer()
            default: try reader.skip()
            }
        }
    }
}

extension WatchCreateRequest: EtcdDecodable {
    init() { self.init(key: []) }

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "key": key = try reader.data()
        case "range_end", "rangeEnd": rangeEnd = try reader.data()
        case "start_revision", "startRevision": startRevision = try reader.integer()
        case "progress_notify", "progressNotify": progressNotify = try reader.flag()
        case "prev_kv", "prevKv": prevKv = try reader.flag()
        case "watch_id", "watchId": watchID = try reader.integer()
        case "fragment": fragment = try reader.flag()
        case "filters": try reader.array { reader throws(EtcdError) in filters.append(try reader.choice()) }
        default: try reader.skip()
        }
    }
}

extension WatchResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.header(header)
        writer.integer("watch_id", watchID)
        writer.flag("created", created)
        writer.flag("canceled", canceled)
        writer.integer("compact_revision", compactRevision)
        writer.text("cancel_reason", cancelReason)
        writer.flag("fragment", fragment)
        writer.objects("events", events) { writer, event in
            if event.kind == .delete { writer.text("type", "DELETE") }
            writer.object("kv") { $0.keyValue(event.kv) }
            if let previous = event.prevKv { writer.object("prev_kv") { $0.keyValue(previous) } }
        }
    }
}
