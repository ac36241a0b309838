/// The checksum of zlib and Ethernet, which DynamoDB sends as `x-amz-crc32`.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 0 ? value >> 1 : (value >> 1) ^ 0xEDB8_8320 }
    }

    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { value, byte in (value >> 8) ^ table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] }
    }
}

extension HTTPResponse {
    /// Whether the body is the one that the server's checksum is of, if it sent one.
    var hasIntactBody: Bool {
        guard let expected = header("x-amz-crc32") else { return true }
        return UInt32(expected) == CRC32.checksum(body)
    }

    /// AWS's identity of the request.
    var requestID: String? { header("x-amzn-requestid") ?? header("x-amz-request-id") }
}
