import DiscfgCore
import HTTPTypes
import Testing

@Suite("REST log")
struct LogTests {
    @Test("A transaction carries out the branch that its conditions choose")
    func transaction() async throws {
        try await RESTFixture.with { rest in
            let body =
                #"{"if":[{"key":"/a","exists":false}],"then":[{"set":"/a","value":1},{"set":"/b","value":"x"}],"else":[{"get":"/a"}]}"#
            let first = try await rest.send(.post, "/v1/default/txn", body)
            #expect(first.status == 200 && first.json["succeeded"] == true && first.json["cfgVersion"] == 2)
            #expect(first.json["results"]?.array?.map { $0["item"]?["revision"] } == [2, 2])
            let second = try await rest.send(.post, "/v1/default/txn", body)
            #expect(second.json["succeeded"] == false && second.json["changed"] == false)
            #expect(second.json["results"]?.array?.first?["item"]?["value"] == 1)
            #expect(try await rest.send(.post, "/v1/default/txn", "{").errorCode == 107)
            #expect(try await rest.send(.post, "/v1/default/txn", #"{"do":[]}"#).errorCode == 107)
        }
    }

    @Test("A long poll answers as soon as the key changes", arguments: RESTFixture.transports)
    func longPoll(transport: RESTFixture.Transport) async throws {
        try await RESTFixture.with(transport) { rest in
            _ = try await rest.send(.put, "/v1/default/keys/k", "1")
            async let waiting = rest.send(.get, "/v1/default/keys/k?wait=60s&after=2")
            _ = try await rest.send(.put, "/v1/default/keys/other", "x")
            _ = try await rest.send(.put, "/v1/default/keys/k", "2")
            #expect(try await waiting.json["item"]?["value"] == "2")
            let known = try await rest.send(.get, "/v1/default/keys/k?wait=60s&after=3")
            #expect(known.json["cfgVersion"] == 4)
            let none = try await rest.send(.get, "/v1/default/changes?after=4&wait=1ms")
            #expect(none.json["commits"] == [] && none.json["scanned"] == 4)
        }
    }

    @Test("Changes are read from any revision, for a prefix, and a compacted start says so")
    func changes() async throws {
        try await RESTFixture.with { rest in
            for key in ["a/1", "b/1", "a/2"] { _ = try await rest.send(.put, "/v1/default/keys/\(key)", key) }
            let all = try await rest.send(.get, "/v1/default/changes")
            #expect(all.json["commits"]?.array?.map { $0["revision"] } == [2, 3, 4])
            let some = try await rest.send(.get, "/v1/default/changes?prefix=/a&after=2")
            #expect(some.json["commits"]?.array?.map { $0["revision"] } == [4] && some.json["scanned"] == 4)
            let compacted = try await rest.send(.post, "/v1/default/compact", #"{"to":3}"#)
            #expect(compacted.json["cfgOldest"] == 3)
            let late = try await rest.send(.get, "/v1/default/changes?after=1")
            #expect(late.status == 410 && late.errorCode == 106)
            #expect(try await rest.send(.get, "/v1/default/keys/a/1?rev=2").errorCode == 106)
            #expect(try await rest.send(.get, "/v1/default/keys/a/1?rev=3").status == 200)
            #expect(try await rest.send(.post, "/v1/default/compact", #"{"to":99}"#).errorCode == 108)
            #expect(try await rest.send(.post, "/v1/default/compact", "{}").errorCode == 107)
        }
    }

    @Test("Changes name their log, and a config that was deleted and created again has another")
    func log() async throws {
        try await RESTFixture.with { rest in
            _ = try await rest.send(.put, "/v1/c1/cfg")
            for key in 0..<9 { _ = try await rest.send(.put, "/v1/c1/keys/\(key)", "x") }
            let page = try await rest.send(.get, "/v1/c1/changes?after=3")
            let log = try #require(page.json["cfgLog"]?.string)
            #expect(try await rest.send(.get, "/v1/c1/cfg").json["cfgLog"]?.string == log)
            #expect(try await rest.send(.get, "/v1/c1/changes?after=3&log=\(log)").text == page.text)
            #expect(try await rest.send(.get, "/v1/c1/keys/1?wait=1ms&after=10&log=\(log)").status == 200)
            #expect(try await rest.send(.get, "/v1/c1/keys/1?log=\(log)").errorCode == 107)
            #expect(try await rest.send(.delete, "/v1/c1/cfg").status == 200)
            let again = try await rest.send(.put, "/v1/c1/cfg")
            let begin = try #require(again.json["cfgVersion"]?.integer)
            for key in 0..<20 { _ = try await rest.send(.put, "/v1/c1/keys/new\(key)", "x") }
            for query in ["after=10", "after=11", "after=\(begin)&log=\(log)", "wait=1ms&after=\(begin)&log=\(log)"] {
                let late = try await rest.send(.get, "/v1/c1/changes?\(query)")
                #expect(late.status == 410 && late.errorCode == 106, "\(query)")
            }
            let key = try await rest.send(.get, "/v1/c1/keys/new1?wait=1ms&after=\(begin)&log=\(log)")
            #expect(key.status == 410)
        }
    }

    @Test("An event stream goes on after its last event, in the log that it was of")
    func resume() async throws {
        try await RESTFixture.with { rest in
            for key in 0..<4 { _ = try await rest.send(.put, "/v1/default/keys/\(key)", "x") }
            let log = try #require(try await rest.service.info(of: .default).log)
            func send(_ id: String) async throws -> RESTFixture.Answer {
                try await rest.send(
                    .get, "/v1/default/changes", headers: ["Last-Event-ID": id])
            }
            for id in ["3", "3-\(log)"] {
                let page = try await send(id)
                #expect(page.json["commits"]?.array?.map { $0["revision"] } == [4, 5], "\(id)")
            }
            let other = try await send("3-other")
            #expect(other.status == 410 && other.errorCode == 106)
            for id in ["-", "x", "-3", "x-\(log)", "99999999999999999999-a"] {
                #expect(try await send(id).errorCode == 107, "\(id)")
            }
        }
    }

    @Test("An import without a format is told which parameter is missing")
    func importWithoutFormat() async throws {
        try await RESTFixture.with { rest in
            let answer = try await rest.send(.put, "/v1/default/import", "{}")
            #expect(answer.status == 400 && answer.json["message"] == "The parameter “as” is missing.")
        }
    }

    @Test("A rollback to a revision of the future is told to name one that is there")
    func futureRollback() async throws {
        try await RESTFixture.with { rest in
            let answer = try await rest.send(.post, "/v1/default/rollback", #"{"to":999}"#)
            #expect(answer.status == 400 && answer.json["hint"] == "Give that revision or an earlier one.")
        }
    }

    @Test("What was changed is compared, and put back as a new commit")
    func rollback() async throws {
        try await RESTFixture.with { rest in
            _ = try await rest.send(.put, "/v1/default/keys/a", "1")
            _ = try await rest.send(.put, "/v1/default/keys/a", "2")
            _ = try await rest.send(.put, "/v1/default/keys/b", "new")
            let diff = try await rest.send(.get, "/v1/default/diff?from=2")
            #expect(diff.json["changes"]?.array?.map { $0["key"] } == ["/a", "/b"])
            #expect(diff.json["changes"]?.array?.first?["prevItem"]?["value"] == "1")
            let back = try await rest.send(.post, "/v1/default/rollback", #"{"to":2,"message":"undo"}"#)
            #expect(back.json["action"] == "rollback" && back.json["cfgVersion"] == 5)
            #expect(try await rest.send(.get, "/v1/default/keys/a").json["item"]?["value"] == "1")
            #expect(try await rest.send(.get, "/v1/default/keys/b").status == 404)
            #expect(try await rest.send(.post, "/v1/default/rollback", #"{"to":2}"#).json["cfgVersion"] == 5)
            #expect(try await rest.send(.get, "/v1/default/diff").errorCode == 107)
        }
    }

    @Test("Keys with their values are imported as they are, below the prefix alone")
    func items() async throws {
        try await RESTFixture.with { rest in
            let path = "/v1/default/import?as=items&prefix=/d"
            let items = #"{"items":[{"key":"/d/a","value":1},{"key":"/d/b","value":"MQ==","encoding":"base64"}]}"#
            let rehearsal = try await rest.send(.put, path + "&dryRun", items)
            #expect(rehearsal.json["added"] == 2 && rehearsal.json["commits"] == 0)
            let answer = try await rest.send(.put, path, items)
            #expect(answer.json["added"] == 2 && answer.json["commits"] == 1 && answer.json["cfgVersion"] == 2)
            #expect(try await rest.send(.get, "/v1/default/keys/d/a").json["item"]?["value"] == 1)
            for (body, code) in [
                (#"{"items":[{"key":"/e","value":1}]}"#, 104), ("[", 107), (#"{"files":[]}"#, 107),
                (#"{"items":[{"key":"/d/a","value":1},{"key":"/d/a","value":2}]}"#, 107),
                (#"{"items":[{"key":"/d/a"}]}"#, 107), ("{}", 107),
                (#"{"items":[{"key":"L2Qv","keyEncoding":"hex","value":1}]}"#, 107),
            ] as [(String, Int64)] {
                #expect(try await rest.send(.put, path, body).errorCode == code, "\(body)")
            }
            #expect(try await rest.send(.put, path + "&splitArrays", items).errorCode == 107)
            // What a command that failed has printed must not delete a directory.
            for empty in [path + "&prune", "/v1/default/import?as=env&prefix=/d&prune"] {
                let body = empty.contains("items") ? #"{"items":[]}"# : ""
                #expect(try await rest.send(.put, empty, body).errorCode == 107)
            }
            #expect(try await rest.send(.get, "/v1/default/keys/d/a").status == 200)
        }
    }

    @Test("A file is imported, rehearsed first, and exported as the same data")
    func files() async throws {
        try await RESTFixture.with { rest in
            let yaml = "db:\n  host: h\n  port: 5432\nlist: [1, 2]\n"
            let rehearsal = try await rest.send(.put, "/v1/default/import?as=yaml&dryRun", yaml)
            #expect(rehearsal.json["added"] == 3 && rehearsal.json["cfgVersion"] == 1)
            #expect(try await rest.send(.put, "/v1/default/import?as=yaml&message=m", yaml).json["cfgVersion"] == 2)
            let again = try await rest.send(.put, "/v1/default/import?as=yaml", yaml)
            #expect(again.json["unchanged"] == 3 && again.json["cfgVersion"] == 2)
            let exported = try await rest.send(.get, "/v1/default/export?as=json")
            #expect(exported.json.text == #"{"db":{"host":"h","port":5432},"list":[1,2]}"#)
            let pruned = try await rest.send(.put, "/v1/default/import?as=json&prune", #"{"list":[1,2]}"#)
            #expect(pruned.json["removed"] == 2)
            #expect(try await rest.send(.get, "/v1/default/export?as=xml").errorCode == 107)
            #expect(try await rest.send(.put, "/v1/default/import?as=json", "{").errorCode == 107)
        }
    }

    @Test("Configs are created, described, changed and deleted")
    func configs() async throws {
        try await RESTFixture.with { rest in
            let created = try await rest.send(.put, "/v1/prod/cfg", #"{"retention":{"age":"7d"}}"#)
            #expect(created.status == 201 && created.json["cfgVersion"] == 1 && created.json["cfgState"] == "ACTIVE")
            #expect(try await rest.send(.put, "/v1/prod/cfg").errorCode == 103)
            let changed = try await rest.send(.patch, "/v1/prod/cfg", #"{"retention":{"revisions":5}}"#)
            #expect(changed.json["cfgSettings"]?["retention"]?.text == #"{"age":"7d","revisions":5}"#)
            #expect(try await rest.send(.options, "/v1/prod/cfg").json["cfgStorage"]?["name"] == "memory")
            #expect(
                try await rest.send(.get, "/v1/cfgs").json["cfgs"]?.array?.map { $0["name"] } == ["default", "prod"])
            #expect(try await rest.send(.delete, "/v1/prod/cfg").status == 200)
            #expect(try await rest.send(.get, "/v1/prod/cfg").errorCode == 102)
            #expect(try await rest.send(.delete, "/v1/default/cfg").status == 400)
            #expect(try await rest.send(.patch, "/v1/default/cfg", #"{"nix":1}"#).errorCode == 107)
        }
    }
}
