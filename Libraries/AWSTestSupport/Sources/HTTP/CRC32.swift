/// The checksum of gzip and zlib, which DynamoDB sends as `x-amz-crc32` (RFC 1952, section 8).
func crc32(of bytes: some Sequence<UInt8>) -> UInt32 {
    var sum: UInt32 = .max
    for byte in bytes {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
}
