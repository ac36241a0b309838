import DiscfgCore

/// Which config a command works on, and who said so.
struct ConfigChoice: Sendable, Hashable {
    /// Who named the config.
    enum Source: Sendable, Hashable, CustomStringConvertible {
        case argument, option, environment
        /// A `.discfg` file, by its path.
        case file(String)
        case fallback

        var description: String {
            switch self {
            case .argument: "the argument"
            case .option: "--cfg"
            case .environment: "DISCFG_CFG"
            case .file(let path): path
            case .fallback: "the default"
            }
        }
    }

    let name: ConfigName
    let source: Source

    init(argument: String?, option: String?, environment: [String: String], directory: String) throws(DiscfgError) {
        if let argument {
            (name, source) = (try ConfigName(argument), .argument)
        } else if let option {
            (name, source) = (try ConfigName(option), .option)
        } else if let variable = environment["DISCFG_CFG"].nonEmpty {
            (name, source) = (try ConfigName(variable), .environment)
        } else if let file = DirectoryFile.find(from: directory) {
            (name, source) = (try DirectoryFile.read(file), .file(file))
        } else {
            (name, source) = (.default, .fallback)
        }
    }
}

/// The file `.discfg`, in which a directory remembers the config for itself and the directories below.
enum DirectoryFile {
    static let name = ".discfg"

    /// The nearest file, in the directory or above it.
    static func find(from directory: String) -> String? {
        var folder = directory
        while true {
            let path = folder == "/" ? "/" + name : folder + "/" + name
            if LocalFile.exists(path) { return path }
            guard let slash = folder.lastIndex(of: "/"), folder != "/" else { return nil }
            folder = slash == folder.startIndex ? "/" : String(folder[..<slash])
        }
    }

    /// The config that a file names: `{"cfg":"NAME"}`.
    static func read(_ path: String) throws(DiscfgError) -> ConfigName {
        let bytes = try LocalFile.read(path, limit: 65_536)
        guard let name = (try? JSONValue(parsing: bytes))?["cfg"]?.string else {
            throw .invalid("“\(path)” does not name a config.", hint: "Write it again with “discfg use NAME”.")
        }
        return try ConfigName(name)
    }

    /// Writes the file into a directory, and returns its path.
    static func write(_ config: ConfigName, in directory: String) throws(DiscfgError) -> String {
        let path = directory == "/" ? "/" + name : directory + "/" + name
        let content: JSONValue = ["cfg": .string(config.description)]
        try LocalFile.write(content.bytes + [0x0A], to: path)
        return path
    }
}
