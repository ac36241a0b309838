// How the types of `StorageEngine` are encoded: their stored properties, in order.

extension Timestamp: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(milliseconds: try Int64(from: &reader))
    }

    package func write(to writer: inout EngineWriter) { milliseconds.write(to: &writer) }
}

extension Duration: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(
            secondsComponent: try Int64(from: &reader), attosecondsComponent: try Int64(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        components.seconds.write(to: &writer)
        components.attoseconds.write(to: &writer)
    }
}

extension Consistency: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self = try Bool(from: &reader) ? .strong : .eventual
    }

    package func write(to writer: inout EngineWriter) { (self == .strong).write(to: &writer) }
}

extension ConfigName: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) { try self.init(try String(from: &reader)) }
    package func write(to writer: inout EngineWriter) { description.write(to: &writer) }
}

extension Key: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) { try self.init(bytes: try reader.data()) }
    package func write(to writer: inout EngineWriter) { writer.data(bytes) }
}

extension KeyRange: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(
            from: try EngineBytes(from: &reader).bytes, to: try EngineBytes?(from: &reader)?.bytes)
    }

    package func write(to writer: inout EngineWriter) {
        writer.data(lower)
        upper.map(EngineBytes.init).write(to: &writer)
    }
}

extension KeySelection: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        let ranges = try [KeyRange](from: &reader)
        guard zip(ranges, ranges.dropFirst()).allSatisfy({ $0.precedes($1) }) else {
            throw EngineReader.malformed("has ranges that are not in order, or overlap")
        }
        self.init(ranges: ranges, includesDirectories: try Bool(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        ranges.write(to: &writer)
        includesDirectories.write(to: &writer)
    }
}

extension Value: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(bytes: try EngineBytes(from: &reader).bytes, contentType: try String(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        writer.data(bytes)
        contentType.write(to: &writer)
    }
}

extension Item: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(
            key: try Key(from: &reader), value: try Value(from: &reader), version: try Int64(from: &reader),
            created: try Int64(from: &reader), modified: try Int64(from: &reader),
            modifiedAt: try Timestamp(from: &reader), author: try String(from: &reader),
            expiry: try Timestamp?(from: &reader), lease: try Int64?(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        key.write(to: &writer)
        value.write(to: &writer)
        for number in [version, created, modified] { number.write(to: &writer) }
        modifiedAt.write(to: &writer)
        author.write(to: &writer)
        expiry.write(to: &writer)
        lease.write(to: &writer)
    }
}

extension Change: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        let name = try String(from: &reader)
        guard let kind = Kind(rawValue: name) else { throw EngineReader.malformed("has a change of kind “\(name)”") }
        self.init(
            kind: kind, key: try Key(from: &reader), item: try Item?(from: &reader), previous: try Item?(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        kind.rawValue.write(to: &writer)
        key.write(to: &writer)
        item.write(to: &writer)
        previous.write(to: &writer)
    }
}

extension Commit: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(
            id: try String(from: &reader), revision: try Int64(from: &reader), time: try Timestamp(from: &reader),
            author: try String(from: &reader), message: try String(from: &reader),
            changes: try [Change](from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        id.write(to: &writer)
        revision.write(to: &writer)
        time.write(to: &writer)
        author.write(to: &writer)
        message.write(to: &writer)
        changes.write(to: &writer)
    }
}

extension LogTail: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(
            revision: try Int64(from: &reader), time: try Timestamp(from: &reader), trimmed: try Int64(from: &reader),
            incarnation: try String(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        revision.write(to: &writer)
        time.write(to: &writer)
        trimmed.write(to: &writer)
        incarnation.write(to: &writer)
    }
}

extension ConfigSettings: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        let bytes = try reader.data()
        guard bytes.count <= EngineReader.maximumSettings, let json = try? JSONValue(parsing: bytes) else {
            throw EngineReader.malformed("has settings that are too large, or not JSON")
        }
        try self.init(json: json)
    }

    package func write(to writer: inout EngineWriter) { writer.data(json.bytes) }
}

extension ConfigRecord: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(
            name: try ConfigName(from: &reader), settings: try ConfigSettings(from: &reader),
            created: try Timestamp(from: &reader), tail: try LogTail(from: &reader),
            hasRemains: try Bool(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        name.write(to: &writer)
        settings.write(to: &writer)
        created.write(to: &writer)
        tail.write(to: &writer)
        hasRemains.write(to: &writer)
    }
}

extension AppendOutcome: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        switch try reader.byte() {
        case 0: self = .appended
        case 1: self = .conflict(newer: try [Commit](from: &reader))
        case 2: self = .replaced
        case 3: self = .leaseNotFound(try Int64(from: &reader))
        default: throw EngineReader.malformed("has an outcome that does not exist")
        }
    }

    package func write(to writer: inout EngineWriter) {
        switch self {
        case .appended: writer.unsigned(0)
        case .conflict(let newer):
            writer.unsigned(1)
            newer.write(to: &writer)
        case .replaced: writer.unsigned(2)
        case .leaseNotFound(let lease):
            writer.unsigned(3)
            lease.write(to: &writer)
        }
    }
}

extension LogPage: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(
            commits: try [Commit](from: &reader), tail: try Int64(from: &reader), incarnation: try String(from: &reader)
        )
    }

    package func write(to writer: inout EngineWriter) {
        commits.write(to: &writer)
        tail.write(to: &writer)
        incarnation.write(to: &writer)
    }
}

extension LogPart: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self = try Bool(from: &reader) ? .through(try Int64(from: &reader)) : .after(try Int64(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        switch self {
        case .through(let revision):
            true.write(to: &writer)
            revision.write(to: &writer)
        case .after(let revision):
            false.write(to: &writer)
            revision.write(to: &writer)
        }
    }
}

extension HistoryPage: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(commits: try [Commit](from: &reader), next: try LogPart?(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        commits.write(to: &writer)
        next.write(to: &writer)
    }
}

extension StorageDescription: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(name: try String(from: &reader))
        for _ in 0..<(try reader.count()) {
            let name = try String(from: &reader)
            options[name] = try String(from: &reader)
        }
    }

    package func write(to writer: inout EngineWriter) {
        name.write(to: &writer)
        writer.unsigned(UInt64(options.count))
        for (name, value) in options {
            name.write(to: &writer)
            value.write(to: &writer)
        }
    }
}

extension [Key: Item] {
    /// Reads items, which name their keys themselves.
    fileprivate init(items reader: inout EngineReader) throws(DiscfgError) {
        self = [:]
        for item in try [Item](from: &reader) { self[item.key] = item }
    }

    fileprivate func write(to writer: inout EngineWriter) { Array(values).write(to: &writer) }
}

extension WriteBasis: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(
            items: try .init(items: &reader), tail: try LogTail(from: &reader), isExact: try Bool(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        items.write(to: &writer)
        tail.write(to: &writer)
        isExact.write(to: &writer)
    }
}

extension ItemBatch: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(items: try .init(items: &reader), tail: try LogTail?(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        items.write(to: &writer)
        tail.write(to: &writer)
    }
}

extension ItemPage: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(
            items: try [Item](from: &reader), hasMore: try Bool(from: &reader), tail: try LogTail?(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        items.write(to: &writer)
        hasMore.write(to: &writer)
        tail.write(to: &writer)
    }
}

extension Lease: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(
            id: try Int64(from: &reader), ttl: try Duration(from: &reader), expiry: try Timestamp(from: &reader),
            isEnding: try Bool(from: &reader), version: try Int64(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        id.write(to: &writer)
        ttl.write(to: &writer)
        expiry.write(to: &writer)
        isEnding.write(to: &writer)
        version.write(to: &writer)
    }
}

extension StoredLease: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(
            try Lease(from: &reader), generation: try String(from: &reader), keys: try [Key](from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        lease.write(to: &writer)
        generation.write(to: &writer)
        keys.write(to: &writer)
    }
}

extension LeaseSelection: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        switch try reader.byte() {
        case 0: self = .one(try Int64(from: &reader))
        case 1: self = .withKeys(try Int64(from: &reader), generation: try String?(from: &reader))
        case 2: self = .all(after: try Int64?(from: &reader), limit: try Int(from: &reader))
        case 3: self = .overdue(at: try Timestamp(from: &reader))
        default: throw EngineReader.malformed("has a selection of leases that does not exist")
        }
    }

    package func write(to writer: inout EngineWriter) {
        switch self {
        case .one(let id):
            writer.unsigned(0)
            id.write(to: &writer)
        case .withKeys(let id, let generation):
            writer.unsigned(1)
            id.write(to: &writer)
            generation.write(to: &writer)
        case .all(let after, let limit):
            writer.unsigned(2)
            after.write(to: &writer)
            limit.write(to: &writer)
        case .overdue(let moment):
            writer.unsigned(3)
            moment.write(to: &writer)
        }
    }
}

extension LeaseChange: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        switch try reader.byte() {
        case 0: self = .create(try Lease(from: &reader))
        case 1: self = .renew(try Int64(from: &reader), at: try Timestamp(from: &reader))
        case 2: self = .end(try Int64(from: &reader), ifUnchanged: try Lease?(from: &reader))
        case 3: self = .remove(try Int64(from: &reader), generation: try String?(from: &reader))
        default: throw EngineReader.malformed("has a change of a lease that does not exist")
        }
    }

    package func write(to writer: inout EngineWriter) {
        switch self {
        case .create(let lease):
            writer.unsigned(0)
            lease.write(to: &writer)
        case .renew(let id, let now):
            writer.unsigned(1)
            id.write(to: &writer)
            now.write(to: &writer)
        case .end(let id, let lease):
            writer.unsigned(2)
            id.write(to: &writer)
            lease.write(to: &writer)
        case .remove(let id, let generation):
            writer.unsigned(3)
            id.write(to: &writer)
            generation.write(to: &writer)
        }
    }
}

extension LeasePage.Position: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self = try Bool(from: &reader) ? .lease(try Int64(from: &reader)) : .key(try Key(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        switch self {
        case .lease(let id):
            true.write(to: &writer)
            id.write(to: &writer)
        case .key(let key):
            false.write(to: &writer)
            key.write(to: &writer)
        }
    }
}

extension Cell: EngineCodable {
    package init(from reader: inout EngineReader) throws(DiscfgError) {
        self.init(
            name: try String(from: &reader), bytes: try EngineBytes(from: &reader).bytes,
            version: try Int64(from: &reader))
    }

    package func write(to writer: inout EngineWriter) {
        name.write(to: &writer)
        writer.data(bytes)
        version.write(to: &writer)
    }
}
