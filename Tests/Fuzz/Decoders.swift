import DiscfgCore
import DiscfgEtcd
import DiscfgYAML
import Dispatch
import SwiftProtobuf
import Synchronization

import class Foundation.ProcessInfo
import func Foundation.exit

@testable import AWSClient
@testable import DiscfgDynamoDB
@testable import DiscfgEtcdGRPC
@testable import DiscfgFormats
@testable import DiscfgHTTP
@testable import LambdaEvents

/// What libFuzzer calls with each input; `DISCFG_FUZZ_DECODER` chooses the decoder that gets it.
///
/// An input may be refused, by any error. It may not end the process, read beyond its bytes, or take seconds or gigabytes: libFuzzer and
/// the address sanitizer watch that.
@_cdecl("LLVMFuzzerTestOneInput")
public func decode(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    try? Decoder.chosen.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// libFuzzer's loop, which its library exports for programs with a main function of their own.
@_silgen_name("LLVMFuzzerRunDriver")
func runFuzzer(
    _ argumentCount: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ decode: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The program: Swift gives every executable a main function, so that libFuzzer's own is not linked.
@main
enum Fuzz {
    static func main() {
        var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
        exit(runFuzzer(&count, &arguments, decode))
    }
}

/// A decoder of bytes that come from others.
enum Decoder: String, CaseIterable {
    case json, yaml, toml, env, properties
    case transaction, settings, texts
    case v2Form = "v2-form"
    case v3JSON = "v3-json"
    case v3Stream = "v3-stream"
    case protobuf, awsJSON = "aws-json", awsXML = "aws-xml", records
    case lambdaRequest = "lambda-request"
    case lambdaStream = "lambda-stream"

    static let chosen: Decoder = {
        let name = ProcessInfo.processInfo.environment["DISCFG_FUZZ_DECODER"] ?? ""
        guard let decoder = Decoder(rawValue: name) else {
            let known = allCases.map(\.rawValue).joined(separator: ", ")
            fatalError("There is no decoder “\(name)”: set DISCFG_FUZZ_DECODER to one of \(known).")
        }
        return decoder
    }()

    func run(_ bytes: [UInt8]) throws {
        switch self {
        case .json, .yaml, .toml, .env, .properties:
            guard let format = ConfigFormat(rawValue: rawValue) else { return }
            try wait { try await roundTrip(bytes, format) }
        case .transaction: try Transaction(wire: JSONValue(parsing: bytes), author: "a").validate()
        case .settings: _ = try ConfigSettings(json: JSONValue(parsing: bytes))
        case .texts: texts(bytes)
        case .v2Form:
            var form = EtcdV2Form()
            try form.add(bytes)
            _ = form["value"]
        case .v3JSON: _ = try TxnRequest(body: bytes)
        case .v3Stream:
            var frames = JSONFrames(limit: 1 << 20)
            for start in stride(from: 0, to: bytes.count, by: 7) {
                frames.append(bytes[start..<min(start + 7, bytes.count)])
                while try frames.next() != nil {}
            }
        case .protobuf:
            _ = try TxnRequest(Etcdserverpb_TxnRequest(serializedBytes: bytes))
        case .awsJSON: _ = try JSONReader.value(of: bytes)
        case .awsXML: _ = XMLElement.parse(bytes)
        case .records: try records(bytes)
        case .lambdaRequest: _ = try GatewayRequest(event: JSONValue(parsing: bytes))
        case .lambdaStream: _ = try StreamEvent(event: JSONValue(parsing: bytes)).revisions
        }
    }

    /// What was read must be the same after it was written and read again.
    private func roundTrip(_ bytes: [UInt8], _ format: ConfigFormat) async throws {
        let splitsArrays = bytes.count % 2 == 0
        let first = try items(await format.leaves(of: bytes, splitArrays: splitsArrays, yaml: .yams))
        let text = try await format.bytes(of: first, under: "/")
        let again = try items(await format.leaves(of: text, splitArrays: splitsArrays, yaml: .yams))
        guard again == first else { fatalError("it comes back as \(String(decoding: text, as: UTF8.self))") }
    }

    private func texts(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        _ = try? PercentEncoding.decode(text)
        _ = try? JSONPointer(text).description
        _ = try? Key(path: text)
        _ = try? Key(bytes: bytes)
        _ = try? NotificationTarget(text)
        _ = Timestamp(text)
    }

    /// What a table may hold if somebody else writes into it.
    private func records(_ bytes: [UInt8]) throws {
        guard let attributes = try JSONReader.value(of: bytes).map else { return }
        _ = try? CommitAttributes.read(attributes)
        _ = try? LeaseAttributes.read(attributes)
        _ = try? LeaseAttributes.keys(attributes)
        _ = try? StoredConfig(attributes)
    }
}

/// The items that leaves make in an empty config.
private func items(_ leaves: [Leaf]) throws -> [Key: Value] { try ImportedValues(leaves).values }

/// Waits for asynchronous work: libFuzzer's callback is not.
private func wait(_ work: @escaping @Sendable () async throws -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    let failure = Mutex<(any Error)?>(nil)
    Task {
        do { try await work() } catch { failure.withLock { $0 = error } }
        done.signal()
    }
    done.wait()
    if let error = failure.withLock({ $0 }) { throw error }
}
