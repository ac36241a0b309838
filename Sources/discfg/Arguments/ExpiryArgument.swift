import DiscfgCore

extension Operation.Expiry {
    /// Reads a time to live as it is written: a duration, or `keep` for as before.
    ///
    /// - Throws: `DiscfgError` with code `invalidRequest`.
    init(parsing text: String) throws(DiscfgError) {
        if text == "keep" {
            self = .unchanged
        } else {
            let duration = try DurationText.parse(text)
            guard duration > .zero else {
                throw .invalid("It is not positive.", hint: "Leave it out for a key that stays.")
            }
            self = .after(duration)
        }
    }
}
