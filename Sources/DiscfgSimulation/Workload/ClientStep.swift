import DiscfgCore
import DiscfgEtcd
import DynamoDBPatterns
import DynamoDBPatternsTesting
import Synchronization

/// One step of a client.
struct ClientStep {
    let client: Client
    let server: Server
    private var simulation: Simulation { client.simulation }

    /// A key that many write.
    private func key() throws -> Key { try Key(path: ["/a", "/b", "/d/x", "/d/y"][simulation.choose(4)]) }
    private func register() throws -> Key { try Key(path: "/r/\(simulation.choose(2))") }

    func perform(_ step: Step) async throws {
        switch step {
        case .set: try await set(try key(), .never)
        case .expiring: try await set(try key(), .after(.milliseconds(500 + simulation.choose(3000))))
        case .compareAndSet: try await compareAndSet()
        case .create: try await create()
        case .delete: try await commit([.delete(try key())])
        case .deleteAll: try await commit([.deleteAll(try .below("/d"))])
        case .setPair: try await setPair()
        case .readPair: try await readPair()
        case .patch: try await commit([.patch(try Key(path: "/p"), try document())])
        case .get: try await get(try key(), .strong)
        case .staleGet: try await get(try key(), .eventual)
        case .getAt: try await getAt()
        case .list: try await list(.strong)
        case .staleList: try await list(.eventual)
        case .listAt: try await list(.strong, at: pastRevision())
        case .follow: try await follow()
        case .grant: try await grant()
        case .leasedSet: try await leasedSet()
        case .renew: try await renew()
        case .revoke: try await revoke()
        case .lock: try await lock()
        case .rollback: try await rollback()
        case .compact: try await compact()
        case .deleteConfig, .createConfig, .setOther, .getOther: try await performOnOther(step)
        case .writeRegister, .readRegister, .replaceRegister: try await performOnRegister(step)
        }
    }

    /// Commits operations of the client, and remembers what it was answered.
    @discardableResult
    private func commit(
        if preconditions: [Precondition] = [], _ then: [DiscfgCore.Operation],
        else other: [DiscfgCore.Operation] = [], to config: ConfigName = Scenario.main,
        value: ((String) -> [DiscfgCore.Operation])? = nil
    ) async throws -> TransactionResult? {
        // The value of what is set is the author, which is unique.
        let author = "op-\(client.store.history.entries.count)"
        let operations = value.map { $0(author) } ?? then
        let transaction = Transaction(if: preconditions, then: operations, else: other, author: author)
        let result = try await client.ask(.commit(transaction), on: config, of: server) { _ in
            try await server.service.commit(transaction, to: config)
        } answer: {
            .result($0)
        }
        guard let result, config == Scenario.main else { return result }
        client.memory.withLock { memory in
            for item in result.outcomes.compactMap(\.item) { memory.revisions[item.key] = item.modified }
            if let failed = result.failed { memory.revisions[failed.key] = result.current?.modified ?? 0 }
        }
        return result
    }

    private func document() throws -> JSONValue {
        .object(JSONObject([("c\(client.store.history.entries.count)", .bool(true))]))
    }

    private func set(_ key: Key, _ expiry: DiscfgCore.Operation.Expiry) async throws {
        try await commit([]) { [.set(key, Value($0), expiry: expiry)] }
    }

    private func compareAndSet() async throws {
        let key = try key()
        let known = client.memory.withLock { $0.revisions[key] ?? 0 }
        let result = try await commit(if: [Precondition(key, .revision(known))], []) { [.set(key, Value($0))] }
        // What was refused is tried again with what was seen.
        guard let result, result.failed != nil else { return }
        let condition = Precondition(key, .revision(result.current?.modified ?? 0))
        try await commit(if: [condition], []) { [.set(key, Value($0))] }
    }

    private func create() async throws {
        let key = try key()
        try await commit(if: [Precondition(key, .absent)], [], else: [.get(key)]) { [.set(key, Value($0))] }
    }

    private func setPair() async throws {
        let (first, second) = (try Key(path: "/a"), try Key(path: "/b"))
        try await commit([]) { [.set(first, Value($0)), .set(second, Value($0))] }
    }

    private func readPair() async throws {
        try await commit([
            .get(try Key(path: "/a")), .get(try Key(path: "/b")), .getAll(.prefix(Array("/d/".utf8))),
        ])
    }

    private func get(_ key: Key, _ consistency: Consistency, at revision: Revision? = nil) async throws {
        let reading = try await client.ask(.get(key, at: revision, consistency), of: server) { _ -> Reading? in
            do {
                return try await server.service.get(
                    key, in: Scenario.main, at: revision, consistency: consistency)
            } catch let error as DiscfgError where error.code == .keyNotFound {
                return nil
            }
        } answer: {
            .reading($0)
        }
        guard let reading, let reading, revision == nil else { return }
        client.memory.withLock { memory in
            memory.revisions[key] = reading.item.modified
            memory.position = max(memory.position, reading.revision)
        }
    }

    private func pastRevision() -> Revision {
        let newest = client.memory.withLock { $0.position }
        return max(1, newest - Revision(simulation.choose(5)))
    }

    private func getAt() async throws { try await get(try key(), .strong, at: pastRevision()) }

    private func list(_ consistency: Consistency, at revision: Revision? = nil) async throws {
        let directory = ["", "/d"][simulation.choose(2)]
        let listing = try await client.ask(.list(directory, at: revision, consistency), of: server) { _ in
            let query = ListQuery(directory, isRecursive: true, at: revision, consistency: consistency)
            return try await server.service.list(query, in: Scenario.main)
        } answer: {
            .listing($0)
        }
        guard revision == nil, consistency == .strong, let seen = listing?.revision else { return }
        client.memory.withLock { $0.position = max($0.position, seen) }
    }

    private func follow() async throws {
        let position = client.memory.withLock { $0.position }
        let selection = simulation.chance(percent: 30) ? try KeySelection.below("/d") : .all
        let wait: Duration? = simulation.chance(percent: 60) ? .milliseconds(300 + simulation.choose(2000)) : nil
        let page = try await client.ask(.changes(after: position, selection), of: server) { _ in
            try await server.service.changes(
                ChangesQuery(after: position, selection: selection, wait: wait), in: Scenario.main)
        } answer: {
            .page($0)
        }
        guard let page else { return client.memory.withLock { $0.position = max($0.position, 1) } }
        client.memory.withLock { $0.position = max($0.position, page.scanned) }
    }

    // MARK: Leases and locks

    @discardableResult
    private func grant() async throws -> Lease? {
        let ttl: Duration = .seconds(2 + simulation.choose(3))
        let lease = try await client.ask(.grant(ttl), of: server) { _ in
            try await server.service.grantLease(nil, ttl: ttl, in: Scenario.main)
        } answer: {
            .lease($0)
        }
        if let lease { client.memory.withLock { $0.leases.append(lease.id) } }
        return lease
    }

    private func lease() -> Int64? {
        let leases = client.memory.withLock { $0.leases }
        return leases.isEmpty ? nil : leases[simulation.choose(leases.count)]
    }

    private func leasedSet() async throws {
        guard let lease = lease() else { return _ = try await grant() }
        let key = try Key(path: "/l/\(simulation.choose(3))")
        try await set(key, .lease(lease))
    }

    private func renew() async throws {
        guard let lease = lease() else { return _ = try await grant() }
        _ = try await client.ask(.renew(lease), of: server) { _ in
            try await server.service.renewLease(lease, in: Scenario.main)
        } answer: {
            .lease($0)
        }
    }

    private func revoke(_ id: Int64? = nil) async throws {
        guard let lease = id ?? lease() else { return }
        _ = try await client.ask(.revoke(lease), of: server) { author in
            try await server.service.revokeLease(lease, author: author, in: Scenario.main)
        } answer: {
            .revision($0)
        }
    }

    private func lock() async throws {
        guard let lease = try await grant() else { return }
        // A client that lost its lease does not know that it has the lock: the check counts from the lease.
        let who = "\(client.name) lease \(lease.id)"
        let response = try await client.ask(.lock(client: who), of: server) { _ in
            try await server.etcd.lock(LockRequest(name: Array("/m".utf8), lease: lease.id))
        } answer: { _ in
            .lease(lease)
        }
        guard let response else { return try await revoke(lease.id) }
        try await server.process.clock.sleep(.milliseconds(simulation.choose(200)))
        _ = try await client.ask(.unlock(client: who), of: server) { _ in
            try await server.etcd.unlock(response.key)
        } answer: { _ in
            .done
        }
        if simulation.chance(percent: 50) { try await revoke(lease.id) }
    }

    // MARK: History

    private func rollback() async throws {
        let (to, selection) = (pastRevision(), try KeySelection.below("/d"))
        _ = try await client.ask(.rollback(to: to, selection), of: server) { author in
            try await server.service.rollback(
                RollbackRequest(to: to, selection: selection, author: author), in: Scenario.main)
        } answer: {
            .rollback($0)
        }
    }

    private func compact() async throws {
        let revision = pastRevision()
        _ = try await client.ask(.compact(revision), of: server) { _ in
            try await server.service.compact(Scenario.main, keeping: .through(revision))
        } answer: {
            .revision($0)
        }
    }

    // MARK: The config that is deleted and created again

    private func performOnOther(_ step: Step) async throws {
        let other = Scenario.other
        switch step {
        case .deleteConfig:
            _ = try await client.ask(.delete, on: other, of: server) { _ in
                try await server.service.deleteConfig(other)
            } answer: { _ in
                .done
            }
        case .createConfig:
            _ = try await client.ask(.create, on: other, of: server) { author in
                try await server.service.createConfig(other, settings: ConfigSettings(), author: author)
            } answer: { _ in
                .done
            }
        case .setOther:
            let key = try Key(path: "/o/\(simulation.choose(2))")
            try await commit([], to: other) { [.set(key, Value($0))] }
        default:
            let key = try Key(path: "/o/\(simulation.choose(2))")
            _ = try await client.ask(.get(key, at: nil, .strong), on: other, of: server) { _ -> Reading? in
                do {
                    return try await server.service.get(key, in: other, at: nil, consistency: .strong)
                } catch let error as DiscfgError where error.code == .keyNotFound {
                    return nil
                }
            } answer: {
                .reading($0)
            }
        }
    }

    // MARK: Registers: keys that nothing else touches

    private func performOnRegister(_ step: Step) async throws {
        let key = try register()
        switch step {
        case .writeRegister: try await set(key, .never)
        case .readRegister: try await get(key, .strong)
        default:
            let known = client.memory.withLock { $0.revisions[key] ?? 0 }
            try await commit(if: [Precondition(key, .revision(known))], []) { [.set(key, Value($0))] }
        }
    }
}
