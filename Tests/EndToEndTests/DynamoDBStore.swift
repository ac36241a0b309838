import AWSTestSupport
import Foundation
import Testing

/// A sandbox whose commands use a table of the stand-in for AWS.
enum DynamoDBStore {
    /// Shown where the stand-in is not installed.
    static let isAvailable = ConditionTrait.enabled(
        if: Ministack.skipReason == nil, Comment(rawValue: Ministack.skipReason ?? ""))

    /// Runs a test in a sandbox with a table that is yet to be made.
    static func with(_ body: (Sandbox) async throws -> Void) async throws {
        let ministack = try await Ministack.shared()
        try await with(endpoint: ministack.url, body)
    }

    /// The same, with what stands before the stand-in.
    static func with(endpoint: String, _ body: (Sandbox) async throws -> Void) async throws {
        try await Sandbox.with { sandbox in
            let store = "dynamodb:e2e-\(UUID().uuidString)?region=\(Ministack.region)&endpoint=\(endpoint)"
            var sandbox = sandbox.on(store)
            sandbox.variables = [
                "AWS_ACCESS_KEY_ID": Ministack.rootKey.id, "AWS_SECRET_ACCESS_KEY": Ministack.rootKey.secret,
            ]
            try await body(sandbox)
        }
    }
}
