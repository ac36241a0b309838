import AWSClient

extension StreamRecord {
    /// The record as Lambda spells it, with its members sorted by name.
    ///
    /// - Parameter stream: The stream's ARN, which records of the streams' API lack.
    /// - Returns: An object in JSON, without control characters.
    func json(of stream: String? = nil) -> String {
        let object = LambdaEvent.object(of: self, stream: stream)
        return String(decoding: JSONWriter.bytes(of: object, sortingMembers: true), as: UTF8.self)
    }

    /// The record of which `json(of:)` made the text.
    init(json: String) throws {
        let records = try DynamoDBStreams.records(ofLambdaEvent: Array("{\"Records\":[\(json)]}".utf8))
        guard records.count == 1 else { throw PatternError(.corrupt, "That is not the JSON of one stream record.") }
        self = records[0]
    }
}
