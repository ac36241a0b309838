// swift-format-ignore-file
// The code is laid out as in the articles.

import AWSClient
import DynamoDBPatterns
import Foundation
import LambdaRuntime

extension PatternsGuide {
    static func lockingArticle(
        dynamoDB: DynamoDB, counters: VersionedTable<Counter>, stocks: VersionedTable<Counter>
    ) async throws {
        struct Order: Codable, Sendable {
            enum State: String, Codable { case open, paid }
            var id: String
            var state: State
        }

        let orders = VersionedTable<Order>("orders", in: dynamoDB, key: .init(partition: "id"))

        var order = try await orders.insert(Order(id: "7", state: .open))
        order.item.state = .paid
        do {
            order = try await orders.save(order)
        } catch let conflict as Conflict<Order> {
            if let newer = conflict.newer { review(newer.item) }    // the item as it is now; nil if it was deleted
        }
        try await orders.update("7") { $0.state = .paid }
        try await counters.update("visits", orInsert: Counter(id: "visits")) { $0.count += 1 }
        try await dynamoDB.transact { transaction in
            guard var stock = try await transaction.load("lamp", from: stocks), stock.item.count > 0 else {
                throw SoldOut()
            }
            stock.item.count -= 1
            try transaction.save(stock, in: stocks)
            try transaction.insert(Order(id: "8", state: .open), into: orders)
        }
        struct Event: Codable, Sendable { var (id, time) = ("", Date()) }
        let events = VersionedTable<Event>(
            "events", in: dynamoDB, key: .init(partition: "id"),
            encoder: AttributeEncoder(dates: .iso8601), decoder: AttributeDecoder(dates: .iso8601))
        _ = events
        func review(_ order: Order) {}
    }

    static func historicArticle(dynamoDB: DynamoDB, yesterday: Date, loaded: Versioned<Order>) async throws {
        let orders = VersionedTable<Order>("orders", in: dynamoDB, key: .init(partition: "id"))
        let history = try Historic("orders", of: orders, in: PatternTable("orders-history", in: dynamoDB), author: "editor")

        // For each record of the stream, in Lambda or in a consumer of your own. By attributes, and not by the type: what was
        // written before a change of the type is recorded, too.
        let recorder = try StreamProcessor<[String: AttributeValue]>("recorder") { try await history.record($0.record) }
        let page = try await history.history(of: "7")            // newest first
        for entry in page.entries {
            // `item` throws if the attributes of that time cannot be read as the type of today; `attributes` has them.
            print(entry.version, entry.kind, entry.by ?? "nobody known", try entry.item?.state ?? "deleted")
        }
        switch try await history.item("7", at: yesterday) {
        case .found(let order, let version): print("version \(version): \(order.state)")
        case .deleted(let when, let by): print("deleted at \(when) by \(by ?? "nobody known")")
        case .didNotExistYet: print("inserted later")
        case .unknown(let gap): print("no entry after version \(gap.after)")    // versions are missing, or not recorded yet
        }
        try await history.restore("7", at: yesterday)            // as a new version, which the history gets too
        try await history.restore(page.entries[3])
        try await history.delete(loaded, by: "ann")               // what orders.load("7") returned
        _ = recorder
    }

    static func uniqueArticle(
        table: PatternTable, dynamoDB: DynamoDB, user: User, users: VersionedTable<User>, new: String
    ) async throws {
        let emails = try UniqueConstraint("users.email", in: table)

        do {
            try await dynamoDB.transact { transaction in
                try transaction.claim(user.email, for: user.id, in: emails)
                try transaction.insert(user, into: users)
            }
        } catch let error as PatternError where error.code == .taken {
            // Another user has this address; nothing was written.
        }

        // A change of the value, and the end of its item:
        try await dynamoDB.transact { transaction in
            guard var user = try await transaction.load("7", from: users) else { return }
            try transaction.move(from: user.item.email, to: new, of: "7", in: emails)
            user.item.email = new
            try transaction.save(user, in: users)
        }
        try await dynamoDB.transact { transaction in
            guard let user = try await transaction.load("7", from: users) else { return }
            try transaction.release(user.item.email, of: "7", in: emails)
            try transaction.delete(user, from: users)
        }
    }

    static func idempotencyArticle(
        table: PatternTable, bank: Bank, invocation: Invocation, deadline: Date, request: Request,
        item: [String: AttributeValue], message: QueueMessage, stocks: VersionedTable<Counter>
    ) async throws {
        let payments = try IdempotentHandler("payments", answering: Receipt.self, in: table)

        // In a Lambda function; in a server leave out the deadline.
        let left = (invocation.deadline - .now) / .seconds(1)
        let receipt = try await payments.handle(
            request.id, payload: request, until: Date(timeIntervalSinceNow: left - 1)
        ) { call in
            call.write(.put(.init(tableName: "receipts", item: item)))                 // exactly once
            return try await bank.pay(request.amount, key: call.idempotencyKey)        // at least once, under one key
        }.answer
        let inbox = try Inbox("orders", in: table)
        try await inbox.receive(message.id, until: deadline) { call in
            try await fulfil(message, key: call.idempotencyKey)
        }

        // If all that the message does is a transaction of VersionedTables, no claim is needed:
        try await inbox.transact(message.id) { transaction in
            guard var stock = try await transaction.load("lamp", from: stocks) else { throw NoSuchThing() }
            stock.item.count -= 1
            try transaction.save(stock, in: stocks)
        }
        _ = receipt
    }
}
