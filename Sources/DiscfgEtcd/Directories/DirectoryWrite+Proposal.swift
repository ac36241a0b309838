package import DiscfgCore

extension DirectoryWrite: Proposal {
    package typealias Outcome = DirectoryResult

    package var message: String { DirectoryMessage(self).text }

    package func touch(_ touched: inout Touched) {
        for path in path.ancestors + [path] where !path.isRoot {
            touched.keys.formUnion([path.file, path.directory])
        }
        guard case .delete(let isDirectory, let isRecursive) = operation, !path.isRoot else { return }
        if isRecursive {
            touched.ranges.insert(path.below)
            touched.changedRanges.insert(path.below)
        } else if isDirectory {
            touched.probes.insert(path.below)
        }
    }

    package func carryOut(on evaluator: inout Evaluator) throws(DiscfgError) -> DirectoryResult {
        let path = try named(evaluator)
        let event: DirectoryEvent
        do {
            event = try perform(at: path, on: &evaluator)
        } catch {
            try evaluator.noteOutcome(bytes: error.cause.utf8.count)
            return .failure(error)
        }
        try evaluator.noteOutcome(bytes: (event.node.value?.count ?? 0) + (event.previous?.value?.count ?? 0))
        return .success(event)
    }

    /// The path that is written: with `append`, one that nobody has named yet.
    private func named(_ evaluator: Evaluator) throws(DiscfgError) -> DirectoryPath {
        guard case .append = operation else { return path }
        let digits = String(evaluator.nextRevision)
        return try path.child(String(repeating: "0", count: max(0, 20 - digits.utf8.count)) + digits)
    }

    private func perform(
        at path: DirectoryPath, on evaluator: inout Evaluator
    ) throws(DirectoryRefusal) -> DirectoryEvent {
        switch operation {
        case .set(let content, let isRefresh): try set(content, isRefresh, at: path, on: &evaluator)
        case .create(let content): try create(content, at: path, on: &evaluator)
        case .append(let content): try append(content, at: path, on: &evaluator)
        case .update(let value, let isRefresh): try update(value, isRefresh, at: path, on: &evaluator)
        case .compareAndSwap(let condition, let value, let isRefresh):
            try swap(condition, value, isRefresh, at: path, on: &evaluator)
        case .delete(let isDirectory, let isRecursive):
            try delete(path, isDirectory || isRecursive, isRecursive, on: &evaluator)
        case .compareAndDelete(let condition): try delete(path, condition, on: &evaluator)
        }
    }

    /// When what is written now ends; `nil` for never, and for a time that etcd cannot count either.
    func deadline(on evaluator: Evaluator) -> Timestamp? {
        guard let timeToLive else { return nil }
        let deadline = evaluator.now + timeToLive
        return deadline.milliseconds > Int64.max / 1_000_000 ? nil : deadline
    }
}

/// Making things.
extension DirectoryWrite {
    private func set(
        _ content: Content, _ isRefresh: Bool, at path: DirectoryPath, on evaluator: inout Evaluator
    ) throws(DirectoryRefusal) -> DirectoryEvent {
        try evaluator.checkWay(to: path)
        switch evaluator.place(path) {
        case .root: throw evaluator.refusal(.rootIsReadOnly, "/")
        case .directory: throw evaluator.refusal(.notAFile, path.description)
        case .nothing where isRefresh: throw evaluator.absence(of: path)
        case .nothing: return make(content, at: path, over: nil, on: &evaluator)
        case .file(let previous):
            guard case .file = content, isRefresh else {
                return make(content, at: path, over: previous, on: &evaluator)
            }
            return make(.file(previous.value), at: path, over: previous, on: &evaluator)
        }
    }

    private func create(
        _ content: Content, at path: DirectoryPath, on evaluator: inout Evaluator
    ) throws(DirectoryRefusal) -> DirectoryEvent {
        if path.isRoot { throw evaluator.refusal(.rootIsReadOnly, "/") }
        try evaluator.checkWay(to: path)
        guard case .nothing = evaluator.place(path) else {
            throw evaluator.refusal(.alreadyExists, path.description)
        }
        return make(content, at: path, over: nil, on: &evaluator)
    }

    private func append(
        _ content: Content, at path: DirectoryPath, on evaluator: inout Evaluator
    ) throws(DirectoryRefusal) -> DirectoryEvent {
        // One look tells for all the names to come, as they grow: what is beyond this one, up to what is beyond every number.
        let end = self.path.directory.bytes + [UInt8(ascii: "9") + 1]
        if evaluator.hasItems(in: KeyRange(from: path.bytes, to: end)) {
            return try create(content, at: path, on: &evaluator)
        }
        try evaluator.checkWay(to: path)
        return make(content, at: path, over: nil, on: &evaluator)
    }

    /// A new file or directory, whatever was there: it came to be now.
    private func make(
        _ content: Content, at path: DirectoryPath, over previous: Item?, on evaluator: inout Evaluator
    ) -> DirectoryEvent {
        evaluator.makeWay(to: path, author: author)
        let (revision, time) = (evaluator.nextRevision, evaluator.time)
        let expiry = deadline(on: evaluator)
        let item: Item
        switch content {
        case .file(let value):
            item = Item(
                key: path.file, value: value, created: revision, modified: revision, modifiedAt: time, author: author,
                expiry: expiry)
            evaluator.record(.set(item, previous: previous))
        case .directory:
            item = Item(newDirectory: path, at: revision, time: time, author: author, expiry: expiry)
            if let previous { evaluator.record(.removed(previous)) }
            evaluator.record(.set(item, previous: nil))
        }
        return DirectoryEvent(
            action, item, over: previous.map { DirectoryNode($0, at: path) }, at: path, revision: revision, time: time)
    }
}

/// Changing things.
extension DirectoryWrite {
    private func update(
        _ value: Value, _ isRefresh: Bool, at path: DirectoryPath, on evaluator: inout Evaluator
    ) throws(DirectoryRefusal) -> DirectoryEvent {
        switch evaluator.place(path) {
        case .root: throw evaluator.refusal(.rootIsReadOnly, "/")
        case .nothing: throw evaluator.absence(of: path)
        case .file(let previous):
            return change(previous, to: isRefresh ? previous.value : value, at: path, on: &evaluator)
        case .directory(let marker):
            guard value.bytes.isEmpty else { throw evaluator.refusal(.notAFile, path.description) }
            let node = evaluator.directory(at: path, marker: marker)
            guard let marker else { return mark(path, insteadOf: node, on: &evaluator) }
            var event = change(marker, to: marker.keepingDirectoryModified, at: path, on: &evaluator)
            event.previous = node
            return event
        }
    }

    /// The marker of a directory that had none.
    private func mark(
        _ path: DirectoryPath, insteadOf node: DirectoryNode, on evaluator: inout Evaluator
    ) -> DirectoryEvent {
        let (revision, time) = (evaluator.nextRevision, evaluator.time)
        let marker = Item(
            newDirectory: path, at: revision, time: time, author: author, expiry: deadline(on: evaluator))
        evaluator.record(.set(marker, previous: nil))
        return DirectoryEvent(action, marker, over: node, at: path, revision: revision, time: time)
    }

    private func swap(
        _ condition: Condition, _ value: Value, _ isRefresh: Bool, at path: DirectoryPath, on evaluator: inout Evaluator
    ) throws(DirectoryRefusal) -> DirectoryEvent {
        if path.isRoot { throw evaluator.refusal(.rootIsReadOnly, "/") }
        let previous = try evaluator.file(at: path)
        try condition.check(previous, on: evaluator)
        return change(previous, to: isRefresh ? previous.value : value, at: path, on: &evaluator)
    }

    /// The item with another value and another end.
    private func change(
        _ previous: Item, to value: Value, at path: DirectoryPath, on evaluator: inout Evaluator
    ) -> DirectoryEvent {
        let (revision, time) = (evaluator.nextRevision, evaluator.time)
        let item = Item(
            key: previous.key, value: value, version: previous.version + 1, created: previous.created,
            modified: revision, modifiedAt: time, author: author, expiry: deadline(on: evaluator))
        evaluator.record(.set(item, previous: previous))
        return DirectoryEvent(
            action, item, over: DirectoryNode(previous, at: path), at: path, revision: revision, time: time)
    }
}

/// Removing things.
extension DirectoryWrite {
    private func delete(
        _ path: DirectoryPath, _ isDirectory: Bool, _ isRecursive: Bool, on evaluator: inout Evaluator
    ) throws(DirectoryRefusal) -> DirectoryEvent {
        let marker: Item?
        switch evaluator.place(path) {
        case .root: throw evaluator.refusal(.rootIsReadOnly, "/")
        case .nothing: throw evaluator.absence(of: path)
        case .file(let item): return remove([item], DirectoryNode(item, at: path), on: &evaluator)
        case .directory where !isDirectory: throw evaluator.refusal(.notAFile, path.description)
        case .directory(let found): marker = found
        }
        guard isRecursive || !evaluator.hasItems(in: path.below) else {
            throw evaluator.refusal(.notEmpty, path.description)
        }
        let node = evaluator.directory(at: path, marker: marker)
        let victims = isRecursive ? evaluator.items(in: path.below) : []
        return remove((marker.map { [$0] } ?? []) + victims, node, on: &evaluator)
    }

    private func delete(
        _ path: DirectoryPath, _ condition: Condition, on evaluator: inout Evaluator
    ) throws(DirectoryRefusal) -> DirectoryEvent {
        let item = try evaluator.file(at: path)
        try condition.check(item, on: evaluator)
        return remove([item], DirectoryNode(item, at: path), on: &evaluator)
    }

    private func remove(_ victims: [Item], _ node: DirectoryNode, on evaluator: inout Evaluator) -> DirectoryEvent {
        let (revision, time) = (evaluator.nextRevision, evaluator.time)
        for victim in victims { evaluator.record(.removed(victim)) }
        return DirectoryEvent(action, removing: node, revision: revision, time: time)
    }
}

extension DirectoryWrite.Condition {
    /// Refuses a file that does not meet the condition.
    fileprivate func check(_ file: Item, on evaluator: Evaluator) throws(DirectoryRefusal) {
        var causes: [String] = []
        if let value, value != file.value.bytes {
            causes.append("[\(String(decoding: value, as: UTF8.self)) != \(file.value.lossyText)]")
        }
        if let revision, revision != file.modified {
            causes.append("[\(revision) != \(file.modified)]")
        }
        guard causes.isEmpty else { throw evaluator.refusal(.compareFailed, causes.joined(separator: " ")) }
    }
}

extension Value {
    fileprivate var lossyText: String { String(decoding: bytes, as: UTF8.self) }
}
