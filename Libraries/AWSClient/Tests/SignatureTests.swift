import Testing

@testable import AWSClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Signature version 4")
struct SignatureTests {
    /// One request, and how botocore signs it; made by Scripts/make-signature-vectors.py.
    struct Vector: Decodable {
        let name: String
        let method: String
        let url: String
        let headers: [[String]]
        let body: String
        let service: String
        let region: String
        let date: Double
        let accessKeyID: String
        let secretAccessKey: String
        let sessionToken: String?
        let canonicalRequest: String
        let stringToSign: String
        let signature: String
        let authorization: String

        var steps: SignatureV4.Steps {
            get throws {
                let credentials = AWSCredentials(
                    accessKeyID: accessKeyID, secretAccessKey: secretAccessKey, sessionToken: sessionToken)
                let request = HTTPRequest(
                    method: method, url: url, headers: headers.map { HTTPHeader($0[0], $0[1]) }, body: Array(body.utf8))
                return try SignatureV4(credentials: credentials, region: region, service: service, date: date)
                    .steps(of: request)
            }
        }
    }

    @Test("signs as botocore does, step by step")
    func vectors() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Fixtures/signature-vectors.json")
        let vectors = try JSONDecoder().decode([Vector].self, from: Data(contentsOf: file))
        #expect(vectors.count >= 500)
        for vector in vectors {
            let steps = try vector.steps
            try #require(steps.canonicalRequest == vector.canonicalRequest, "\(vector.name)")
            try #require(steps.stringToSign == vector.stringToSign, "\(vector.name)")
            try #require(steps.signature == vector.signature, "\(vector.name)")
            try #require(steps.authorization == vector.authorization, "\(vector.name)")
            #expect(steps.request.headers.last == HTTPHeader("Authorization", vector.authorization))
        }
    }

    @Test("replaces an older signature, and adds neither a second host nor an absent token")
    func headers() throws {
        let signature = SignatureV4(
            credentials: AWSCredentials(accessKeyID: "A", secretAccessKey: "S"), region: "r", service: "s", date: 0)
        let once = try signature.signed(
            HTTPRequest(method: "GET", url: "http://h/", headers: [HTTPHeader("Host", "h")]))
        #expect(try signature.signed(once).headers == once.headers)
        #expect(once.headers.map(\.name) == ["Host", "X-Amz-Date", "Authorization"])
        #expect(once.headers[1].value == "19700101T000000Z")
    }

    @Test(
        "refuses what is no address of a service",
        arguments: ["", "dynamodb", "ftp://host/", "http:/host", "http://", "http://user@host/", "http://a b/"])
    func addresses(url: String) {
        let signature = SignatureV4(
            credentials: AWSCredentials(accessKeyID: "A", secretAccessKey: "S"), region: "r", service: "s", date: 0)
        let error = #expect(throws: AWSError.self) { try signature.signed(HTTPRequest(method: "GET", url: url)) }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test("keeps a bounded number of signing keys, and never takes one for another")
    func keys() {
        let cache = SigningKeyCache(capacity: 4)
        let keys = (0..<20).map { cache.key(secret: "s\($0)", day: "20260101", region: "r", service: "s") }
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 != $1 })
        #expect(cache.count <= 4)
        #expect(cache.key(secret: "s0", day: "20260101", region: "r", service: "s") == keys[0])
        #expect(cache.key(secret: "s0", day: "20260102", region: "r", service: "s") != keys[0])
    }

    @Test(
        "reads the dates of HTTP, and nothing else",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Sunday, 06-Nov-94 08:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 25:49:37 GMT", nil), ("Sun, 06 Foo 1994 08:49:37 GMT", nil),
            ("Wed, 31 Feb 2024 08:49:37 GMT", nil), ("", nil),
            ("Sun, 06 Nov 99999999999999999999 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 -1:49:37 GMT", nil),
        ] as [(String, Double?)])
    func httpDates(text: String, seconds: Double?) {
        #expect(UTCTime.seconds(httpDate: text) == seconds)
    }
}
