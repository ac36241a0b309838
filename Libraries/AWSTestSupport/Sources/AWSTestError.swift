/// Why a stand-in for AWS, or the proxy before it, could not do what a test asked.
public struct AWSTestError: Error, CustomStringConvertible {
    /// What went wrong, with which value, and what to do.
    public var description: String

    init(_ description: String) { self.description = description }
}
