import ArgumentParser
import DiscfgCore
import Foundation
import Testing

@testable import discfg

@Suite("Global options")
struct SettingsTests {
    private func settings(
        _ arguments: [String] = [], config: String? = nil, environment: [String: String] = [:], directory: String = "/"
    ) throws -> Settings {
        try Settings(
            try GlobalOptions.parse(arguments), config: config,
            environment: ["HOME": "/h"].merging(environment) { $1 }, directory: directory)
    }

    @Test("What prints settings, as ServiceLifecycle does with its services, prints nothing of the environment")
    func secrets() throws {
        struct Holder { let settings: Settings }
        let settings = try settings(environment: ["AWS_SECRET_ACCESS_KEY": "top-secret"])
        var dumped = ""
        dump(Holder(settings: settings), to: &dumped)
        for text in ["\(settings)", "\(Holder(settings: settings))", String(reflecting: settings), dumped] {
            #expect(!text.contains("top-secret"))
        }
    }

    @Test("Without options and variables there are defaults")
    func defaults() throws {
        let settings = try settings()
        #expect(settings.config.name == .default)
        #expect(settings.config.source == .fallback)
        #expect(settings.format == .human)
        #expect(settings.logging == .warning)
    }

    @Test("An option beats its variable")
    func optionsFirst() throws {
        let environment = [
            "DISCFG_STORE": "memory:", "DISCFG_CFG": "a", "DISCFG_FORMAT": "yaml", "DISCFG_LOG_LEVEL": "info",
            "DISCFG_AUTHOR": "anna",
        ]
        let variables = try settings(environment: environment)
        #expect(variables.store.description == "memory:")
        #expect(variables.config.name.description == "a")
        #expect(variables.config.source == .environment)
        #expect(variables.format == .yaml)
        #expect(variables.logging == .info)
        #expect(variables.author == "anna")
        let arguments = ["--store", "sqlite:x", "--cfg", "b", "-f", "json", "--log-level", "debug", "--author", "bob"]
        let options = try settings(arguments, environment: environment)
        #expect(options.store.description == "sqlite:x")
        #expect(options.config.name.description == "b")
        #expect(options.config.source == .option)
        #expect(options.format == .json)
        #expect(options.logging == .debug)
        #expect(options.author == "bob")
        #expect(try settings(arguments, config: "c").config.source == .argument)
    }

    @Test("A command in a hint has the store and the config that the command line named")
    func hints() throws {
        let plain = try settings(environment: ["DISCFG_STORE": "memory:", "DISCFG_CFG": "a"])
        #expect(plain.completed(hint: "See “discfg ls -r”.") == "See “discfg ls -r”.")
        let named = try settings(["--store", "sqlite:my file.db", "--cfg", "staging"])
        let both = "--store 'sqlite:my file.db' --cfg staging"
        #expect(named.completed(hint: "See “discfg ls -r”, or not.") == "See “discfg ls -r \(both)”, or not.")
        #expect(
            named.completed(hint: "See “discfg ls --cfg b”.") == "See “discfg ls --cfg b --store 'sqlite:my file.db'”.")
        #expect(
            named.completed(hint: "“discfg create x”, “discfg cfgs”")
                == "“discfg create x --store 'sqlite:my file.db'”, “discfg cfgs --store 'sqlite:my file.db'”")
        for other in ["“discfg serve”", "“discfg txn --help”", "“discfg delete --prefix” splits", "“discfg ", ""] {
            #expect(named.completed(hint: other) == other)
        }
        #expect(try settings(config: "b").completed(hint: "“discfg ls”") == "“discfg ls --cfg b”")
        let error = named.completed(DiscfgError(.keyNotFound, "No.", hint: "“discfg ls”")) as? DiscfgError
        #expect(error?.hint == "“discfg ls \(both)”")
    }

    @Test("An empty variable counts as none, and a wrong one is named")
    func variables() throws {
        #expect(try settings(environment: ["DISCFG_FORMAT": "", "DISCFG_CFG": ""]).format == .human)
        let error = try #require(throws: DiscfgError.self) { try settings(environment: ["DISCFG_FORMAT": "xml"]) }
        #expect(error.message.contains("DISCFG_FORMAT"))
    }

    @Test("A directory remembers its config for the directories below, behind the variable")
    func directoryFile() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let deep = root.appendingPathComponent("a/b")
        try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        let path = try DirectoryFile.write(ConfigName("production"), in: root.path)
        let found = try settings(directory: deep.path)
        #expect(found.config.name.description == "production")
        #expect(found.config.source == .file(path))
        #expect(try settings(environment: ["DISCFG_CFG": "x"], directory: deep.path).config.source == .environment)
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: DiscfgError.self) { try settings(directory: deep.path) }
    }
}
