import ArgumentParser

/// Positional arguments of which a config may be the first: `[CFG] KEY VALUE`.
struct Positionals: Hashable {
    let config: String?
    let values: [String]

    /// Takes arguments apart, of which the names tell what must be there.
    ///
    /// - Throws: `ValidationError` when there are too few or too many.
    init(_ arguments: [String], names: [String], hint: String = "") throws {
        switch arguments.count {
        case names.count: (config, values) = (nil, arguments)
        case names.count + 1: (config, values) = (arguments[0], Array(arguments.dropFirst()))
        case let count:
            let expected = (["[CFG]"] + names).joined(separator: " ")
            throw ValidationError(
                "Expected \(expected), and got \(count == 0 ? "nothing" : "\(count) argument\(count == 1 ? "" : "s")")."
                    + (hint.isEmpty ? "" : " " + hint))
        }
    }
}
