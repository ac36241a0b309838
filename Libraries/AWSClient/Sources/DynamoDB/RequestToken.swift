/// Names of transactions, by which DynamoDB knows a repeated one.
enum RequestToken {
    /// 32 hexadecimal digits of chance: DynamoDB takes up to 36 characters.
    static func random() -> String {
        (0..<16).map { _ in UInt8.random(in: 0...255) }.hexadecimal
    }
}
