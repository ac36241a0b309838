import DiscfgCore
import Testing

@testable import discfg

@Suite("Listen addresses")
struct ListenAddressTests {
    @Test(
        "An address is a host and a port",
        arguments: ["127.0.0.1:8899", "localhost:0", "[::1]:8899", "0.0.0.0:65535"])
    func reads(text: String) throws {
        #expect(try ListenAddress(text).description == text)
    }

    @Test(
        "What is not an address is refused with one that works",
        arguments: [
            ("9000", "Write HOST:PORT, as in 127.0.0.1:9000."), (":9000", "Write HOST:PORT, as in 127.0.0.1:9000."),
            ("localhost", "Write HOST:PORT, as in 127.0.0.1:8899."),
            ("localhost:99999", "Write HOST:PORT, as in 127.0.0.1:8899."),
            ("", "Write HOST:PORT, as in 127.0.0.1:8899."),
            ("::1:8899", "Write an IPv6 address as [::1]:8899."),
        ])
    func refuses(text: String, hint: String) throws {
        let error = try #require(throws: DiscfgError.self) { try ListenAddress(text) }
        #expect(error.hint == hint)
    }
}
