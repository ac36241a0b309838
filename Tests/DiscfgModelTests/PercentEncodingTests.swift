import DiscfgModel
import Testing

@Suite("Percent-encoding")
struct PercentEncodingTests {
    @Test("Every byte is encoded unless it is unreserved, and decoded to the same byte")
    func everyByte() throws {
        let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)
        for byte in UInt8.min...UInt8.max {
            let text = PercentEncoding.encode([byte])
            #expect(text.utf8.count == (plain.contains(byte) ? 1 : 3), "\(byte)")
            #expect(try PercentEncoding.bytes(Array(text.utf8)[...]) == [byte])
        }
    }

    @Test("Only the characters to keep stay as they are")
    func kept() {
        #expect(PercentEncoding.encode("/db/a b?é".utf8, keeping: "/") == "/db/a%20b%3F%C3%A9")
        #expect(PercentEncoding.encode("a\u{0F}@/".utf8, keeping: "@/") == "a%0F@/")
    }
}
