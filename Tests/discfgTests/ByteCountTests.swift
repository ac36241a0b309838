import Testing

@testable import discfg

@Suite("Numbers of bytes")
struct ByteCountTests {
    @Test(
        "A number of bytes is printed with its unit",
        arguments: [
            (0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (77_824, "76 KiB"), (1536 << 10, "1.5 MiB"),
            ((1 << 20) - 1, "1023.9 KiB"), (8 << 30, "8 GiB"), (.max, "7.9 EiB"),
        ] as [(Int64, String)])
    func text(bytes: Int64, text: String) { #expect(ByteCount.text(bytes) == text) }
}
