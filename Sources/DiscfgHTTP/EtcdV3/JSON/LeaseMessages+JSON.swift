import DiscfgEtcd

extension LeaseGrantRequest: EtcdDecodable {
    init() { self.init(ttl: 0) }

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "TTL": ttl = try reader.integer()
        case "ID": id = try reader.integer()
        default: try reader.skip()
        }
    }
}

extension LeaseGrantResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.header(header)
        writer.integer("ID", id)
        writer.integer("TTL", ttl)
    }
}

/// A request that names a lease, or a member.
struct IDRequest<ID: FixedWidthInteger & Sendable>: EtcdDecodable {
    private(set) var id: ID = 0

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "ID", "targetID":
            id =
                ID.isSigned
                ? ID(truncatingIfNeeded: try reader.integer())
                : ID(truncatingIfNeeded: try reader.unsigned())
        default: try reader.skip()
        }
    }
}

extension LeaseKeepAliveResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.header(header)
        writer.integer("ID", id)
        writer.integer("TTL", ttl)
    }
}

extension LeaseTimeToLiveRequest: EtcdDecodable {
    init() { self.init(id: 0) }

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "ID": id = try reader.integer()
        case "keys": keys = try reader.flag()
        default: try reader.skip()
        }
    }
}

extension LeaseTimeToLiveResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.header(header)
        writer.integer("ID", id)
        writer.integer("TTL", ttl)
        writer.integer("grantedTTL", grantedTTL)
        writer.list("keys", keys) { $0.data($1) }
    }
}

extension LeaseLeasesResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.header(header)
        writer.objects("leases", leases) { $0.integer("ID", $1) }
    }
}
