import DiscfgCore
import Logging

extension EtcdService {
    /// The state of the server.
    ///
    /// The Raft indexes of etcd are the config's revision here.
    package func status() async throws(EtcdError) -> StatusResponse {
        try await answer {
            let header = try await currentHeader()
            let size = await options.storeSize()
            let index = UInt64(max(0, header.revision))
            return StatusResponse(
                header: header, version: options.version, dbSize: size, leader: identity.memberID, raftIndex: index,
                raftTerm: Self.raftTerm, raftAppliedIndex: index, dbSizeInUse: size)
        }
    }

    /// Lists alarms, of which there are none, or disarms them; a request to raise one is refused.
    package func alarm(_ request: AlarmRequest) throws(EtcdError) {
        guard request.action != .activate else {
            throw .unsupported("Alarms are not raised by hand. Take write access away from the store instead.")
        }
    }

    /// Does nothing: stores do this work themselves.
    package func defragment() {
        logger.info("defragment was asked for; a store needs none", metadata: ["discfg.config": "\(config)"])
    }

    /// A hash of all keys at a revision; 0 for the current one.
    ///
    /// It is the same on all servers of one store. It is computed from discfg's data, so it is never the same as
    /// etcd's.
    package func hash(revision: Int64 = 0) async throws(EtcdError) -> HashResponse {
        try await answer {
            let tail = try await store.tail(of: config)
            guard revision <= tail.revision else { throw EtcdError.futureRevision }
            guard revision <= 0 || revision > tail.compacted else { throw EtcdError.compacted }
            var hash = KeyHash()
            var items = SnapshotItems(self, at: revision > 0 ? revision : tail.revision)
            while let page = try await items.next() {
                for item in page { hash.add(item) }
            }
            return HashResponse(header: header(tail.revision), hash: hash.value, compactRevision: tail.compacted)
        }
    }

    /// Moves the leadership to this server, which is the only member.
    package func moveLeader(to id: UInt64) throws(EtcdError) {
        guard id == identity.memberID else { throw .badLeaderTransferee }
    }

    /// Refuses: the version that clients get does not change.
    package func downgrade() throws(EtcdError) -> Never {
        throw .unsupported("There is no other version to go back to.")
    }
}

/// FNV-1a of 32 bits over keys, with everything that etcd shows of them.
private struct KeyHash {
    private(set) var value: UInt32 = 0x811C_9DC5

    mutating func add(_ item: Item) {
        for bytes in [item.key.bytes, item.value.bytes] {
            add(Int64(bytes.count))
            for byte in bytes { add(byte) }
        }
        for number in [item.created, item.modified, item.version, item.lease ?? 0] { add(number) }
    }

    private mutating func add(_ number: Int64) {
        for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> Int64(shift))) }
    }

    private mutating func add(_ byte: UInt8) { value = (value ^ UInt32(byte)) &* 0x0100_0193 }
}
