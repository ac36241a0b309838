/// The minimum rate at which the body of a request or of an answer must come.
package struct BodyPace: Sendable {
    /// How long a body may take in any case.
    package var grace: Duration = .seconds(30)
    /// What has to come after that, on average.
    package var bytesPerSecond = 32 << 10

    package init() {}

    /// How long a body may have taken when so many bytes are there.
    package func patience(after bytes: Int) -> Duration {
        grace + .milliseconds(Int64(bytes) * 1000 / Int64(bytesPerSecond))
    }
}
