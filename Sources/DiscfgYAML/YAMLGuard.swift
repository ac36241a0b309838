import DiscfgCore

/// Refuses what would cost the YAML parser more than it should, before it sees it.
///
/// Yams looks for duplicate names by hashing them. Where a name is itself a list or a map that aliases make exponentially
/// large, that never ends. Names of that kind are refused anyway; this says so early, in files that have the aliases for it.
enum YAMLGuard {
    /// So many aliases are needed to make something small large; fewer are left to the ordinary check of names.
    static let harmlessAliases = 8

    static func check(_ text: String) throws(DiscfgError) {
        guard text.utf8.count(where: { $0 == UInt8(ascii: "*") }) > harmlessAliases else { return }
        var scanner = Scanner()
        for scalar in text.unicodeScalars { scanner.read(scalar) }
        guard scanner.aliases > harmlessAliases, let line = scanner.collectionNameLine else { return }
        throw .invalid(
            "Line \(line) of the file has a list, a map or an alias as a name.", hint: "Use text as the name.")
    }

    /// Follows one line at a time: a name, and the brackets of a list or a map that is one, cannot span lines.
    ///
    /// It errs on the side of refusal: it does not know quotes, so a bracket inside them counts.
    private struct Scanner {
        private(set) var aliases = 0
        /// The first line with what may be a name that is a list, a map or an alias.
        private(set) var collectionNameLine: Int?
        private var line = 1
        /// Whether a list or a map in brackets began on this line.
        private var hasCollection = false
        /// Whether a node can begin here.
        private var isNodeStart = true
        /// Whether the text up to here, but for spaces, could be a name that is a list, a map or an alias.
        private var isCollectionName = false
        private var isInAlias = false
        /// Whether an anchor or a tag is being read, after which the node itself follows.
        private var isInProperty = false
        private var isQuestion = false

        mutating func read(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": endLine(scalar)
            case " ", "\t", "\u{FEFF}": blank()
            case ":" where isCollectionName || isInAlias: found()
            default: indicator(scalar)
            }
        }

        private mutating func found() { collectionNameLine = collectionNameLine ?? line }

        private mutating func endLine(_ scalar: Unicode.Scalar) {
            if isQuestion { found() }
            let (found, aliases, line) = (collectionNameLine, aliases, line)
            self = Scanner()
            (self.collectionNameLine, self.aliases, self.line) = (found, aliases, scalar == "\n" ? line + 1 : line)
        }

        private mutating func blank() {
            if isQuestion { found() }
            if isInAlias { isCollectionName = true }
            if isInProperty { isNodeStart = true }
            (isQuestion, isInAlias, isInProperty) = (false, false, false)
        }

        private mutating func indicator(_ scalar: Unicode.Scalar) {
            // Inside brackets “?” needs no space after it.
            if isQuestion, hasCollection { found() }
            (isQuestion, isCollectionName) = (false, false)
            switch scalar {
            case "[", "{":
                if isNodeStart || isInProperty { hasCollection = true }
                isNodeStart = true
            case "]", "}":
                isCollectionName = hasCollection
                isNodeStart = isInProperty
            case ",": isNodeStart = true
            case _ where isInAlias || isInProperty: return
            case "-": break
            case "?": isQuestion = isNodeStart
            case "*":
                aliases += isNodeStart ? 1 : 0
                (isInAlias, isNodeStart) = (isNodeStart, false)
            case "&", "!": (isInProperty, isNodeStart) = (isNodeStart, false)
            default: isNodeStart = scalar == ":"
            }
            if ",[]{}".unicodeScalars.contains(scalar) { (isInAlias, isInProperty) = (false, false) }
        }
    }
}
