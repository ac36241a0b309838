/// The JSON of AWS's services to and from our types; in it, DynamoDB's attributes are spelled out.
enum ServiceJSON {
    private static let encoder = {
        var encoder = AttributeEncoder()
        encoder.isWire = true
        return encoder
    }()
    private static let decoder = {
        var decoder = AttributeDecoder()
        decoder.isWire = true
        return decoder
    }()

    static func bytes(of request: some Encodable, operation: String) throws(AWSError) -> [UInt8] {
        do {
            return JSONWriter.bytes(of: try encoder.attribute(of: request))
        } catch {
            throw AWSError(
                .invalidRequest, "The request for \(operation) cannot be written as JSON.", cause: error)
        }
    }

    static func value<Value: Decodable>(of answer: HTTPResponse, for call: ServiceCall) throws(AWSError) -> Value {
        do {
            return try value(of: answer.body)
        } catch {
            throw AWSError(
                .invalidAnswer, "The answer to \(call.operation) is not as AWS writes it.", status: answer.status,
                requestID: answer.requestID, mayHaveTakenEffect: call.isWrite, cause: error)
        }
    }

    static func value<Value: Decodable>(of json: [UInt8]) throws -> Value {
        try decoder.decode(from: try JSONReader.value(of: json))
    }
}
