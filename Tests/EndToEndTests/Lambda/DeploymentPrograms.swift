import AWSTestSupport
import DiscfgCore
import Foundation
import Testing

/// The programs beside these tests that judge the templates of deploy/, and deploy them to AWS's stand-in.
enum DeploymentPrograms {
    private static let python =
        (ProcessInfo.processInfo.environment[RuntimeInterfaceEmulator.environmentVariable]
            ?? Sandbox.checkout.path + "/.venv-lambda") + "/bin/python"

    /// Shown where what they need is not installed.
    static let areAvailable = ConditionTrait.enabled(
        if: FileManager.default.isExecutableFile(atPath: python) && Ministack.skipReason == nil,
        Comment(rawValue: Ministack.skipReason ?? "There is no \(python): run make test."))

    /// Runs one; its last line says why where it was skipped.
    static func run(_ program: String, _ arguments: [String], in sandbox: Sandbox) async throws -> Sandbox.Result {
        let path = Sandbox.checkout.path + "/Tests/EndToEndTests/Deploy/\(program)"
        let words = ([python, "-B", path] + arguments).map { "'\($0)'" }.joined(separator: " ")
        return try await sandbox.bash("exec \(words)")
    }

    /// Something in the checkout.
    static func file(_ name: String) -> String { Sandbox.checkout.path + "/" + name }
}
