import AWSClient

/// One word or sign of an expression.
enum ExpressionToken: Hashable {
    /// A name, keyword or function, as it stands there.
    case word(String)
    /// `#name`
    case name(String)
    /// `:value`
    case value(String)
    case number(Int)
    /// `=`, `<>`, `<`, `<=`, `>`, `>=`, `(`, `)`, `[`, `]`, `,`, `.`, `+`, `-`
    case sign(String)
    case end
}

/// Cuts the text of an expression into tokens.
enum ExpressionLexer {
    static func tokens(of text: String, kind: String) throws(AWSError) -> [ExpressionToken] {
        var tokens: [ExpressionToken] = []
        var rest = Substring(text)
        while let first = rest.first {
            switch first {
            case " ", "\t", "\n", "\r", "\r\n": rest.removeFirst()
            case "#": tokens.append(.name(takeWord(&rest)))
            case ":": tokens.append(.value(takeWord(&rest)))
            case "=", "(", ")", "[", "]", ",", ".", "+", "-":
                tokens.append(.sign(String(first)))
                rest.removeFirst()
            case "<", ">":
                let sign = ["<>", "<=", ">="].first { rest.hasPrefix($0) } ?? String(first)
                tokens.append(.sign(sign))
                rest.removeFirst(sign.count)
            case _ where first.isASCII && first.isNumber:
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                guard let number = Int(digits) else { throw error(kind, String(digits)) }
                tokens.append(.number(number))
                rest.removeFirst(digits.count)
            case _ where isWordCharacter(first): tokens.append(.word(takeWord(&rest)))
            default: throw error(kind, String(first))
            }
        }
        return tokens + [.end]
    }

    private static func takeWord(_ rest: inout Substring) -> String {
        let word = rest.prefix(1) + rest.dropFirst().prefix(while: isWordCharacter)
        rest.removeFirst(word.count)
        return String(word)
    }

    private static func isWordCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_")
    }

    private static func error(_ kind: String, _ token: String) -> AWSError {
        .invalidExpression(kind, "Syntax error; token: \"\(token)\"")
    }
}
