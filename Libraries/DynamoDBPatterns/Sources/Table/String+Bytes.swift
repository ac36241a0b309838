extension String {
    /// What follows a prefix, byte by byte as DynamoDB compares; `nil` if the text does not begin with it.
    ///
    /// Characters would not do: a combining mark right after the prefix makes its last one another character.
    func dropping(prefix: String) -> String? {
        utf8.starts(with: prefix.utf8) ? String(Substring(utf8.dropFirst(prefix.utf8.count))) : nil
    }
}
