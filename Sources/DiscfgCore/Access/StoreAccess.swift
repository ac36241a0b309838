/// A store that can be used only on behalf of a caller.
///
/// An API holds this instead of the store, so it cannot read or write without naming the caller.
public struct StoreAccess: Sendable {
    private let store: any ConfigStore

    /// Access to a store.
    public init(_ store: any ConfigStore) { self.store = store }

    /// The store for a caller; copies a struct, and allocates nothing.
    public func acting(as caller: Caller) -> CallerStore { CallerStore(store, caller: caller) }
}
