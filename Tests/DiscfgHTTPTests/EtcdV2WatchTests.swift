import DiscfgCore
import HTTPTypes
import Testing

@Suite("etcd v2 watches")
struct EtcdV2WatchTests {
    @Test("A wait ends with the first change of its path, as the write was answered", arguments: RESTFixture.transports)
    func longPoll(transport: RESTFixture.Transport) async throws {
        try await EtcdV2Fixture.with(transport) { etcd in
            _ = try await etcd.send(.put, "/v2/keys/w/k", "value=1")
            async let waiting = etcd.send(.get, "/v2/keys/w/k?wait=true")
            try await etcd.waitForWatchers(1)
            _ = try await etcd.send(.put, "/v2/keys/w/other", "value=x")
            _ = try await etcd.send(.put, "/v2/keys/w/k", "ttl=100&refresh=true&prevExist=true")
            let write = try await etcd.send(.put, "/v2/keys/w/k", "value=2&prevValue=1")
            let event = try await waiting
            #expect(event.status == 200 && event.text == write.text && event.json["action"] == "compareAndSwap")
            #expect(event.header("x-etcd-index") == "2" && event.header("content-type") == "application/json")
            try await etcd.waitForWatchers(0)
        }
    }

    @Test("A wait from the past finds the first change since, however long ago, and from the future the first then")
    func waitIndex() async throws {
        try await EtcdV2Fixture.with { etcd in
            for number in 0..<3 { _ = try await etcd.send(.put, "/v2/keys/k", "value=\(number)") }
            for number in 0..<1500 {
                let set = Operation.set(try Key(path: "/other"), Value("\(number)"))
                _ = try await etcd.service.commit(Transaction(then: [set]), to: .default)
            }
            let old = try await etcd.send(.get, "/v2/keys/k?wait=true&waitIndex=3")
            #expect(old.json["node"]?["value"] == "1" && old.header("x-etcd-index") == "1504")
            async let later = etcd.send(.get, "/v2/keys/k?wait=true&waitIndex=1506")
            try await etcd.waitForWatchers(1)
            for number in 7...9 { _ = try await etcd.send(.put, "/v2/keys/k", "value=\(number)") }
            #expect(try await later.json["node"]?["value"] == "8")
            _ = try await etcd.service.compact(.default, keeping: .through(1000))
            let cleared = try await etcd.send(.get, "/v2/keys/k?wait=true&waitIndex=900")
            #expect(cleared.status == 400 && cleared.errorCode == 401 && cleared.json["index"] == 1507)
            #expect(cleared.json["cause"] == "the requested history has been cleared [1001/900]")
        }
    }

    @Test("A wait that comes back to a config that was created again is told that its history is gone")
    func createdAgain() async throws {
        try await EtcdV2Fixture.with { etcd in
            for _ in 1...2 {
                #expect(try await etcd.rest.send(.put, "/v1/team/cfg").status == 201)
                for number in 0..<9 { _ = try await etcd.send(.put, "/team/v2/keys/k", "value=\(number)") }
                let last = try await etcd.send(.get, "/team/v2/keys/k").header("x-etcd-index") ?? ""
                #expect(try await etcd.rest.send(.delete, "/v1/team/cfg").status == 200)
                #expect(try await etcd.rest.send(.put, "/v1/team/cfg").status == 201)
                for number in 0..<20 { _ = try await etcd.send(.put, "/team/v2/keys/k", "value=\(number)") }
                let cleared = try await etcd.send(.get, "/team/v2/keys/k?wait=true&waitIndex=\(last)")
                #expect(cleared.status == 400 && cleared.errorCode == 401)
                #expect(try await etcd.rest.send(.delete, "/v1/team/cfg").status == 200)
            }
        }
    }

    @Test("A message that says refresh does not hide a change from those who wait")
    func spoofedRefresh() async throws {
        try await EtcdV2Fixture.with { etcd in
            _ = try await etcd.send(.put, "/v2/keys/spoof", "value=old")
            _ = try await etcd.rest.send(.put, "/v1/default/keys/spoof?message=etcd%20v2:%20refresh", "new")
            let event = try await etcd.send(.get, "/v2/keys/spoof?wait=true&waitIndex=3")
            #expect(event.json["node"]?["value"] == "new" && event.json["prevNode"]?["value"] == "old")
        }
    }

    @Test("A message that says set does not hide the other changes from those who wait")
    func spoofedSet() async throws {
        try await EtcdV2Fixture.with { etcd in
            let body = #"{"then":[{"set":"/a","value":"1"},{"set":"/a/b","value":"2"}],"message":"etcd v2: set"}"#
            _ = try await etcd.rest.send(.post, "/v1/default/txn", body)
            let event = try await etcd.send(.get, "/v2/keys/a?wait=true&waitIndex=2")
            #expect(event.json["node"]?["value"] == "1")
        }
    }

    @Test("A change by REST is an event like any other, and a rollback is one for each key")
    func foreignWrites() async throws {
        try await EtcdV2Fixture.with { etcd in
            _ = try await etcd.rest.send(.put, "/v1/default/keys/r/a", "1")
            _ = try await etcd.rest.send(.delete, "/v1/default/keys/r/a")
            let set = try await etcd.send(.get, "/v2/keys/r?wait=true&recursive=true&waitIndex=2")
            #expect(
                set.json.text
                    == #"{"action":"set","node":{"key":"/r/a","value":"1","modifiedIndex":2,"createdIndex":2}}"#)
            let deleted = try await etcd.send(.get, "/v2/keys/r/a?wait=true&waitIndex=3")
            #expect(deleted.json["action"] == "delete" && deleted.json["prevNode"]?["value"] == "1")
            let both = Transaction(then: [
                .set(try Key(path: "/r/b"), Value("2")), .set(try Key(path: "/r/c"), Value("3")),
            ])
            _ = try await etcd.service.commit(both, to: .default)
            let last = try await etcd.send(.get, "/v2/keys/r/c?wait=true&waitIndex=4")
            #expect(last.json["node"]?["value"] == "3")
        }
    }

    @Test("A stream goes on with every event, one on a line, until the client goes", arguments: [true, false])
    func streams(isRecursive: Bool) async throws {
        try await EtcdV2Fixture.with(.socket) { etcd in
            let path = isRecursive ? "/v2/keys/?recursive=true&" : "/v2/keys/s/k?"
            let stream = EtcdV2Stream(port: try etcd.port)
            try await stream.with(path + "wait=true&stream=true") { lines in
                try await etcd.waitForWatchers(1)
                var written: [String] = []
                for number in 0..<50 {
                    written.append(try await etcd.send(.put, "/v2/keys/s/k", "value=\(number)").text)
                    _ = try await etcd.send(.put, "/v2/keys/s/_hidden", "value=\(number)")
                }
                written.append(try await etcd.send(.delete, "/v2/keys/s?recursive=true").text)
                for text in written { #expect(try await lines.next() == String(text.dropLast())) }
            }
            try await etcd.waitForWatchers(0)
        }
    }

    @Test("A client that goes away is not waited for", arguments: [false, true])
    func disconnect(isHalf: Bool) async throws {
        try await EtcdV2Fixture.with(.socket) { etcd in
            let stream = EtcdV2Stream(port: try etcd.port)
            try await stream.with("/v2/keys/never?wait=true", closesInput: isHalf) { _ in
                // One that only said that it will send nothing more counts as gone at once.
                if !isHalf { try await etcd.waitForWatchers(1) }
            }
            try await etcd.waitForWatchers(0)
        }
    }

    @Test("A connection is used again after a wait")
    func keepAlive() async throws {
        try await EtcdV2Fixture.with(.socket) { etcd in
            _ = try await etcd.send(.put, "/v2/keys/k", "value=1")
            let stream = EtcdV2Stream(port: try etcd.port)
            try await stream.with("/v2/keys/k?wait=true&waitIndex=2") { lines in
                #expect(try await lines.next()?.contains(#""action":"set""#) == true)
                try await lines.request("/v2/keys/k?wait=true&waitIndex=3")
                try await etcd.waitForWatchers(1)
                _ = try await etcd.send(.delete, "/v2/keys/k")
                #expect(try await lines.next()?.contains(#""action":"delete""#) == true)
            }
        }
    }
}
