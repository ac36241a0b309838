#if EtcdGRPC
import DiscfgCore
import GRPCCore
import SwiftProtobuf
import Testing

@testable import DiscfgEtcdGRPC

@Suite("Which config a call is about")
struct ConfigTests {
    @Test("Metadata chooses another config, for calls and for streams")
    func anotherConfig() async throws {
        try await EtcdGRPCFixture.open { fixture in
            _ = try await fixture.store.createConfig(try ConfigName("team"), settings: .init(), author: "")
            let team: Metadata = ["discfg-cfg": "team"]
            _ = try await fixture.kv.put(.with { ($0.key, $0.value) = (bytes("a"), bytes("1")) }, metadata: team)
            #expect(try await fixture.get("a") == nil)
            #expect(try await fixture.kv.range(.with { $0.key = bytes("a") }, metadata: team).count == 1)
            let events = try await fixture.watch.watch(metadata: team) { writer in
                try await writer.write(
                    .with { ($0.createRequest.key, $0.createRequest.startRevision) = (bytes("a"), 2) })
            } onResponse: { response in
                var answers = response.messages.makeAsyncIterator()
                _ = try await answers.next()
                return try await answers.next()?.events.map(\.summary)
            }
            #expect(events == ["put a=1"])
        }
    }

    @Test("A name that is none, and a config that is not there, are refused")
    func refusals() async throws {
        try await EtcdGRPCFixture.open { fixture in
            for (name, code) in [
                ("no/name", RPCError.Code.invalidArgument), ("", .invalidArgument), ("nobody", .notFound),
            ] {
                let metadata: Metadata = ["discfg-cfg": .string(name)]
                let error = await #expect(throws: RPCError.self) {
                    _ = try await fixture.kv.range(.with { $0.key = bytes("a") }, metadata: metadata)
                }
                #expect(error?.code == code)
                #expect(error?.message.hasPrefix("discfg: ") == true)
            }
            let error = await #expect(throws: RPCError.self) {
                try await fixture.watch.watch(metadata: ["discfg-cfg": "no/name"]) { _ in
                } onResponse: { response in
                    for try await _ in response.messages {}
                }
            }
            #expect(error?.code == .invalidArgument)
        }
    }
}
#endif
