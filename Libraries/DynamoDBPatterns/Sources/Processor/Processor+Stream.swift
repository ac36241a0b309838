public import AWSClient
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a stream's filter looks for: set by the write that makes something due at once, and removed by the claim.
enum ProcessWake {
    static let run = "RUN"
    static let relay = "RELAY"
}

extension Processor {
    /// The filter with which an event source mapping of the table's stream wakes a function for `handle`: when a process
    /// was started, signalled, cancelled or resumed, and when there are new messages; not for what workers write besides.
    ///
    /// It needs a stream with new images.
    public var filterCriteria: FilterCriteria {
        get throws(PatternError) {
            let wakes = EventPattern.newImage(ProcessItem.wake, .equals(ProcessWake.run, ProcessWake.relay))
            return try FilterCriteria(
                EventPattern.keys(PatternTable.Attribute.partition, .hasPrefix(prefix.text)).and(wakes))
        }
    }

    /// Does at once what a change of the table asks for, without waiting for the next `runDue` and `relay`.
    ///
    /// Those are needed all the same, once a minute for example: for pauses that end, and for what was begun by
    /// workers that ended. Records of other items are passed over; duplicates and late ones find nothing to do.
    ///
    /// - Parameters:
    ///   - record: From the table's stream.
    ///   - end: Until when this worker may work; see `runDue`.
    ///   - send: As for `relay`.
    /// - Throws: As `runDue` and `relay`: then the record is to be delivered again.
    public func handle(
        _ record: StreamRecord, until end: Date? = nil, _ send: (ProcessMessage) async throws -> Void
    ) async throws {
        guard let image = record.change?.newImage, image[ProcessItem.wake] != nil, let key = ItemKey(of: image),
            let id = prefix.key(ofPartition: key.partition)
        else { return }
        switch key.sort {
        case ProcessItem.head: try await advance(id, until: end)
        case ProcessItem.outbox: try await relay(of: id, until: end, send)
        default: return
        }
    }
}
