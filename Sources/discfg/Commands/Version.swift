import ArgumentParser

/// `discfg version`: prints the version.
struct Version: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

    func run() throws {
        try Descriptor.output.write(Array("discfg \(Discfg.version)\n".utf8))
    }
}
