/// Splits a command into words as a POSIX shell does, and does nothing else that a shell does.
///
/// Source: Python's `shlex.split`, with which botocore splits `credential_process` and the headers of sections.
enum ShellWords {
    /// The words of a command; `nil` if a quote is not closed, or the last backslash has nothing behind it.
    static func split(_ command: String) -> [String]? {
        var words: [String] = []
        var word: String.UnicodeScalarView?
        var quote: Unicode.Scalar?
        var isEscaped = false
        for scalar in command.unicodeScalars {
            if isEscaped {
                isEscaped = false
                // Between quotes, a backslash stands for itself before anything but a quote and a backslash.
                if let quote, scalar != quote, scalar != "\\" { word = (word ?? .init()) + ["\\"] }
                word = (word ?? .init()) + [scalar]
            } else if scalar == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if scalar == open { quote = nil } else { word = (word ?? .init()) + [scalar] }
            } else if scalar == "'" || scalar == "\"" {
                quote = scalar
                word = word ?? .init()
            } else if [" ", "\t", "\r", "\n"].contains(scalar) {
                if let done = word { words.append(String(done)) }
                word = nil
            } else {
                word = (word ?? .init()) + [scalar]
            }
        }
        guard quote == nil, !isEscaped else { return nil }
        if let word { words.append(String(word)) }
        return words
    }
}
