import AWSClient

extension DocumentPath {
    /// The element's place, where the path ends in one; -1 otherwise.
    var lastIndex: Int { if case .index(let index)? = parts.last { index } else { -1 } }

    /// The name of the attribute in which the path begins.
    var root: String { if case .name(let name)? = parts.first { name } else { "" } }

    /// Whether one of two paths leads through the other.
    func overlaps(_ other: DocumentPath) -> Bool {
        let length = min(parts.count, other.parts.count)
        return parts.prefix(length) == other.parts.prefix(length)
    }
}

extension Item {
    private static var invalidPath: AWSError {
        .validation("The document path provided in the update expression is invalid for update")
    }

    /// Gives what is at a path a value; all but the last part of the path has to be there.
    mutating func set(_ path: DocumentPath, _ value: AttributeValue) throws(AWSError) {
        try change(path.parts[...], to: value)
    }

    /// Removes what is at a path, if anything is.
    mutating func remove(_ path: DocumentPath) throws(AWSError) { try change(path.parts[...], to: nil) }

    fileprivate mutating func change(
        _ parts: ArraySlice<DocumentPath.Part>, to value: AttributeValue?
    ) throws(AWSError) {
        guard case .name(let name)? = parts.first else { throw Self.invalidPath }
        let rest = parts.dropFirst()
        if rest.isEmpty {
            self[name] = value
        } else {
            guard var inner = self[name] else { throw Self.invalidPath }
            try inner.change(rest, to: value)
            self[name] = inner
        }
    }
}

extension AttributeValue {
    fileprivate mutating func change(
        _ parts: ArraySlice<DocumentPath.Part>, to value: AttributeValue?
    ) throws(AWSError) {
        switch (self, parts.first) {
        case (.map(var members), .name?):
            try members.change(parts, to: value)
            self = .map(members)
        case (.list(var elements), .index(let index)?):
            let rest = parts.dropFirst()
            if !rest.isEmpty {
                guard elements.indices.contains(index) else {
                    throw .validation("The document path provided in the update expression is invalid for update")
                }
                try elements[index].change(rest, to: value)
            } else if let value {
                if elements.indices.contains(index) { elements[index] = value } else { elements.append(value) }
            } else if elements.indices.contains(index) {
                elements.remove(at: index)
            }
            self = .list(elements)
        default: throw .validation("The document path provided in the update expression is invalid for update")
        }
    }
}
