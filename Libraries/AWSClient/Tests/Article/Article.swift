import AWSClient

/// Reserves a seat, unless another guest has it.
func reserve(_ seat: String, for guest: String, in dynamoDB: DynamoDB) async throws -> Bool {
    do {
        _ = try await dynamoDB.putItem(
            PutItemRequest(
                tableName: "seats", item: ["seat": .string(seat), "guest": .string(guest)],
                // Holds for the same guest, too: after a lost answer the client sends the write again.
                conditionExpression: "attribute_not_exists(seat) OR guest = :guest",
                expressionAttributeValues: [":guest": .string(guest)]))
        return true
    } catch let error as AWSError where error.code == .conditionalCheckFailed {
        return false
    }
}

struct Booking {
    static func main() async throws {
        // Region, credentials and endpoints come from the variables and files that every AWS SDK reads.
        let client = try AWSClient(configuration: AWSConfiguration(environment: .process()))
        let dynamoDB = DynamoDB(client)
        let isReserved = try await reserve("A12", for: "ada", in: dynamoDB)
        print(isReserved ? "The seat is reserved." : "Another guest has the seat.")
        let found = try await dynamoDB.getItem(
            GetItemRequest(tableName: "seats", key: ["seat": .string("A12")], consistentRead: true))
        print(found.item?["guest"]?.string ?? "Nobody has it.")
        // Closes the connections.
        try await client.shutdown()
    }
}
