#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import AWSClient

/// A stream record that was given up, and why.
public struct DeadLetter: Sendable, Hashable {
    /// Why a record was given up.
    public struct Reason: RawRepresentable, Sendable, Hashable {
        /// The name of the reason, which `DeadLetter` stores.
        public let rawValue: String
        /// A reason of this name, such as one of a newer version of this library.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It cannot be decoded.
        public static let undecodable = Reason(rawValue: "undecodable")
        /// The handler threw a `PatternError` with code `poison`.
        public static let refused = Reason(rawValue: "refused")
        /// It failed as often, or for as long, as is allowed.
        public static let exhausted = Reason(rawValue: "exhausted")
    }

    /// The record's `eventID`: a record that is given up twice makes one letter.
    public var id: String
    /// The name of the `StreamProcessor`.
    public var processor: String
    /// Why it was given up.
    public var reason: Reason
    /// What was thrown, up to 1,000 Unicode scalars.
    ///
    /// It may repeat the item's content, and belongs into no log.
    public var message: String
    /// The stream's ARN, where that is known.
    public var stream: String?
    /// The shard, where that is known.
    public var shardID: String?
    /// The record's place in its shard.
    public var sequenceNumber: String?
    /// How often it had failed before, as far as that is known.
    public var failures: Int
    /// When it was given up.
    public var time: Date
    /// The record in JSON, as Lambda spells it.
    public var recordJSON: String

    /// The record, to be processed again.
    ///
    /// - Returns: What `StreamProcessor.process` takes.
    /// - Throws: `AWSError` or `PatternError` if `recordJSON` is no record.
    public func record() throws -> StreamRecord { try StreamRecord(json: recordJSON) }
}

extension DeadLetter {
    init(
        _ record: StreamRecord, from origin: RecordOrigin, processor: String, reason: Reason, error: any Error,
        time: Date
    ) {
        self.processor = processor
        self.reason = reason
        self.time = time
        stream = origin.stream
        shardID = origin.shardID
        failures = origin.failures
        sequenceNumber = record.change?.sequenceNumber
        recordJSON = record.json(of: origin.stream)
        // What is so broken that it has no id has its content.
        id = record.eventID ?? sequenceNumber ?? String(StableHash.of(recordJSON), radix: 16)
        var text = "\(error)"
        if let cause = (error as? PatternError)?.cause { text += " \(cause)" }
        message = String(text.unicodeScalars.prefix(1000))
    }

    /// The letter as one object in JSON, with the record as a member `record`.
    func json(isShortened: Bool = false) throws -> String {
        var members: [String: AttributeValue] = [
            "id": .string(id), "processor": .string(processor), "reason": .string(reason.rawValue),
            "message": .string(message), "failures": .integer(failures), "time": .integer(time.milliseconds),
        ]
        members["stream"] = stream.map(AttributeValue.string)
        members["shard"] = shardID.map(AttributeValue.string)
        members["sequenceNumber"] = sequenceNumber.map(AttributeValue.string)
        members["record"] = LambdaEvent.object(of: try record())
        members["isShortened"] = isShortened ? .bool(true) : nil
        return String(decoding: JSONWriter.bytes(of: .map(members), sortingMembers: true), as: UTF8.self)
    }
}
