import AWSClient

extension AWSError {
    /// Whether DynamoDB refused a write since its item would be larger than 400 KB.
    var isItemTooLarge: Bool {
        switch code {
        case .validation: message.contains("tem size")
        case .transactionCanceled:
            cancellationReasons.contains { $0.code == "ValidationError" && $0.message?.contains("tem size") == true }
        default: false
        }
    }
}
