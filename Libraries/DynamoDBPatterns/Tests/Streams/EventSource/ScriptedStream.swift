import AWSClient
import DynamoDBPatterns
import Synchronization

/// A stream whose shards and records a test writes down, with the ends, trims and expired places of the real ones.
final class ScriptedStream: StreamsAPI {
    struct Part {
        var id: String
        var parent: String?
        var records: [StreamRecord] = []
        /// How many of the oldest are gone.
        var trimmed = 0
        var isClosed = false
    }

    private struct State {
        var parts: [Part]
        var iterators: [(part: String, index: Int, expired: Bool)] = []
        var pageSize = 1000
        var error: AWSError?
        var requests: [String] = []
    }

    static let arn = "arn:aws:dynamodb:eu-west-1:123456789012:table/t/stream/2026-01-01T00:00:00.000"
    private let state: Mutex<State>

    init(_ parts: Part..., pageSize: Int = 1000) {
        state = Mutex(State(parts: parts, pageSize: pageSize))
    }

    /// The requests so far, such as `getRecords shard-1`.
    var requests: [String] { state.withLock { $0.requests } }

    func change(_ id: String, _ body: (inout Part) -> Void) {
        state.withLock { state in
            for index in state.parts.indices where state.parts[index].id == id { body(&state.parts[index]) }
        }
    }

    func add(_ part: Part) { state.withLock { $0.parts.append(part) } }

    func remove(_ id: String) { state.withLock { $0.parts.removeAll { $0.id == id } } }

    func expireIterators() {
        state.withLock { state in for index in state.iterators.indices { state.iterators[index].expired = true } }
    }

    /// Fails the next request.
    func failNext(_ error: AWSError) { state.withLock { $0.error = error } }

    func describeStream(_ request: DescribeStreamRequest) async throws -> DescribeStreamResponse {
        try state.withLock { state in
            try Self.begin("describeStream", &state)
            // Two shards a page.
            let first = state.parts.firstIndex { $0.id == request.exclusiveStartShardId }.map { $0 + 1 } ?? 0
            let page = state.parts[first...].prefix(2)
            let more = first + page.count < state.parts.count
            var description = StreamDescription()
            description.shards = page.map { part in
                var shard = Shard()
                shard.shardId = part.id
                shard.parentShardId = part.parent
                shard.sequenceNumberRange = SequenceNumberRange()
                shard.sequenceNumberRange?.endingSequenceNumber = part.isClosed ? "9" : nil
                return shard
            }
            description.lastEvaluatedShardId = more ? page.last?.id : nil
            var response = DescribeStreamResponse()
            response.streamDescription = description
            return response
        }
    }

    func getShardIterator(_ request: GetShardIteratorRequest) async throws -> GetShardIteratorResponse {
        try state.withLock { state in
            try Self.begin("getShardIterator \(request.shardId) \(request.shardIteratorType.rawValue)", &state)
            guard let part = state.parts.first(where: { $0.id == request.shardId }) else {
                throw AWSError(.resourceNotFound, "No such shard.")
            }
            let index: Int
            switch request.shardIteratorType {
            case .trimHorizon: index = part.trimmed
            case .latest: index = part.records.count
            default:
                let place = part.records.firstIndex { $0.change?.sequenceNumber == request.sequenceNumber } ?? 0
                guard place >= part.trimmed else { throw AWSError("TrimmedDataAccessException", "Gone.") }
                index = place + 1
            }
            var response = GetShardIteratorResponse()
            response.shardIterator = Self.iterator(part.id, index, &state)
            return response
        }
    }

    func getRecords(_ request: GetRecordsRequest) async throws -> GetRecordsResponse {
        try state.withLock { state in
            guard let place = Int(request.shardIterator) else { throw AWSError(.validation, "No iterator.") }
            let (id, index, expired) = state.iterators[place]
            try Self.begin("getRecords \(id)", &state)
            guard !expired else { throw AWSError("ExpiredIteratorException", "Expired.") }
            guard let part = state.parts.first(where: { $0.id == id }) else {
                throw AWSError(.resourceNotFound, "No such shard.")
            }
            guard index >= part.trimmed else { throw AWSError("TrimmedDataAccessException", "Gone.") }
            let page = Array(part.records[index...].prefix(state.pageSize))
            let next = index + page.count
            let isEnd = part.isClosed && next == part.records.count
            var response = GetRecordsResponse()
            response.records = page
            response.nextShardIterator = isEnd ? nil : Self.iterator(id, next, &state)
            return response
        }
    }

    private static func begin(_ name: String, _ state: inout State) throws {
        state.requests.append(name)
        if let error = state.error {
            state.error = nil
            throw error
        }
    }

    private static func iterator(_ part: String, _ index: Int, _ state: inout State) -> String {
        state.iterators.append((part, index, false))
        return String(state.iterators.count - 1)
    }
}

extension ScriptedStream {
    /// A stream of one open shard with changes of these keys, numbered from 1.
    convenience init(keys: [String], pageSize: Int = 1000, created: Int = 1_700_000_000) throws {
        let records = try keys.enumerated().map { index, key in
            var record = try StreamRecord.made(
                .insert, keys: ["pk": .string(key)], new: ["pk": .string(key)], sequence: index + 1)
            record.change?.approximateCreationDateTime = Double(created)
            return record
        }
        self.init(Part(id: "shard-1", records: records), pageSize: pageSize)
    }
}
