import DiscfgEtcd

extension StatusResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.header(header)
        writer.text("version", version)
        writer.integer("dbSize", dbSize)
        writer.integer("leader", leader)
        writer.integer("raftIndex", raftIndex)
        writer.integer("raftTerm", raftTerm)
        writer.integer("raftAppliedIndex", raftAppliedIndex)
        writer.integer("dbSizeInUse", dbSizeInUse)
    }
}

extension AlarmRequest: EtcdDecodable {
    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "action": action = try reader.choice()
        case "memberID": memberID = try reader.unsigned()
        case "alarm": alarm = try reader.choice()
        default: try reader.skip()
        }
    }
}

extension HashResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.header(header)
        // As the hash of 3.4 has it, without the compacted revision.
        writer.number("hash", Int(hash))
    }
}

extension SnapshotResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.integer("remaining_bytes", remainingBytes)
        writer.data("blob", blob)
    }
}

extension MemberListResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.header(header)
        writer.objects("members", members) { writer, member in
            writer.integer("ID", member.id)
            writer.text("name", member.name)
            writer.list("peerURLs", member.peerURLs) { $0.text($1) }
            writer.list("clientURLs", member.clientURLs) { $0.text($1) }
        }
    }
}

/// A request that names a user or a role.
struct AuthNameRequest: EtcdDecodable {
    private(set) var name = ""

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "name": self.name = try reader.text()
        default: try reader.skip()
        }
    }
}
