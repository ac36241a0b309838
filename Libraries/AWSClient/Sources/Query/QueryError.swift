/// What an error of AWS's query protocol says.
struct QueryError {
    /// As it came.
    let code: String
    let message: String?
    let requestID: String?

    /// Reads a document; `nil` if it is no such error.
    init?(_ root: XMLElement) {
        // Some services have a list of one error, and some stand-ins leave out the outermost element.
        let error = root.name == "Error" ? root : root.child("Error") ?? root.child("Errors")?.child("Error")
        guard let error, let code = error.text(at: "Code") else { return nil }
        self.code = code
        message = error.text(at: "Message")
        requestID =
            root.text(at: "RequestId") ?? root.text(at: "RequestID") ?? root.text(at: "ResponseMetadata", "RequestId")
    }
}
