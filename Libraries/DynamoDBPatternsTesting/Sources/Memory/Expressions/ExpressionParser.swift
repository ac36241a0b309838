import AWSClient

/// Reads expressions; a condition's grammar is here, an update's beside it.
struct ExpressionParser {
    /// What an expression is for, as DynamoDB calls it in its answers.
    enum Kind: String {
        case condition = "ConditionExpression"
        case filter = "FilterExpression"
        case keyCondition = "KeyConditionExpression"
        case update = "UpdateExpression"
        case projection = "ProjectionExpression"
    }

    let kind: Kind
    private let tokens: [ExpressionToken]
    private var position = 0
    private var names: Set<String> = []
    private var values: Set<String> = []

    private init(_ text: String, _ kind: Kind) throws(AWSError) {
        self.kind = kind
        tokens = try ExpressionLexer.tokens(of: text, kind: kind.rawValue)
        if tokens.count == 1 { throw .invalidExpression(kind.rawValue, "The expression can not be empty;") }
    }

    static func parse(_ text: String, _ kind: Kind) throws(AWSError) -> ParsedExpression {
        var parser = try ExpressionParser(text, kind)
        let tree: ParsedExpression.Tree =
            switch kind {
            case .condition, .filter, .keyCondition: .condition(try parser.disjunction())
            case .update: .update(try parser.update())
            case .projection: .projection(try parser.separated { parser throws(AWSError) in try parser.path() })
            }
        guard parser.current == .end else { throw parser.syntaxError }
        return ParsedExpression(tree: tree, names: parser.names, values: parser.values)
    }

    var current: ExpressionToken { tokens[position] }

    var syntaxError: AWSError {
        let token =
            switch current {
            case .word(let text), .name(let text), .value(let text), .sign(let text): text
            case .number(let number): String(number)
            case .end: "<EOF>"
            }
        return .invalidExpression(kind.rawValue, "Syntax error; token: \"\(token)\"")
    }

    mutating func advance() { if position < tokens.count - 1 { position += 1 } }

    mutating func take(_ sign: String) -> Bool {
        guard current == .sign(sign) else { return false }
        advance()
        return true
    }

    mutating func expect(_ sign: String) throws(AWSError) {
        guard take(sign) else { throw syntaxError }
    }

    /// Takes a keyword, in letters of either case.
    mutating func take(keyword: String) -> Bool {
        guard case .word(let word) = current, word.uppercased() == keyword else { return false }
        advance()
        return true
    }

    /// One or more, with commas between them.
    mutating func separated<Part>(
        _ part: (inout ExpressionParser) throws(AWSError) -> Part
    ) throws(AWSError) -> [Part] {
        var parts = [try part(&self)]
        while take(",") { parts.append(try part(&self)) }
        return parts
    }

    /// Takes the name of a function and its opening parenthesis.
    mutating func function(_ known: Set<String>) throws(AWSError) -> String? {
        guard case .word(let word) = current, tokens[position + 1] == .sign("(") else { return nil }
        guard known.contains(word) else {
            throw .invalidExpression(kind.rawValue, "Invalid function name; function: \(word)")
        }
        position += 2
        return word
    }

    mutating func path() throws(AWSError) -> DocumentPath {
        var parts = [DocumentPath.Part.name(try name())]
        while true {
            if take(".") {
                parts.append(.name(try name()))
            } else if take("[") {
                guard case .number(let index) = current else { throw syntaxError }
                advance()
                try expect("]")
                parts.append(.index(index))
            } else {
                return DocumentPath(parts: parts)
            }
        }
    }

    private mutating func name() throws(AWSError) -> String {
        switch current {
        case .name(let placeholder):
            names.insert(placeholder)
            advance()
            return placeholder
        case .word(let word):
            if ReservedWords.contains(word) {
                throw .invalidExpression(
                    kind.rawValue, "Attribute name is a reserved keyword; reserved keyword: \(word)")
            }
            advance()
            return word
        default: throw syntaxError
        }
    }

    mutating func operand() throws(AWSError) -> Operand {
        if case .value(let placeholder) = current {
            values.insert(placeholder)
            advance()
            return .value(placeholder)
        }
        if kind != .update, try function(["size"]) != nil {
            let operand = try operand()
            try expect(")")
            return .size(operand)
        }
        return .path(try path())
    }
}
