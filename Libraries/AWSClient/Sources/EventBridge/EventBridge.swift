/// Amazon EventBridge: events that rules of a bus pass on to their targets.
///
/// Calls throw `AWSError`, whose `mayHaveTakenEffect` says whether events of a call that failed may be on the bus all
/// the same, or `CancellationError`, after which that is unknown. A try whose answer was lost is sent again, so targets
/// can get an event twice, with two ids.
/// Source: the Amazon EventBridge API Reference, version 2015-10-07.
public struct EventBridge: Sendable {
    let client: AWSClient

    /// The event buses in the client's region.
    public init(_ client: AWSClient) { self.client = client }

    /// Puts events on buses, each for itself: some may be taken and others not.
    ///
    /// Events that were not taken are not sent again here; a call that is throttled as a whole is.
    ///
    /// - Parameter entries: From 1 to 10 events, with no more than `MessageSize.always` bytes together to be sure.
    /// - Returns: One result for each entry, in their order: the id of the event, or AWS's code and sentence, such as
    ///   `ThrottlingException`, for an event that is not on its bus.
    /// - Throws: `AWSError` with AWS's own code where all were refused; with code `invalidRequest`, before anything was
    ///   sent, where a bus's ARN is none, a bus is in another region, or the events are longer than
    ///   `MessageSize.maximum`.
    public func putEvents(_ entries: [PutEventsEntry]) async throws -> [Result<String, AWSError>] {
        for entry in entries { try check(entry.eventBusName) }
        try MessageSize.check(entries.reduce(0) { $0 + $1.size }, of: "A list of events", takenBy: "event bus")
        let call = ServiceCall(
            json: .eventBridge, targetPrefix: "AWSEvents", operation: "PutEvents", version: "1.1",
            body: try ServiceJSON.bytes(of: PutEvents(entries: entries), operation: "PutEvents"), isWrite: true)
        let answer = try await client.call(call)
        let outcome: PutEventsOutcome = try ServiceJSON.value(of: answer, for: call)
        let results = outcome.entries.map { $0.result(requestID: answer.requestID) }
        let failures = results.count { if case .failure = $0 { true } else { false } }
        // An answer that counts otherwise leaves it open which events are on their bus.
        guard results.count == entries.count, failures == outcome.failedEntryCount ?? 0 else {
            throw AWSError(
                .invalidAnswer,
                "The answer to PutEvents has \(results.count) results, of which \(failures) are failures, for "
                    + "\(entries.count) events, and counts \(outcome.failedEntryCount ?? 0) failures.",
                hint: "Is the endpoint another server?", status: answer.status, requestID: answer.requestID,
                mayHaveTakenEffect: true)
        }
        return results
    }

    /// A bus is named by its name alone, or by its ARN.
    private func check(_ bus: String?) throws(AWSError) {
        guard let bus, bus.contains(":") else { return }
        guard let arn = ARN(bus), arn.service == "events", arn.resource.hasPrefix("event-bus/") else {
            throw AWSError(
                .invalidRequest, "\(Quoted(bus)) is not the name or ARN of an event bus.",
                hint: "Write it as NAME or arn:aws:events:REGION:ACCOUNT:event-bus/NAME.")
        }
        try client.checkRegion(arn.region, of: "event bus", named: bus)
    }
}

/// The request `PutEvents`.
private struct PutEvents: Encodable {
    let entries: [PutEventsEntry]
}

/// The answer to `PutEvents`.
private struct PutEventsOutcome: Decodable {
    let failedEntryCount: Int?
    let entries: [Entry]

    /// What became of one event.
    struct Entry: Decodable {
        let eventId: String?
        let errorCode: String?
        let errorMessage: String?

        func result(requestID: String?) -> Result<String, AWSError> {
            if errorCode == nil, let eventId { return .success(eventId) }
            let code = errorCode.flatMap(AWSError.Code.init(answered:)) ?? .invalidAnswer
            let message = errorMessage.map { Quoted.shown($0, limit: 1000) } ?? "EventBridge did not take the event."
            return .failure(AWSError(code, message, requestID: requestID))
        }
    }
}
