import DiscfgEtcd

extension RangeRequest: EtcdDecodable {
    init() { self.init(key: []) }

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "key": key = try reader.data()
        case "range_end", "rangeEnd": rangeEnd = try reader.data()
        case "limit": limit = try reader.integer()
        case "revision": revision = try reader.integer()
        case "sort_order", "sortOrder": sortOrder = try reader.choice()
        case "sort_target", "sortTarget": sortTarget = try reader.choice()
        case "serializable": serializable = try reader.flag()
        case "keys_only", "keysOnly": keysOnly = try reader.flag()
        case "count_only", "countOnly": countOnly = try reader.flag()
        case "min_mod_revision", "minModRevision": minModRevision = try reader.integer()
        case "max_mod_revision", "maxModRevision": maxModRevision = try reader.integer()
        case "min_create_revision", "minCreateRevision": minCreateRevision = try reader.integer()
        case "max_create_revision", "maxCreateRevision": maxCreateRevision = try reader.integer()
        default: try reader.skip()
        }
    }
}

extension RangeResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.header(header)
        writer.objects("kvs", kvs) { $0.keyValue($1) }
        writer.flag("more", more)
        writer.integer("count", count)
    }
}

extension PutRequest: EtcdDecodable {
    init() { self.init(key: []) }

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "key": key = try reader.data()
        case "value": value = try reader.data()
        case "lease": lease = try reader.integer()
        case "prev_kv", "prevKv": prevKv = try reader.flag()
        case "ignore_value", "ignoreValue": ignoreValue = try reader.flag()
        case "ignore_lease", "ignoreLease": ignoreLease = try reader.flag()
        default: try reader.skip()
        }
    }
}

extension PutResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.header(header)
        if let prevKv { writer.object("prev_kv") { $0.keyValue(prevKv) } }
    }
}

extension DeleteRangeRequest: EtcdDecodable {
    init() { self.init(key: []) }

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "key": key = try reader.data()
        case "range_end", "rangeEnd": rangeEnd = try reader.data()
        case "prev_kv", "prevKv": prevKv = try reader.flag()
        default: try reader.skip()
        }
    }
}

extension DeleteRangeResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.header(header)
        writer.integer("deleted", deleted)
        writer.objects("prev_kvs", prevKvs) { $0.keyValue($1) }
    }
}

extension CompactionRequest: EtcdDecodable {
    init() { self.init(revision: 0) }

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "revision": revision = try reader.integer()
        case "physical": physical = try reader.flag()
        default: try reader.skip()
        }
    }
}
