/// A place within an item, such as `a.#b[0]`.
struct DocumentPath: Hashable {
    enum Part: Hashable {
        /// An attribute's or member's name, or a placeholder of one.
        case name(String)
        case index(Int)
    }

    var parts: [Part]
}

enum Comparator: String {
    case equal = "="
    case different = "<>"
    case less = "<"
    case atMost = "<="
    case greater = ">"
    case atLeast = ">="
}

/// Something that has a value.
indirect enum Operand {
    case path(DocumentPath)
    /// A placeholder of a value.
    case value(String)
    case size(Operand)
}

/// A condition, filter or key condition.
indirect enum ConditionTree {
    case compare(Comparator, Operand, Operand)
    case between(Operand, Operand, Operand)
    case oneOf(Operand, [Operand])
    case and(ConditionTree, ConditionTree)
    case or(ConditionTree, ConditionTree)
    case not(ConditionTree)
    case exists(DocumentPath)
    case notExists(DocumentPath)
    case hasType(DocumentPath, Operand)
    case beginsWith(Operand, Operand)
    case contains(Operand, Operand)
}

extension ConditionTree {
    /// All paths that it names.
    var paths: [DocumentPath] {
        switch self {
        case .and(let first, let second), .or(let first, let second): first.paths + second.paths
        case .not(let inner): inner.paths
        case .exists(let path), .notExists(let path), .hasType(let path, _): [path]
        case .compare(_, let first, let second), .beginsWith(let first, let second), .contains(let first, let second):
            [first, second].compactMap(\.path)
        case .between(let tested, let low, let high): [tested, low, high].compactMap(\.path)
        case .oneOf(let tested, let choices): ([tested] + choices).compactMap(\.path)
        }
    }
}

extension Operand {
    /// The path in it, where it has one.
    fileprivate var path: DocumentPath? {
        switch self {
        case .path(let path): path
        case .size(let operand): operand.path
        case .value: nil
        }
    }
}

/// What `SET` gives to an attribute.
indirect enum UpdateOperand {
    case operand(Operand)
    case ifNotExists(DocumentPath, UpdateOperand)
    case listAppend(UpdateOperand, UpdateOperand)
    case plus(UpdateOperand, UpdateOperand)
    case minus(UpdateOperand, UpdateOperand)
}

/// The four clauses of an update.
struct UpdateTree {
    var sets: [(path: DocumentPath, value: UpdateOperand)] = []
    var removals: [DocumentPath] = []
    var additions: [(path: DocumentPath, value: Operand)] = []
    var deletions: [(path: DocumentPath, value: Operand)] = []
}

/// What was read, and which placeholders it needs.
struct ParsedExpression {
    enum Tree {
        case condition(ConditionTree)
        case update(UpdateTree)
        case projection([DocumentPath])
    }

    var tree: Tree
    var names: Set<String>
    var values: Set<String>
}
