/// What may be said of the errors that other errors began with: never a value.
package enum ErrorText {
    /// The text of an error of ours, or the place of one of a decoder or encoder; `nil` for all others.
    ///
    /// What a decoder says besides may be a value: Swift's own enums repeat what they do not know.
    package static func of(_ error: any Error) -> String? {
        switch error {
        case let error as AWSError: error.description
        case let error as DecodingError: text(of: error)
        case EncodingError.invalidValue(_, let context): "\(place(context.codingPath)) cannot be written."
        default: nil
        }
    }

    /// Two sentences, with a period between them.
    package static func sentences(_ first: String, _ second: String) -> String {
        first.last.map { ".!?".contains($0) } ?? true ? "\(first) \(second)" : "\(first). \(second)"
    }

    private static func text(of error: DecodingError) -> String {
        switch error {
        case .typeMismatch(let type, let context): "\(place(context.codingPath)) is not of the type \(type)."
        case .valueNotFound(let type, let context): "\(place(context.codingPath)) has no value of the type \(type)."
        case .keyNotFound(let key, let context): "\(place(context.codingPath + [key])) is missing."
        case .dataCorrupted(let context): "\(place(context.codingPath)) is not what its type expects."
        @unknown default: "It cannot be decoded."
        }
    }

    /// A path such as `lines[0].price`.
    private static func place(_ path: [any CodingKey]) -> String {
        let text = path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
        return text.isEmpty ? "The whole" : "The member \(Quoted(text))"
    }
}
