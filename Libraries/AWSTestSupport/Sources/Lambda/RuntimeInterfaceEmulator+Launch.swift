#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import NIOCore
import NIOHTTP1
import SystemPackage

extension RuntimeInterfaceEmulator {
    #if arch(arm64)
    private static let programName = "aws-lambda-rie-arm64"
    #else
    private static let programName = "aws-lambda-rie-x86_64"
    #endif

    /// Why it cannot be started from that virtual environment.
    static func skipReason(folder: String?) -> String? {
        #if os(Linux)
        guard let folder, !folder.isEmpty else {
            return "\(environmentVariable) is not set: it names the virtual environment that has aws-sam-cli."
        }
        if path(in: folder) != nil { return nil }
        return "There is no \(programName) of the package aws-sam-cli in the folder \(folder),"
            + " which \(environmentVariable) names."
        #else
        return "The Runtime Interface Emulator of aws-sam-cli is a program for Linux."
        #endif
    }

    /// The emulator in that virtual environment, whichever Python that has.
    private static func path(in folder: String) -> String? {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/lib")) ?? []
        return versions.filter { $0.hasPrefix("python3") }.sorted()
            .map { "\(folder)/lib/\($0)/site-packages/samcli/local/rapid/\(programName)" }
            .first { FileManager.default.fileExists(atPath: $0) }
    }

    /// Starts the program; it may fail yet.
    static func launch(
        _ bootstrap: String, _ handler: String, _ variables: [String: String], timeout: Int, at addresses: Addresses
    ) throws -> SupervisedProgram {
        guard FileManager.default.isExecutableFile(atPath: bootstrap) else {
            throw AWSTestError("There is no program \(bootstrap) that could be the function.")
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "emulator-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        // It goes by the current folder otherwise, which the function does not share with this process.
        let function = bootstrap.hasPrefix("/") ? bootstrap : FileManager.default.currentDirectoryPath + "/" + bootstrap
        var all = [
            "PATH": "/usr/bin:/bin", "HOME": folder, "TMPDIR": folder, "LC_ALL": "C.UTF-8",
            "AWS_LAMBDA_FUNCTION_NAME": "function", "AWS_LAMBDA_FUNCTION_TIMEOUT": "\(timeout)",
            "LAMBDA_TASK_ROOT": FilePath(function).removingLastComponent().string,
        ]
        all.merge(variables) { $1 }
        return try SupervisedProgram.start(
            "/bin/sh",
            [
                "-c", "mkfifo life && exec 9<>life && exec \"$@\"", "sh", try executable(for: folder),
                "--runtime-interface-emulator-address", "\(addresses.invocations.host):\(addresses.invocations.port)",
                "--runtime-api-address", "\(addresses.runtimeAPI.host):\(addresses.runtimeAPI.port)",
                try leash(for: function, in: folder), handler,
            ], environment: all, in: FilePath(folder))
    }

    /// A program that becomes the function, and kills it when the emulator has ended.
    ///
    /// The emulator puts the function into a process group of its own, so what kills the emulator does not reach it.
    /// But the emulator alone holds the pipe `life` open: who reads there learns of its end.
    private static func leash(for function: String, in folder: String) throws -> String {
        let script = """
            #!/bin/sh
            exec 9>&-
            (read -r line <\(quoted("\(folder)/life")); kill -KILL 0) >/dev/null 2>&1 &
            exec \(quoted(function)) "$@"

            """
        let path = "\(folder)/bootstrap"
        try script.write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return path
    }

    /// A text as one word of a shell.
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    /// The emulator, or a copy of it where the package was unpacked without its permission to run.
    private static func executable(for folder: String) throws -> String {
        guard let path = path(in: environment(environmentVariable) ?? "") else {
            throw AWSTestError("The folder that \(environmentVariable) names has no \(programName).")
        }
        if FileManager.default.isExecutableFile(atPath: path) { return path }
        let copy = "\(folder)/\(programName)"
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: copy)
        return copy
    }

    /// Waits until it answers at both of its ports, or is known never to.
    static func answers(
        _ addresses: Addresses, _ program: SupervisedProgram, until deadline: ContinuousClock.Instant
    ) async -> Bool {
        while !program.hasEnded, ContinuousClock.now < deadline {
            let ping = try? await send(.GET, "/2018-06-01/ping", [], to: addresses.runtimeAPI, patience: .seconds(5))
            let other = try? await send(.GET, "/", [], to: addresses.invocations, patience: .seconds(5))
            if ping?.body == Array("pong".utf8), other?.status == 404, !program.hasEnded { return true }
            try? await Task.sleep(for: .milliseconds(10))
        }
        return false
    }
}
