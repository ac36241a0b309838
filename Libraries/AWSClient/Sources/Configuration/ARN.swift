/// The name of something in AWS, `arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE`, with none of these empty.
struct ARN {
    /// Such as `sns`.
    let service: String
    /// Such as `eu-west-1`.
    let region: String
    /// What the service calls it within the account; may contain further colons.
    let resource: String

    /// Takes a name apart; `nil` if it is none.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts[0] == "arn", !parts.contains("") else { return nil }
        (service, region, resource) = (parts[2], parts[3], parts[5])
    }
}

extension AWSClient {
    /// Throws where something is in another region: this client's host and signatures are for its own alone.
    ///
    /// AWS would say that there is no such thing, or that the signature is wrong.
    func checkRegion(_ other: String, of kind: String, named name: String) throws(AWSError) {
        guard other == region else {
            throw AWSError(
                .invalidRequest,
                "The \(kind) \(Quoted(name)) is in the region \(Quoted(other)), and this client is for \(Quoted(region)).",
                hint: "Name a \(kind) in \(Quoted(region)), or use a client for \(Quoted(other)).")
        }
    }
}
