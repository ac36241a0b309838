import DiscfgCore
import DiscfgEtcd

extension ServiceConformance {
    static let directoryCases: [Case] = [
        Case("Files and directories are made, listed, changed and removed", assumesAlone: false) { world in
            _ = try await world.done("/app/db/host", .set(.file(Value("h")), isRefresh: false))
            _ = try await world.done("/app/db-2", .set(.file(Value("2")), isRefresh: false))
            _ = try await world.done("/app/_hidden/x", .set(.file(Value("x")), isRefresh: false))
            _ = try await world.done("/app/empty", .create(.directory))
            let level = try await world.read("/app").get().node
            try expectEqual(
                level.children.map(\.path.description), ["/app/db", "/app/db-2", "/app/empty"], "the directory")
            try expectEqual(level.children.map(\.isDirectory), [true, false, true], "what is a directory")
            try expect(level.children[0].children.isEmpty, "only one level")
            let whole = try await world.read("/", isRecursive: true).get().node
            let app = try require(
                whole.children.first { $0.path.description == "/app" }, "the directory below the root")
            try expectEqual(app.children.first?.children.first?.value, Array("h".utf8), "the value below")
            try expectEqual(app.created, level.created, "when the directory was made")
            try expectEqual(
                try await world.read("/app/_hidden").get().node.children.map(\.path.description), ["/app/_hidden/x"],
                "what is hidden, by its name")
            let swap = DirectoryWrite.Operation.compareAndSwap(
                .init(value: Array("h".utf8), revision: nil), Value("i"), isRefresh: false)
            try expectEqual(
                try await world.done("/app/db/host", swap).previous?.value, Array("h".utf8), "the value before")
            try expectEqual(try await world.get("/app/db/host")?.value.text, "i", "the key")
            _ = try await world.done("/app", .delete(isDirectory: false, isRecursive: true))
            try expectEqual(try await world.read("/app").refusal, .keyNotFound, "the directory afterwards")
            try expectEqual(try await world.list("/app").count, 0, "the keys afterwards")
        },
        Case("What is not there, and what is in the way, is told by its path", assumesAlone: false) { world in
            _ = try await world.done("/f", .set(.file(Value("f")), isRefresh: false))
            _ = try await world.done("/d/e", .create(.directory))
            for (path, reason, cause) in [
                ("/none/x/y", DirectoryRefusal.Reason.keyNotFound, "/none"), ("/d/none/x", .keyNotFound, "/d/none"),
                ("/d/e/none", .keyNotFound, "/d/e/none"), ("/f/x", .notADirectory, "/f"),
            ] {
                let reading = try await world.read(path)
                let write = try await world.carryOut(path, .update(Value("x"), isRefresh: false))
                for result in [reading, write] {
                    try expectEqual(result.refusal, reason, "the reason for \(path)")
                    try expectEqual(result.cause, cause, "the cause for \(path)")
                }
            }
        },
        Case("Keys without directories are there all the same, and stay when a directory is made", assumesAlone: false)
        {
            world in
            let revision = try await world.set("/r/s/k", "1").revision
            try await world.set("/r", "file")
            try await world.set("/r/s/l", "2")
            try expectEqual(try await world.read("/r").get().node.value, Array("file".utf8), "a key with keys below it")
            let implied = try await world.read("/r/s").get().node
            try expectEqual(implied.children.map(\.path.description), ["/r/s/k", "/r/s/l"], "what is below")
            try expectEqual([implied.created, implied.modified], [revision, revision], "the indexes of the first key")
            try await world.delete("/r")
            _ = try await world.done("/r/s/m", .set(.file(Value("3")), isRefresh: false))
            let made = try await world.read("/r", isRecursive: true).get().node
            try expectEqual(made.children.first?.children.count, 3, "the keys")
            try await world.delete("/r/s/k")
            try await world.delete("/r/s/l")
            try await world.delete("/r/s/m")
            try expectEqual(try await world.read("/r/s").get().node.children, [], "the empty directory")
        },
        Case("Names in order are never given twice, whoever asks", assumesAlone: false) { world in
            let other = try await world.anotherService()
            let paths = try await withThrowingTaskGroup(of: [String].self) { group in
                for service in [world.service, other] {
                    group.addTask {
                        var paths: [String] = []
                        for _ in 0..<8 {
                            let write = DirectoryWrite(.append(.file(Value("x"))), at: try DirectoryPath("/q".utf8))
                            paths.append(
                                try await service.carryOut(write, in: world.config).get().node.path.description)
                        }
                        return paths
                    }
                }
                return try await group.reduce(into: [String]()) { $0 += $1 }
            }
            let queue = try await world.read("/q").get().node
            try expectEqual(queue.children.map(\.path.description), paths.sorted(), "the names in the queue")
            try expectEqual(Set(paths).count, 16, "the number of names")
        },
        Case("A directory that is overdue goes as a whole, and wakes those who watch what is in it") { world in
            _ = try await world.done("/d", .create(.directory), ttl: .seconds(5))
            _ = try await world.done("/d/e/k", .set(.file(Value("1")), isRefresh: false))
            var feed = try await world.follow("/d/e/k")
            world.clock.advance(by: .seconds(6))
            try await world.service.expireOverdue(in: world.config)
            let event = try require(try await feed.next().first, "the event")
            try expectEqual(event.action, .expire, "the action")
            try expectEqual(event.node.path.description, "/d", "the path")
            try expectEqual(try await world.read("/d/e/k").refusal, .keyNotFound, "the key")
            try expectEqual(try await world.list().count, 0, "the keys that are left")
        },
        Case("A watcher sees what it watches once and in order, by any service, and that its history is gone") {
            world in
            let other = try await world.anotherService()
            let start = try await world.revision
            var feed = try await world.follow("/w", isRecursive: true)
            for (index, service) in [world.service, other, world.service].enumerated() {
                let write = DirectoryWrite(
                    .set(.file(Value("\(index)")), isRefresh: false), at: try DirectoryPath("/w/k".utf8))
                _ = try await service.carryOut(write, in: world.config)
                let hidden = DirectoryWrite(
                    .set(.file(Value("h")), isRefresh: false), at: try DirectoryPath("/w/_h".utf8))
                _ = try await service.carryOut(hidden, in: world.config)
            }
            var seen: [DirectoryEvent] = []
            while seen.count < 3 { seen += try await feed.next() }
            try expectEqual(seen.map(\.node.value), ["0", "1", "2"].map { Array($0.utf8) }, "the values")
            _ = try await world.service.compact(world.config, keeping: .through(start + 2))
            let late = try await world.service.follow(
                DirectoryWatch(try DirectoryPath("/w".utf8), isRecursive: true), from: start + 1, in: world.config)
            guard case .failure(let refusal) = late else {
                throw ConformanceFailure(description: "Expected the history to be gone, but it is followed.")
            }
            try expectEqual(refusal.reason, .historyCleared, "the reason")
        },
    ]
}

extension ServiceWorld {
    fileprivate func carryOut(
        _ path: String, _ operation: DirectoryWrite.Operation, ttl: Duration? = nil
    ) async throws -> DirectoryResult {
        let write = DirectoryWrite(operation, at: try DirectoryPath(path.utf8), timeToLive: ttl)
        return try await service.carryOut(write, in: config)
    }

    /// A write that must not be refused.
    fileprivate func done(
        _ path: String, _ operation: DirectoryWrite.Operation, ttl: Duration? = nil
    ) async throws -> DirectoryEvent {
        try await carryOut(path, operation, ttl: ttl).get()
    }

    fileprivate func read(_ path: String, isRecursive: Bool = false) async throws -> DirectoryResult {
        try await service.read(try DirectoryPath(path.utf8), isRecursive: isRecursive, in: config)
    }

    fileprivate func follow(_ path: String, isRecursive: Bool = false) async throws -> DirectoryFeed {
        let watch = DirectoryWatch(try DirectoryPath(path.utf8), isRecursive: isRecursive)
        return try await service.follow(watch, from: nil, in: config).get()
    }
}

extension DirectoryResult {
    fileprivate var refusal: DirectoryRefusal.Reason? {
        if case .failure(let refusal) = self { refusal.reason } else { nil }
    }

    fileprivate var cause: String? { if case .failure(let refusal) = self { refusal.cause } else { nil } }
}
