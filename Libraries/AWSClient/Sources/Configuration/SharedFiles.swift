/// The two files that AWS's tools share: `~/.aws/config` and `~/.aws/credentials`.
///
/// A file that is not there is an empty one. Source: AWS SDKs and Tools Reference Guide, “Shared config and credentials
/// files”, and botocore's `configloader`.
public struct SharedFiles: Sendable {
    /// The longest file that is read, in bytes.
    static let limit = 1 << 20

    /// The path of the file with settings; `nil` if neither `AWS_CONFIG_FILE` nor `HOME` is set.
    public let configPath: String?
    /// The path of the file with keys; `nil` if neither `AWS_SHARED_CREDENTIALS_FILE` nor `HOME` is set.
    public let credentialsPath: String?
    let config: ConfigSections
    /// The profiles of the file with keys, whose headers are their bare names.
    let keys: [String: Profile]

    /// Reads the files that the environment names, or those in the folder `.aws` of its home folder.
    ///
    /// - Parameter environment: Where `AWS_CONFIG_FILE`, `AWS_SHARED_CREDENTIALS_FILE` and `HOME` are.
    /// - Throws: `AWSError` with code `invalidConfiguration` if a file is there and cannot be understood.
    public init(environment: AWSEnvironment) throws(AWSError) {
        let (config, configPath) = try Self.file("AWS_CONFIG_FILE", "config", environment)
        let (keys, keysPath) = try Self.file("AWS_SHARED_CREDENTIALS_FILE", "credentials", environment)
        self.configPath = configPath
        credentialsPath = keysPath
        self.config = ConfigSections(config)
        self.keys = Dictionary(
            keys.sections.map { ($0.header, Profile(name: $0.header, settings: $0.settings)) }
        ) { $1 }
    }

    /// The names of all profiles, in the order of the alphabet.
    public var profileNames: [String] { Set(config.profiles.keys).union(keys.keys).sorted() }

    /// What both files say about a profile; where both say something, the file with keys holds.
    ///
    /// - Parameter name: The name, to the letter, such as `default`.
    /// - Returns: The profile; `nil` if no file has it.
    public func profile(_ name: String) -> Profile? {
        guard let settings = config.profiles[name] else { return keys[name] }
        return settings.overlaid(with: keys[name])
    }

    /// The names of the files, for sentences.
    var phrase: String {
        let paths = [configPath, credentialsPath].compactMap { $0 }
        return paths.isEmpty ? "any file, as HOME is not set" : paths.joined(separator: " or ")
    }

    private static func file(
        _ variable: String, _ name: String, _ environment: AWSEnvironment
    ) throws(AWSError) -> (INIText, path: String?) {
        let named = environment[variable].map(environment.expanded)
        guard let path = named ?? environment["HOME"].map({ "\($0)/.aws/\(name)" }) else { return (INIText(), nil) }
        let bytes: [UInt8]
        do {
            bytes = try BoundedFile.read(path, limit: limit)
        } catch {
            switch error {
            case .missing: return (INIText(), path)
            // A service may run as another user than the one whose home it was given.
            case .forbidden where named == nil: return (INIText(), path)
            default:
                throw AWSError(
                    .invalidConfiguration, "The file \(Quoted(path)) \(error.phrase).",
                    hint: "It may have at most \(limit >> 20) MB; \(variable) names another one.")
            }
        }
        return (try INIText(parsing: bytes, path: path), path)
    }
}

/// The sections of the file with settings, by what they are.
struct ConfigSections: Sendable {
    private(set) var profiles: [String: Profile] = [:]
    private(set) var sessions: [String: Profile] = [:]
    private(set) var services: [String: Profile] = [:]

    /// Sorts the sections; those of another kind, and those without a name of one word, are left out.
    init(_ text: INIText) {
        for section in text.sections {
            if let name = Self.name(section.header, "profile") {
                profiles[name] = Profile(name: name, settings: section.settings)
            } else if let name = Self.name(section.header, "sso-session") {
                sessions[name] = Profile(name: name, settings: section.settings)
            } else if let name = Self.name(section.header, "services") {
                services[name] = Profile(name: name, settings: section.settings)
            } else if section.header == "default" {
                profiles["default"] = Profile(name: "default", settings: section.settings)
            }
        }
    }

    private static func name(_ header: String, _ kind: String) -> String? {
        guard header.hasPrefix(kind), let words = ShellWords.split(header), words.count == 2 else { return nil }
        return words[1]
    }
}
