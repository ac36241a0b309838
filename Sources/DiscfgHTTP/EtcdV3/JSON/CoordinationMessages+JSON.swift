import DiscfgEtcd

extension LockRequest: EtcdDecodable {
    init() { self.init(name: []) }

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "name": self.name = try reader.data()
        case "lease": lease = try reader.integer()
        default: try reader.skip()
        }
    }
}

extension LockResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.header(header)
        writer.data("key", key)
    }
}

/// A request of one field of bytes: a lock's key, or an election's name.
struct NameRequest: EtcdDecodable {
    private(set) var bytes: [UInt8] = []

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "name", "key": bytes = try reader.data()
        default: try reader.skip()
        }
    }
}

extension LeaderKey: EtcdDecodable {
    init() { self.init(name: []) }

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "name": self.name = try reader.data()
        case "key": key = try reader.data()
        case "rev": rev = try reader.integer()
        case "lease": lease = try reader.integer()
        default: try reader.skip()
        }
    }
}

extension CampaignRequest: EtcdDecodable {
    init() { self.init(name: []) }

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "name": self.name = try reader.data()
        case "lease": lease = try reader.integer()
        case "value": value = try reader.data()
        default: try reader.skip()
        }
    }
}

extension CampaignResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.header(header)
        writer.object("leader") {
            $0.data("name", leader.name)
            $0.data("key", leader.key)
            $0.integer("rev", leader.rev)
            $0.integer("lease", leader.lease)
        }
    }
}

/// Also what resigns, which has no value.
extension ProclaimRequest: EtcdDecodable {
    init() { self.init(leader: nil) }

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "leader": leader = try reader.message()
        case "value": value = try reader.data()
        default: try reader.skip()
        }
    }
}

extension LeaderResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.header(header)
        writer.object("kv") { $0.keyValue(kv) }
    }
}
