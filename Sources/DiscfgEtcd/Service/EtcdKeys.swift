import DiscfgCore

/// The keys that a key and a range end select in etcd.
enum EtcdKeys: Hashable {
    case single(Key)
    case range(KeyRange)
    /// No key that can exist in discfg.
    case nothing

    /// With an empty end, one key; with an end of one zero byte, a range without an end; with an end that is not after
    /// the key, nothing.
    init(_ key: [UInt8], _ rangeEnd: [UInt8]) {
        if rangeEnd.isEmpty {
            self = (try? Key(bytes: key)).map { .single($0) } ?? .nothing
            return
        }
        // In etcd a key of one zero byte stands for the beginning of all keys.
        let lower = key == [0] ? [] : Self.bounded(key)
        if rangeEnd == [0] {
            self = .range(KeyRange(from: lower, to: nil))
        } else {
            let upper = Self.bounded(rangeEnd)
            self = lower.lexicographicallyPrecedes(upper) ? .range(KeyRange(from: lower, to: upper)) : .nothing
        }
    }

    /// The bound, shortened to the length that every store accepts: no key is between it and the given one.
    private static func bounded(_ bound: [UInt8]) -> [UInt8] {
        bound.count <= Key.maximumLength ? bound : bound.prefix(Key.maximumLength) + [0]
    }

    /// The keys as a range; `nil` if there can be none.
    var range: KeyRange? {
        switch self {
        case .single(let key): .key(key)
        case .range(let range): range
        case .nothing: nil
        }
    }

    /// The keys as a selection; `nil` if there can be none.
    var selection: KeySelection? {
        switch self {
        case .single(let key): .key(key)
        case .range(let range): .range(range)
        case .nothing: nil
        }
    }
}

extension KeyValue {
    /// A key with exactly these bytes.
    init(_ item: Item, values: Bool = true) {
        self.init(
            key: item.key.bytes, createRevision: item.created, modRevision: item.modified, version: item.version,
            value: values ? item.value.bytes : [], lease: item.lease ?? 0)
    }
}

extension [KeyValue] {
    /// The keys among some items: an item for a directory is not a key for etcd's v3 clients.
    init(_ items: [Item]) { self = items.filter { !$0.isDirectory }.map { KeyValue($0) } }
}

extension Value {
    /// A value that etcd's clients set: text if it is UTF-8, so that the other APIs show it as text.
    init(etcd bytes: [UInt8]) {
        let isText = bytes.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) != nil }
        self.init(bytes: bytes, contentType: isText ? Value.text : Value.octets)
    }
}
