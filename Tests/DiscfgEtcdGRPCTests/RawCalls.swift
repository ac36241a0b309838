#if EtcdGRPC
import GRPCCore

/// Messages that are bytes, whatever they mean.
struct RawCoding: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Bytes { Bytes(message) }

    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> [UInt8] {
        bytes.withUnsafeBytes { [UInt8]($0) }
    }
}

extension EtcdGRPCFixture {
    /// Calls a method with any bytes.
    func call(_ service: String, _ method: String, _ message: [UInt8]) async throws -> [UInt8] {
        try await client.unary(
            request: ClientRequest(message: message),
            descriptor: MethodDescriptor(fullyQualifiedService: service, method: method, type: .unary),
            serializer: RawCoding(), deserializer: RawCoding(), options: .defaults
        ) { response in
            try response.message
        }
    }
}
#endif
