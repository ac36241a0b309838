#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import NIOCore
import NIOHTTP1

/// A request of a client, as far as the proxy understands it.
struct ProxiedRequest: Sendable {
    var head: HTTPRequestHead
    var body: ByteBuffer?
    /// What it asks for, such as `PutItem`.
    var operation: String

    init(_ request: NIOHTTPServerRequestFull) {
        head = request.head
        body = request.body
        if let target = head.headers.first(name: "x-amz-target"), let name = target.split(separator: ".").last {
            operation = String(name)
        } else {
            operation = "\(head.method) \(head.uri.prefix { $0 != "?" })"
        }
    }

    /// The same when the client sends the request again, with the same body.
    var identity: Int {
        var hasher = Hasher()
        hasher.combine(operation)
        hasher.combine(body)
        return hasher.finalize()
    }

    /// Whether it is a transaction of DynamoDB, whose errors say what was wrong with each item.
    var isTransaction: Bool { operation == "TransactWriteItems" || operation == "TransactGetItems" }

    /// Whether it is one of DynamoDB's reads.
    var isRead: Bool { ["GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan"].contains(operation) }

    /// The table, or the first of several, and how many items a transaction has.
    var content: Content {
        let bytes = Data((body ?? ByteBuffer()).readableBytesView)
        return (try? JSONDecoder().decode(Content.self, from: bytes)) ?? Content(table: nil, itemCount: 0)
    }

    /// The region for which it is signed: the third part of the credential's scope.
    var region: String? {
        guard let authorization = head.headers.first(name: "authorization"),
            let start = authorization.firstRange(of: "Credential=")
        else { return nil }
        let scope = authorization[start.upperBound...].prefix { $0 != "," && $0 != " " }.split(separator: "/")
        return scope.count > 2 ? String(scope[2]) : nil
    }

    /// What a body says, minimally.
    struct Content: Sendable {
        var table: String?
        var itemCount: Int
    }
}

extension ProxiedRequest.Content: Decodable {
    private enum Member: String, CodingKey {
        case table = "TableName"
        case batch = "RequestItems"
        case transaction = "TransactItems"
    }

    private struct Target: Decodable {
        private enum CodingKeys: String, CodingKey { case table = "TableName" }
        var table: String
    }

    private struct Anything: Decodable {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        // A member of a transaction is an object with one member, the action, which names the table.
        let items = try container.decodeIfPresent([[String: Target]].self, forKey: .transaction) ?? []
        let batch = try container.decodeIfPresent([String: Anything].self, forKey: .batch)
        table =
            try container.decodeIfPresent(String.self, forKey: .table) ?? items.first?.values.first?.table
            ?? batch?.keys.min()
        itemCount = items.count
    }
}
