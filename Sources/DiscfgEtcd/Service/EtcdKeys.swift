import DiscfgCore

/// The keys that a key and the end of a range name in etcd.
enum EtcdKeys: Hashable {
    case single(Key)
    case range(KeyRange)
    /// No key that discfg can have.
    case nothing

    /// An empty end names one key, an end of one zero byte has no end; an end that does not come after the key names nothing.
    init(_ key: [UInt8], _ rangeEnd: [UInt8]) {
        if rangeEnd.isEmpty {
            self = (try? Key(bytes: key)).map { .single($0) } ?? .nothing
            return
        }
        // The first key there can be is not the empty one, which the zero byte stands for.
        let lower = key == [0] ? [] : Self.bounded(key)
        if rangeEnd == [0] {
            self = .range(KeyRange(from: lower, to: nil))
        } else {
            let upper = Self.bounded(rangeEnd)
            self = lower.lexicographicallyPrecedes(upper) ? .range(KeyRange(from: lower, to: upper)) : .nothing
        }
    }

    /// The bound, no longer than any store takes: no key is between it and the one that was given.
    private static func bounded(_ bound: [UInt8]) -> [UInt8] {
        bound.count <= Key.maximumLength ? bound : bound.prefix(Key.maximumLength) + [0]
    }

    /// The keys as a range; `nil` where there can be none.
    var range: KeyRange? {
        switch self {
        case .single(let key): .key(key)
        case .range(let range): range
        case .nothing: nil
        }
    }

    /// The keys as a selection; `nil` where there can be none.
    var selection: KeySelection? {
        switch self {
        case .single(let key): .key(key)
        case .range(let range): .range(range)
        case .nothing: nil
        }
    }
}

extension KeyValue {
    /// A key as it stands.
    init(_ item: Item, values: Bool = true) {
        self.init(
            key: item.key.bytes, createRevision: item.created, modRevision: item.modified, version: item.version,
            value: values ? item.value.bytes : [], lease: item.lease ?? 0)
    }
}

extension [KeyValue] {
    /// The keys among some items: what stands for a directory is no key to etcd's v3 clients.
    init(_ items: [Item]) { self = items.filter { !$0.isDirectory }.map { KeyValue($0) } }
}

extension Value {
    /// A value that etcd's clients set: text where it is UTF-8, so that the other doors show it as that.
    init(etcd bytes: [UInt8]) {
        let isText = bytes.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) != nil }
        self.init(bytes: bytes, contentType: isText ? Value.text : Value.octets)
    }
}
