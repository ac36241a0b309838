import AWSClient
import DynamoDBPatterns
import Foundation

/// Many book the seats of one show at the same time: none is sold twice, and a booking stands with its seat or not at
/// all.
@main
struct SeatBooking {
    struct Show: Codable, Sendable {
        var id: String
        var free: Int
    }

    struct Booking: Codable, Sendable {
        var id: String
        var show: String
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
        let dynamoDB = DynamoDB(client)
        let shows = VersionedTable<Show>("seat-booking-shows", in: dynamoDB, key: .init(partition: "id"))
        let bookings = VersionedTable<Booking>("seat-booking-bookings", in: dynamoDB, key: .init(partition: "id"))
        try await shows.create(in: dynamoDB, stream: nil)
        try await bookings.create(in: dynamoDB, stream: nil)
        let run = "\(UInt32.random(in: 0 ... .max))"
        let show = PrimaryKey("show-\(run)")
        _ = try await shows.insert(Show(id: "show-\(run)", free: 5))

        let sold = try await withThrowingTaskGroup(of: Bool.self) { group in
            for guest in 1...8 {
                group.addTask { try await book("\(run)-guest-\(guest)", show, shows, bookings) }
            }
            var sold = 0
            for try await isSold in group where isSold { sold += 1 }
            return sold
        }
        let left = try await shows.load(show)
        print("8 guests, 5 seats: \(sold) sold, \(left?.item.free ?? -1) left, version \(left?.version ?? -1)")

        // Who saves what somebody else changed meanwhile is told, and given the newer item.
        let old = try await shows.load(show)
        try await shows.update(show) { $0.free += 2 }
        do {
            if let old { _ = try await shows.save(old) }
        } catch let conflict as Conflict<Show> {
            print("conflict: the newer one has \(conflict.newer?.item.free ?? -1) free seats")
        }
        try await client.shutdown()
    }

    /// Takes a seat, if one is free: both items are written, or none.
    static func book(
        _ id: String, _ show: PrimaryKey, _ shows: VersionedTable<Show>, _ bookings: VersionedTable<Booking>
    ) async throws -> Bool {
        try await shows.api.transact(tries: 50) { transaction in
            guard var current = try await transaction.load(show, from: shows), current.item.free > 0 else {
                return false
            }
            current.item.free -= 1
            try transaction.save(current, in: shows)
            try transaction.insert(Booking(id: id, show: current.item.id), into: bookings)
            return true
        }
    }
}
