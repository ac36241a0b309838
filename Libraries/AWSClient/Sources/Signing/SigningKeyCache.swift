import Crypto
import Synchronization

/// Signing keys that were derived before: one holds for a day, and takes four hashes to make.
final class SigningKeyCache: Sendable {
    static let shared = SigningKeyCache()

    private struct Scope: Hashable {
        let secret: String
        let day: String
        let region: String
        let service: String
    }

    private let capacity: Int
    private let keys = Mutex<[Scope: SymmetricKey]>([:])

    init(capacity: Int = 64) { self.capacity = capacity }

    /// How many keys are kept.
    var count: Int { keys.withLock { $0.count } }

    func key(secret: String, day: String, region: String, service: String) -> SymmetricKey {
        let scope = Scope(secret: secret, day: day, region: region, service: service)
        if let key = keys.withLock({ $0[scope] }) { return key }
        let key = Self.derive(scope)
        keys.withLock { keys in
            // All at once: those of yesterday, or of credentials that are over, go this way.
            if keys.count >= capacity { keys.removeAll(keepingCapacity: true) }
            keys[scope] = key
        }
        return key
    }

    private static func derive(_ scope: Scope) -> SymmetricKey {
        [scope.day, scope.region, scope.service, "aws4_request"].reduce(
            SymmetricKey(data: Array("AWS4\(scope.secret)".utf8))
        ) { key, part in
            SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
        }
    }
}
