import AWSClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A folder of its own for one test, with the files that credentials come from.
struct CredentialsFolder: Sendable {
    let path: String

    /// Makes a folder, runs the test, and removes it.
    static func with<Result>(_ body: (CredentialsFolder) async throws -> Result) async throws -> Result {
        let url = FileManager.default.temporaryDirectory.appending(path: "aws-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: url) }
        return try await body(CredentialsFolder(path: url.path))
    }

    /// Writes a file, and returns its path.
    @discardableResult
    func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let file = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        return file
    }

    /// Variables that lead nowhere but into this folder and to a server.
    func environment(_ variables: [String: String] = [:], server: String = "http://127.0.0.1:1") -> AWSEnvironment {
        let all = [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": path,
            "AWS_REGION": "eu-west-1", "AWS_CONFIG_FILE": "\(path)/config",
            "AWS_SHARED_CREDENTIALS_FILE": "\(path)/credentials", "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_EC2_METADATA_SERVICE_ENDPOINT": server, "AWS_ENDPOINT_URL_STS": server,
        ]
        return AWSEnvironment(all.merging(variables) { $1 })
    }
}
