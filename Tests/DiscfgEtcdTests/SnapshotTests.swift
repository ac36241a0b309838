import DiscfgCore
import DiscfgEtcd
import DiscfgTestSupport
import Testing

@Suite("etcd snapshots")
struct SnapshotTests {
    private func parts(of fixture: EtcdFixture) async throws -> [SnapshotResponse] {
        let snapshot = try await EtcdSnapshot(fixture.etcd)
        var parts: [SnapshotResponse] = []
        while let part = try await snapshot.next() { parts.append(part) }
        return parts
    }

    private func hexadecimal(_ bytes: [UInt8]?) -> String {
        (bytes ?? []).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("A snapshot has a line for each key, is filled up to pages of 512 bytes, and ends with their SHA-256")
    func small() async throws {
        let fixture = EtcdFixture()
        try await fixture.grant(7)
        for value in ["1", "2"] { try await fixture.put("a", value) }
        _ = try await fixture.etcd.put(PutRequest(key: [0xFF, 0x2F], value: [0xFE], lease: 7))
        let found = try await parts(of: fixture)
        #expect(found.map(\.remainingBytes) == [0, 0] && found.map(\.blob.count) == [512, 32])
        let lines = (found.first?.blob.text ?? "").split(separator: "\n")
        #expect(
            lines.map { $0.trimmingPrefix { $0 == " " } } == [
                #"{"format":"discfg-snapshot-1","config":"default","revision":4}"#, "",
                #"{"key":"YQ==","value":"Mg==","contentType":"text/plain","version":2,"created":2,"revision":3}"#,
                #"{"key":"/y8=","value":"/g==","contentType":"application/octet-stream","version":1,"created":4,"#
                    + #""revision":4,"lease":7}"#,
            ])
        // Of `sha256sum`, for these 512 bytes.
        #expect(
            hexadecimal(found.last?.blob) == "00d22528f9fa4c2a33a68ddd3ee822c861fedb75b862bd1adfa0c0cd7bb45e1b")
    }

    @Test("A snapshot of nothing is a page, and its SHA-256")
    func empty() async throws {
        let found = try await parts(of: EtcdFixture())
        #expect(found.map(\.blob.count) == [512, 32])
        #expect(
            hexadecimal(found.last?.blob) == "01a1153728f7b8b034f566cb036a691a0e7105d032d92b98ecf5e194bc6c1f59")
    }

    @Test(
        "A large snapshot comes in parts that say how much is left, all of one revision whatever is written meanwhile")
    func large() async throws {
        let fixture = EtcdFixture()
        for number in 0..<40 {
            let name = "k/" + (number < 10 ? "0" : "") + "\(number)"
            try await fixture.put(name, String(repeating: "v", count: number * 300))
        }
        let snapshot = try await EtcdSnapshot(fixture.etcd)
        try await fixture.delete("k/", to: "l")
        try await fixture.put("k/20", "another")
        var (count, parts): (Int, [SnapshotResponse]) = (0, [])
        while let part = try await snapshot.next() {
            #expect(part.blob.count <= 32 << 10)
            parts.append(part)
            if parts.count <= 10 {
                count += part.blob.count
                #expect(part.remainingBytes == UInt64(315_904 - count))
            }
        }
        #expect(parts.count == 11 && count == 315_904)
        #expect(
            hexadecimal(parts.last?.blob) == "52e2792f9e6f64c6116140a117c546b5d82bc470a84f254a89a70423a8d98656")
    }

    @Test(
        "What ends while a snapshot is read is left out of it, and it is as long as it said", arguments: [true, false])
    func expiring(isSwept: Bool) async throws {
        let fixture = EtcdFixture()
        let value = Value(bytes: [UInt8](repeating: 0x76, count: 2000), contentType: Value.text)
        let end = Operation.set(try Key(path: "/ends"), value, expiry: .after(.seconds(10)))
        _ = try await fixture.store.commit(Transaction(then: [end]), to: .default)
        try await fixture.put("/stays", "1")
        let snapshot = try await EtcdSnapshot(fixture.etcd)
        fixture.clock.advance(by: .seconds(10))
        if isSwept { try await fixture.put("/other", "so that the revision is in the past") }
        var bytes: [UInt8] = []
        while let part = try await snapshot.next() {
            bytes += part.blob
            // Without an end it would go on with empty parts.
            try #require(!part.blob.isEmpty)
        }
        #expect(bytes.count % 512 == 32 && bytes.count > 2000)
        let lines = bytes.dropLast(32).split(separator: UInt8(ascii: "\n"))
        let keys = lines.filter { $0.contains(UInt8(ascii: "{")) }.count - 1
        #expect(keys == (isSwept ? 2 : 1), "the one that has not ended, and the one that ended after the revision")
    }

    @Test("A snapshot whose revision is compacted meanwhile fails, and does not end as if it were whole")
    func compacted() async throws {
        let fixture = EtcdFixture()
        try await fixture.put("a", "1")
        let snapshot = try await EtcdSnapshot(fixture.etcd)
        for value in 2...4 { try await fixture.put("a", "\(value)") }
        // Younger commits would be kept for readers that have begun.
        fixture.clock.advance(by: .seconds(61))
        try await fixture.compact(4)
        await #expect(throws: EtcdError.compacted) { try await snapshot.next() }
    }

    @Test("A snapshot whose revision is compacted within a minute is whole")
    func compactedEarly() async throws {
        let fixture = EtcdFixture()
        try await fixture.put("a", "first")
        let snapshot = try await EtcdSnapshot(fixture.etcd)
        for value in 2...4 { try await fixture.put("a", "\(value)") }
        try await fixture.compact(4)
        let part = try #require(try await snapshot.next())
        #expect(String(decoding: part.blob, as: UTF8.self).contains("Zmlyc3Q="))
    }
}
