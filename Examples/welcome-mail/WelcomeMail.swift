import AWSClient
import DynamoDBPatterns
import Foundation

/// Two streams, recommendations and log-ins, merged before one mail is sent; and what happens when one never comes.
@main
struct WelcomeMail {
    enum Event: Codable, Sendable {
        case recommendations([String])
        case logIn(name: String)
    }

    struct Mail: Codable, Sendable {
        var recommendations: [String] = []
        var name: String?
    }

    static func main() async {
        // An error that leaves main() is printed as a crash. Caught, it is one line that says what to do.
        do { try await run() } catch {
            print(error)
            exit(1)
        }
    }

    static func run() async throws {
        let client = try AWSClient(configuration: AWSConfiguration(environment: .process()))
        try await PatternTable.create("welcome-mail", in: DynamoDB(client))
        let table = PatternTable("welcome-mail", in: DynamoDB(client))
        let mails = try Aggregator(
            "mails", of: Event.self, in: table,
            rule: .merging(into: Mail()) { mail, event in
                switch event {
                case .recommendations(let titles): mail.recommendations += titles
                case .logIn(let name): mail.name = name
                }
            } until: { mail, _ in
                mail.name != nil && mail.recommendations.count >= 2
            },
            timeout: .milliseconds(200))
        let run = "\(UInt32.random(in: 0 ... .max))"

        // Ada's events come from two sides, one of them twice. Whoever adds the last one sends the mail.
        let ada: [(String, Event)] = [
            ("books-1", .recommendations(["On Numbers"])), ("log-in", .logIn(name: "Ada")),
            ("books-1", .recommendations(["On Numbers"])), ("books-2", .recommendations(["On Engines"])),
        ]
        for (id, event) in ada {
            let addition = try await mails.add(event, id: id, to: "ada-\(run)")
            print("ada, \(id): \(addition)")
            if addition == .completed { try await mails.act(on: "ada-\(run)", send) }
        }

        // Bob never logs in: the schedule finds him when his time is over.
        print("bob, books: \(try await mails.add(.recommendations(["On Time"]), id: "books", to: "bob-\(run)"))")
        var acted: [String] = []
        while !acted.contains("bob-\(run)") {
            try await Task.sleep(for: .milliseconds(100))
            acted += try await mails.sweep(send).acted
        }
        try await client.shutdown()
    }

    @Sendable static func send(_ set: Aggregate<Event, Mail>) -> [TransactWriteItem] {
        let titles = set.value.recommendations.joined(separator: ", ")
        if set.isTimedOut {
            print("NO MAIL: the set timed out with \(set.count) event(s): \(titles)")
        } else {
            print("MAIL to \(set.value.name ?? "nobody"): \(titles)")
        }
        return []
    }
}
