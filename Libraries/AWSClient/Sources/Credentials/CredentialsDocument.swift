#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The JSON object with which programs, containers and instances answer.
struct CredentialsDocument: Decodable {
    /// The longest answer that is taken, in bytes.
    static let limit = 65_536

    let version: Int?
    let code: String?
    let accessKeyID: String?
    let secretAccessKey: String?
    let token: String?
    let expiration: String?

    private enum CodingKeys: String, CodingKey {
        case version = "Version"
        case code = "Code"
        case accessKeyID = "AccessKeyId"
        case secretAccessKey = "SecretAccessKey"
        case token = "Token"
        case sessionToken = "SessionToken"
        case expiration = "Expiration"
    }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        version = try object.decodeIfPresent(Int.self, forKey: .version)
        code = try object.decodeIfPresent(String.self, forKey: .code)
        accessKeyID = try object.decodeIfPresent(String.self, forKey: .accessKeyID)
        secretAccessKey = try object.decodeIfPresent(String.self, forKey: .secretAccessKey)
        token =
            try object.decodeIfPresent(String.self, forKey: .token)
            ?? object.decodeIfPresent(String.self, forKey: .sessionToken)
        expiration = try object.decodeIfPresent(String.self, forKey: .expiration)
    }

    /// Reads an answer.
    ///
    /// - Parameters:
    ///   - bytes: The answer.
    ///   - source: Who answered, as the beginning of a sentence.
    /// - Throws: `brokenCredentials`; nothing of the answer is in it but the names of members that we know.
    init(parsing bytes: [UInt8], from source: String) throws(AWSError) {
        guard bytes.count <= Self.limit else {
            throw .broken("\(source) answered with more than \(Self.limit) bytes.", hint: "Is it the right one?")
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
        } catch DecodingError.typeMismatch(_, let context) {
            guard let member = context.codingPath.last?.stringValue else { throw Self.notAnObject(source) }
            throw .broken("\(source) answered with a value of the wrong type for “\(member)”.")
        } catch {
            throw Self.notAnObject(source)
        }
    }

    /// The credentials in the answer.
    ///
    /// - Parameters:
    ///   - source: Who answered, as the beginning of a sentence.
    ///   - isTemporary: Whether a token and an expiration have to be there.
    ///   - now: Seconds since 1970.
    /// - Returns: Credentials that can be sent.
    /// - Throws: `brokenCredentials` if something is missing, or they have expired.
    func credentials(from source: String, isTemporary: Bool, now: Double) throws(AWSError) -> AWSCredentials {
        guard let accessKeyID else { throw Self.missing(.accessKeyID, source) }
        guard let secretAccessKey else { throw Self.missing(.secretAccessKey, source) }
        if isTemporary, token == nil { throw Self.missing(.token, source) }
        if isTemporary, expiration == nil { throw Self.missing(.expiration, source) }
        let seconds = expiration.map(ISOTime.seconds)
        if case .some(.none) = seconds {
            throw .broken("\(source) answered with an “Expiration” that is not a time.")
        }
        let credentials = AWSCredentials(
            accessKeyID, secretAccessKey, token: token, expiration: seconds ?? nil)
        return try credentials.checked(from: source, now: now)
    }

    private static func notAnObject(_ source: String) -> AWSError {
        .broken("\(source) did not answer with a JSON object.", hint: "Is it the right one?")
    }

    private static func missing(_ key: CodingKeys, _ source: String) -> AWSError {
        .broken("\(source) answered without “\(key.rawValue)”.")
    }
}
