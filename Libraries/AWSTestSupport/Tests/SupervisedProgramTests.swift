import Foundation
import SystemPackage
import Testing

@testable import AWSTestSupport

/// Programs that end with the process that started them.
@Suite("Supervised program")
struct SupervisedProgramTests {
    /// Runs a shell script in a folder of its own.
    private static func start(_ script: String) throws -> (program: SupervisedProgram, folder: URL) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "supervised-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = try SupervisedProgram.start(
            "/bin/sh", ["-c", script], environment: ["PATH": "/usr/bin:/bin", "GREETING": "hello"],
            in: FilePath(folder.path))
        return (program, folder)
    }

    @Test("One that ends by itself leaves its last words and no folder, however much it said")
    func ending() async throws {
        let (program, folder) = try Self.start("head -c 3000000 /dev/zero | tr '\\0' x; echo $GREETING >&2; exit 3")
        try await eventually { program.hasEnded }
        #expect(program.lastOutput.hasSuffix("xxxhello\n") && program.lastOutput.utf8.count == 2048)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        await program.stop()
    }

    @Test("Stopping kills it with all that it started, also what minds no signal but that")
    func stopping() async throws {
        let (program, folder) = try Self.start(
            "trap '' TERM INT HUP; (trap '' TERM INT HUP; while :; do sleep 1; done) & echo $! $$; wait")
        try await eventually { program.lastOutput.hasSuffix("\n") }
        let identities = program.lastOutput.split(whereSeparator: \.isWhitespace).compactMap { pid_t($0) }
        #expect(identities.count == 2 && identities.allSatisfy { kill($0, 0) == 0 })
        await program.stop()
        try await eventually { identities.allSatisfy { kill($0, 0) != 0 } }
        #expect(program.hasEnded && !FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("One that cannot be run ends with the reason")
    func missing() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "supervised-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = try SupervisedProgram.start("/nowhere/program", environment: [:], in: FilePath(folder.path))
        try await eventually { program.hasEnded }
        #expect(program.lastOutput.contains("/nowhere/program"))
    }
}
