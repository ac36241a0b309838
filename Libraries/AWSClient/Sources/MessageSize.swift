/// How long a message can be, in bytes of UTF-8: its text, and names, types and texts of its attributes.
///
/// Source: Amazon SNS Developer Guide, “Publishing large messages”; Amazon SQS Developer Guide, “Message quotas”;
/// Amazon EventBridge User Guide, “Calculating PutEvents event entry size”.
public enum MessageSize {
    /// Topics and queues that nobody has set otherwise, and event buses, take this much: 256 KiB.
    public static let always = 262_144
    /// No topic, queue or event bus takes more, however it is set: 1 MiB.
    public static let maximum = 1_048_576

    static func of(_ text: String, attributes: [String: String]) -> Int {
        attributes.reduce(text.utf8.count) { $0 + $1.key.utf8.count + "String".utf8.count + $1.value.utf8.count }
    }

    /// Throws for what nobody takes: AWS's hosts cut off what is far too long, and then do not say why.
    ///
    /// What is shorter, and too long for one topic or queue all the same, AWS refuses itself.
    static func check(_ size: Int, of what: String, takenBy taker: String) throws(AWSError) {
        guard size <= maximum else {
            throw AWSError(
                .invalidRequest,
                "\(what) of \(size) bytes is longer than any \(taker) takes, which is \(maximum) bytes at most.",
                hint: "Send less, such as where to read the rest.")
        }
    }
}
