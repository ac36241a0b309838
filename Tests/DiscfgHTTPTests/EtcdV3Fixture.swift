import DiscfgCore
import HTTPTypes
import Testing

// The v3 API, of the same servers as v2.
extension EtcdV2Fixture {
    /// Calls etcd's v3 API.
    func call(_ path: String, _ body: String? = nil) async throws -> RESTFixture.Answer {
        try await rest.send(.post, "/v3/\(path)", body)
    }

    /// Sets a key, both in base64; gives the answer.
    @discardableResult
    func put(_ key: String, _ value: String) async throws -> RESTFixture.Answer {
        try await call("kv/put", #"{"key":"\#(key)","value":"\#(value)"}"#)
    }

    @discardableResult
    func grant(_ lease: Int64) async throws -> RESTFixture.Answer {
        try await call("lease/grant", #"{"ID":\#(lease),"TTL":60}"#)
    }

    /// What answers begin with at a revision.
    static func header(_ revision: Int64) -> String {
        #""header":{"cluster_id":"7","member_id":"8","revision":"\#(revision)","raft_term":"1"}"#
    }

    /// Waits until there are so many keys.
    func waitForKeys(_ count: Int) async throws {
        let all = #"{"key":"AA==","range_end":"AA==","count_only":true}"#
        try await wait { try await call("kv/range", all).json["count"] ?? "0" == .string("\(count)") }
    }
}
