import AWSClient

extension AWSError {
    /// What DynamoDB answers with status 400.
    static func refused(_ code: Code, _ message: String, details: [UInt8] = []) -> AWSError {
        AWSError(code, message, status: 400, details: details)
    }

    static func validation(_ message: String) -> AWSError { refused(.validation, message) }

    static func invalidExpression(_ kind: String, _ message: String) -> AWSError {
        validation("Invalid \(kind): \(message)")
    }
}

/// Why an action was not carried out: its condition does not hold for the item that is there.
struct ConditionFailure: Error {
    static let message = "The conditional request failed"

    /// The item, where the request asked for it.
    var item: Item?

    /// As a put, update or delete answers it.
    var error: AWSError {
        var json: [String: AttributeValue] = [
            "__type": .string("com.amazonaws.dynamodb.v20120810#\(AWSError.Code.conditionalCheckFailed.rawValue)"),
            "message": .string(Self.message),
        ]
        if let item { json["Item"] = item.json }
        return .refused(.conditionalCheckFailed, Self.message, details: JSONWriter.bytes(of: .map(json)))
    }
}

/// Why a transaction was not carried out: one reason for each action.
struct TransactionFailure {
    /// `None`, or what was in the way.
    struct Reason {
        var code: String
        var message: String?
        var item: Item?

        static let none = Reason(code: "None")

        var json: AttributeValue {
            var json: [String: AttributeValue] = ["Code": .string(code)]
            if let message { json["Message"] = .string(message) }
            if let item { json["Item"] = item.json }
            return .map(json)
        }
    }

    var reasons: [Reason]

    var error: AWSError {
        let code = AWSError.Code.transactionCanceled
        let codes = reasons.map(\.code).joined(separator: ", ")
        let message = "Transaction cancelled, please refer cancellation reasons for specific reasons [\(codes)]"
        let json: [String: AttributeValue] = [
            "__type": .string("com.amazonaws.dynamodb.v20120810#\(code.rawValue)"),
            "Message": .string(message), "CancellationReasons": .list(reasons.map(\.json)),
        ]
        return .refused(code, message, details: JSONWriter.bytes(of: .map(json)))
    }
}

extension Item {
    /// In the shape of DynamoDB's JSON.
    fileprivate var json: AttributeValue { .map(mapValues(\.wire)) }
}
