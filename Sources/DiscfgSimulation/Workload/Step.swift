/// What a client may do next.
package enum Step: Sendable, Hashable, CaseIterable {
    case set, compareAndSet, create, delete, deleteAll, setPair, readPair, patch, expiring
    case get, staleGet, getAt, list, staleList, listAt, follow
    case grant, leasedSet, renew, revoke
    case lock
    case rollback, compact
    case deleteConfig, createConfig, setOther, getOther
    case writeRegister, readRegister, replaceRegister

    /// A little of everything.
    package static let general: [(step: Step, weight: Int)] = allCases.map { step in
        switch step {
        case .set, .compareAndSet, .get, .list, .follow: (step, 4)
        case .setPair, .readPair, .patch, .staleGet, .writeRegister, .readRegister, .replaceRegister: (step, 3)
        case .rollback, .compact, .deleteConfig, .lock: (step, 1)
        default: (step, 2)
        }
    }

    /// Writes and reads of few keys: much contention.
    package static let contention: [(step: Step, weight: Int)] = [
        (.compareAndSet, 4), (.setPair, 2), (.readPair, 3), (.patch, 4), (.get, 2), (.list, 2), (.create, 1),
        (.delete, 1), (.writeRegister, 2), (.readRegister, 3), (.replaceRegister, 3),
    ]

    /// Locks and leases.
    package static let coordination: [(step: Step, weight: Int)] = [
        (.lock, 4), (.grant, 2), (.leasedSet, 4), (.renew, 3), (.revoke, 2), (.list, 1), (.delete, 1), (.expiring, 1),
    ]

    /// Configs that are deleted and created again.
    package static let configs: [(step: Step, weight: Int)] = [
        (.setOther, 6), (.getOther, 4), (.deleteConfig, 2), (.createConfig, 3),
    ]
}
