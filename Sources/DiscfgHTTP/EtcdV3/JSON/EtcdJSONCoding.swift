import DiscfgEtcd

/// A request that can be read out of JSON.
protocol EtcdDecodable: Sendable {
    init()
    /// Reads the member of a name, or skips it.
    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError)
}

extension EtcdDecodable {
    /// The request that stands next.
    init(from reader: inout EtcdJSONReader) throws(EtcdError) {
        self.init()
        try reader.object { reader, name throws(EtcdError) in try read(name, from: &reader) }
    }

    /// The request that a body is; an empty body is an empty request.
    init(body: [UInt8]) throws(EtcdError) {
        guard !body.isEmpty else {
            self.init()
            return
        }
        var reader = EtcdJSONReader(body)
        try self.init(from: &reader)
    }
}

extension EtcdJSONReader {
    /// Reads a request that is part of another; `nil` for nothing.
    mutating func message<Message: EtcdDecodable>(_: Message.Type = Message.self) throws(EtcdError) -> Message? {
        if try takeNull() { return nil }
        return try Message(from: &self)
    }
}

/// An answer that can be written as JSON.
protocol EtcdEncodable: Sendable {
    /// Writes the members.
    func write(to writer: inout EtcdJSONWriter)
}

extension EtcdEncodable {
    /// The answer as JSON.
    var json: [UInt8] {
        var writer = EtcdJSONWriter()
        writer.object { write(to: &$0) }
        return writer.bytes
    }
}

/// A request without fields.
struct EmptyRequest: EtcdDecodable {
    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) { try reader.skip() }
}

/// An answer without anything.
struct EmptyResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {}
}

/// An answer of nothing but a header.
struct HeaderResponse: EtcdEncodable {
    let header: ResponseHeader

    func write(to writer: inout EtcdJSONWriter) { writer.header(header) }
}

extension EtcdJSONWriter {
    mutating func header(_ header: ResponseHeader) {
        object("header") {
            $0.integer("cluster_id", header.clusterID)
            $0.integer("member_id", header.memberID)
            $0.integer("revision", header.revision)
            $0.integer("raft_term", header.raftTerm)
        }
    }

    /// The members of a key with its value.
    mutating func keyValue(_ kv: KeyValue) {
        data("key", kv.key)
        integer("create_revision", kv.createRevision)
        integer("mod_revision", kv.modRevision)
        integer("version", kv.version)
        data("value", kv.value)
        integer("lease", kv.lease)
    }
}
