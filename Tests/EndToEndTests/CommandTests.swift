import Foundation
import Testing

/// What commands print in cases that the tour and the comparison of stores do not have.
@Suite("Commands")
struct CommandTests {
    @Test("A key without a leading slash is listed, read and deleted by the same name")
    func bareKeys() async throws {
        try await Sandbox.with { sandbox in
            #expect(try await sandbox.discfg("set", "bare:app/name", "svc").output.contains("set bare:app/name  "))
            #expect(try await sandbox.discfg("ls", "-r").output == "bare:app/name\n")
            #expect(try await sandbox.discfg("ls").output == "bare:app/\n")
            #expect(try await sandbox.discfg("ls", "bare:app").output == "bare:app/name\n")
            #expect(try await sandbox.discfg("get", "bare:app/name").output == "svc\n")
            #expect(try await sandbox.discfg("get", "app/name").status == 1)
            #expect(try await sandbox.discfg("env", "bare:app").output == "NAME=svc\n")
            let all = try await sandbox.discfg("export")
            #expect(all.status == 0 && all.output == "{}\n")
            #expect(all.error.contains("1 key without a leading “/” left out, such as “bare:app/name”"), "\(all.error)")
            let directory = try await sandbox.discfg("export", "bare:app", "--as", "yaml")
            #expect(directory.output == "name: svc\n" && directory.error.isEmpty, "\(directory.error)")
            #expect(try await sandbox.discfg("delete", "bare:app/name").status == 0)
            #expect(try await sandbox.discfg("history", "bare:app").output.contains("delete bare:app/name"))
        }
    }
}
