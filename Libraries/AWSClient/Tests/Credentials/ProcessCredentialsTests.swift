import Foundation
import Testing

@testable import AWSClient

@Suite("Process credentials")
struct ProcessCredentialsTests {
    static let good = #"{"Version": 1, "AccessKeyId": "P", "SecretAccessKey": "SECRET", "SessionToken": "SECRET-T"}"#

    private func run(_ command: String, _ folder: CredentialsFolder) async throws -> AWSCredentials {
        try await ProcessCredentials(command: command, environment: folder.environment(["MARK": "a mark"]))
            .credentials()
    }

    private func script(_ text: String, _ folder: CredentialsFolder) throws -> String {
        try folder.write("program", "#!/bin/sh\n" + text, mode: 0o700)
    }

    @Test("A program gets its arguments and the environment, and no shell looks at them")
    func arguments() async throws {
        try await CredentialsFolder.with { folder in
            let program = try script(
                """
                test "$#" = 3 && test "$1" = 'a b' && test "$2" = '$HOME;x' && test "$3" = '*' || exit 1
                test "$MARK" = 'a mark' && test -z "$UNSET" || exit 2
                echo SECRET >&2
                echo '{"Version": 1, "AccessKeyId": "P", "SecretAccessKey": "SECRET",'
                echo '"SessionToken": "SECRET-T", "Expiration": "2100-01-01T00:00:00+00:00"}'
                """, folder)
            let found = try await run("\(program) 'a b' $HOME;x \"*\"", folder)
            #expect(found.accessKeyID == "P" && found.sessionToken == "SECRET-T" && found.expiration == 4_102_444_800)
        }
    }

    @Test("A program without a slash is looked for along the PATH of the environment")
    func path() async throws {
        try await CredentialsFolder.with { folder in
            _ = try script("echo '\(Self.good)'", folder)
            let environment = folder.environment(["PATH": "/nowhere:\(folder.path):/usr/bin:/bin"])
            let found = try await ProcessCredentials(command: "program", environment: environment).credentials()
            #expect(found.accessKeyID == "P")
        }
    }

    @Test(
        "A program that fails is named by its source, without what it wrote",
        arguments: [
            ("echo SECRET; echo SECRET >&2; exit 3", "ended with status 3"), ("kill -9 $$", "signal"),
            ("echo SECRET", "JSON object"), ("", "JSON object"), (#"echo '{"Version": 2}'"#, "version 2"),
            (#"echo '{"AccessKeyId": "A"}'"#, "Version"), (#"echo '{"Version": "1"}'"#, "wrong type for “Version”"),
            (#"echo '{"Version": 1}'"#, "AccessKeyId"), ("yes SECRET", "printed more than 65536 bytes"),
            ("head -c 70000 /dev/zero", "printed more than 65536 bytes"),
            (
                "echo '\(good.replacing("}", with: #", "Expiration": "2001-01-01T00:00:00Z"}"#))'",
                "expired"
            ),
        ])
    func failing(text: String, phrase: String) async throws {
        try await CredentialsFolder.with { folder in
            let program = try script(text, folder)
            let error = try await failure(.brokenCredentials) { try await run(program, folder) }
            #expect(error.message.contains(phrase), "\(error)")
            #expect(error.message.hasPrefix("The credential process"))
        }
    }

    @Test(
        "A command that is none is an error",
        arguments: [
            "", "  ", "'open SECRET", "''", "no-such-program-anywhere", "/no/such/program", "/etc",
        ])
    func nothing(command: String) async throws {
        try await CredentialsFolder.with { folder in
            _ = try await failure(.brokenCredentials) { try await run(command, folder) }
        }
    }

    @Test("A program that takes too long is stopped")
    func slow() async throws {
        try await CredentialsFolder.with { folder in
            let program = try script(
                "trap '' TERM; echo $$ > '\(folder.path)/pid'; while :; do sleep 0.1; done", folder)
            // A busy machine may not even start the program in half a second.
            var timeout = Duration.milliseconds(500)
            while !FileManager.default.fileExists(atPath: "\(folder.path)/pid") {
                let provider = ProcessCredentials(
                    program, folder.environment(), source: "The process", timeout: timeout, now: { UTCTime.now })
                let error = try await failure(.brokenCredentials) { try await provider.credentials() }
                #expect(error.message.contains("did not end"))
                timeout *= 2
            }
            let pid = try String(contentsOfFile: "\(folder.path)/pid", encoding: .utf8).trimmingCharacters(
                in: .whitespacesAndNewlines)
            #expect(!FileManager.default.fileExists(atPath: "/proc/\(pid)/exe") || pid.isEmpty)
        }
    }

    @Test("A program that leaves another one behind is not waited for")
    func leftBehind() async throws {
        try await CredentialsFolder.with { folder in
            let program = try script("sleep 20 &\necho '\(Self.good)'", folder)
            #expect(try await run(program, folder).accessKeyID == "P")
        }
    }

    @Test("Whoever is cancelled does not wait for the program")
    func cancelled() async throws {
        try await CredentialsFolder.with { folder in
            let program = try script("touch '\(folder.path)/started'; exec sleep 100", folder)
            let task = Task { try await run(program, folder) }
            while !FileManager.default.fileExists(atPath: "\(folder.path)/started") { await Task.yield() }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("A dump shows nothing of the command")
    func secrecy() {
        #expect(!Secrecy.isLeaking(ProcessCredentials(command: "a --password SECRET", environment: [:])))
    }
}
