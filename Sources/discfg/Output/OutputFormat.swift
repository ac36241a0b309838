import ArgumentParser

/// How what was found is written to standard output.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument, Sendable {
    case human, json, yaml, silent
}
