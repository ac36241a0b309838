import Testing

@testable import AWSClient

extension ScriptedTransport.Step {
    /// An answer in the services' JSON.
    static func json(_ text: String, status: Int = 200, headers: [HTTPHeader] = []) -> Self {
        .answer(
            HTTPResponse(
                status: status, headers: [HTTPHeader("x-amzn-RequestId", "R1")] + headers, body: Array(text.utf8)))
    }

    /// An error as SQS writes it: with the code that the query protocol had beside it.
    static func sqsError(_ code: String, queryCode: String, status: Int = 400, message: String = "No.") -> Self {
        .json(
            #"{"__type":"com.amazonaws.sqs#\#(code)","message":"\#(message)"}"#, status: status,
            headers: [HTTPHeader("x-amzn-query-error", "\(queryCode);Sender")])
    }

    /// An error as SNS writes it.
    static func snsError(_ code: String, status: Int = 400, message: String = "No.") -> Self {
        .json(
            """
            <ErrorResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><Error><Type>Sender</Type>\
            <Code>\(code)</Code><Message>\(message)</Message></Error><RequestId>X1</RequestId></ErrorResponse>
            """, status: status)
    }

    /// That SNS took a message.
    static func published(_ id: String, sequenceNumber: String? = nil) -> Self {
        .json(
            """
            <?xml version="1.0"?><PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishResult>\
            <MessageId>\(id)</MessageId>\(sequenceNumber.map { "<SequenceNumber>\($0)</SequenceNumber>" } ?? "")\
            </PublishResult><ResponseMetadata><RequestId>X1</RequestId></ResponseMetadata></PublishResponse>
            """)
    }
}

extension HTTPRequest {
    /// The value of a header.
    func sent(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// Region and service that the request is signed for, such as `eu-west-1/sns`.
    var scope: String? {
        sent("Authorization")?.firstMatch(of: /Credential=[^\/]*\/\d*\/([^\/]*\/[^\/]*)\/aws4_request/)
            .map { String($0.1) }
    }

    /// The body, which is JSON.
    var json: AttributeValue? { try? JSONReader.value(of: body) }

    /// The parameters of a form, decoded, in their order.
    var form: [String] {
        String(decoding: body, as: UTF8.self).split(separator: "&").map { pair in
            pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(decoding: PercentEncoding.decoded($0), as: UTF8.self) }.joined(separator: "=")
        }
    }
}

/// The JSON that a text stands for.
func json(_ text: String) throws -> AttributeValue { try JSONReader.value(of: Array(text.utf8)) }
