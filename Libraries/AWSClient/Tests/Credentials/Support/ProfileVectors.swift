import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What botocore makes of files, profiles, endpoints, commands and times; `Scripts/make-profile-vectors.py` wrote it
/// down.
struct ProfileVectors: Decodable, Sendable {
    let files: [File]
    let commands: [Command]
    let times: [Time]
    let layouts: [Layout]
    let endpoints: [Endpoint]

    /// A value of the file, whatever it is.
    enum Value: Decodable, Equatable, Sendable {
        case text(String)
        case object([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }
    }

    struct File: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let sections: Value
        let ours: Value?
        let map: Value?

        var testDescription: String { name }
    }

    struct Command: Decodable, Sendable {
        let text: String
        let words: [String]?
    }

    struct Time: Decodable, Sendable {
        let text: String
        let seconds: Double
    }

    struct Layout: Decodable, Sendable, CustomTestStringConvertible {
        struct Outcome: Decodable, Equatable, Sendable {
            var key: String?
            var token: String?
            var calls: [Call]?
            var none: Bool?
            var error: Bool?
        }

        struct Call: Decodable, Equatable, Sendable {
            var action: String?
            var role: String?
            var token: String?
            var session: String?
            var external: String?
            var duration: Int?
            var signer: String?
        }

        let name: String
        let config: String?
        let credentials: String?
        let env: [String: String]?
        let files: [String: String]?
        let profile: String?
        let expected: Outcome
        let ours: Outcome?

        var testDescription: String { name }
    }

    struct Endpoint: Decodable, Sendable {
        let service: String
        let env: [String: String]
        let config: String
        let url: String
    }

    static let all: ProfileVectors = {
        do {
            let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let data = try Data(contentsOf: folder.appending(path: "Fixtures/profile-vectors.json"))
            return try JSONDecoder().decode(ProfileVectors.self, from: data)
        } catch {
            Issue.record(error)
            return ProfileVectors(files: [], commands: [], times: [], layouts: [], endpoints: [])
        }
    }()
}
