import DiscfgModel

/// Raises the number in a key by one, and returns it.
func increment(_ key: Key, in store: any ConfigStore) async throws -> Int {
    while true {
        var (number, condition) = (0, Precondition(key, .absent))
        do {
            let item = try await store.get(key, in: .default, at: nil, consistency: .strong).item
            number = item.value.text.flatMap { Int($0) } ?? 0
            condition = Precondition(key, .revision(item.modified))
        } catch let error as DiscfgError where error.code == .keyNotFound {}
        let change = Transaction(
            if: [condition], then: [.set(key, Value("\(number + 1)"))], author: "counter", message: "increment")
        // A failed precondition is a result, not an error: another writer was first.
        if try await store.commit(change, to: .default).failed == nil { return number + 1 }
    }
}
