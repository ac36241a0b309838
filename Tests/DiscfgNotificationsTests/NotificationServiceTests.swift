import DiscfgCore
import DiscfgTestSupport
import Logging
import ServiceLifecycle
import Testing

@testable import DiscfgNotifications

@Suite("The service of a server")
struct NotificationServiceTests {
    /// Looks often for what others changed.
    private struct QuickEngine: EngineWrapper {
        let engine: any StorageEngine = MemoryEngine()
        var sweepInterval: Duration = .milliseconds(2)
        var traits: StorageTraits { engine.traits.with(\.sweepInterval, sweepInterval) }
    }

    /// Runs a test beside the service, which has to end when it is asked to.
    private func run(_ bench: Bench, _ body: () async throws -> Void) async throws {
        let service = NotificationService(bench.notifier)
        let group = ServiceGroup(configuration: .init(services: [.init(service: service)], logger: bench.log.logger))
        let running = Task { try await group.run() }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        await group.triggerGracefulShutdown()
        try await running.value
        try result.get()
    }

    @Test("It sends what was committed before it began, and what comes afterwards, by old rules and by new ones")
    func follows() async throws {
        let bench = try await Bench(QuickEngine())
        try await bench.add()
        try await bench.set("/before")
        try await run(bench) {
            try await eventually { bench.sender.revisions() == [2] }
            try await bench.set("/after")
            try await eventually { bench.sender.revisions() == [2, 3] }
            try await bench.add("added")
            try await bench.set("/more")
            try await eventually { bench.sender.revisions("added") == [4] && bench.sender.revisions() == [2, 3, 4] }
            _ = try await bench.service.updateConfig(
                bench.config, patch: ["notifications": ["patched": ["to": .string(Bench.queue), "after": 3]]])
            try await eventually { bench.sender.revisions("patched") == [4] }
        }
        #expect(try await bench.state()?.owner == "")
        try await bench.set("/later")
        #expect(bench.sender.taken.count == 5)
    }

    @Test("A rule that is removed and added again, again and again, is followed each time")
    func addedAgain() async throws {
        // It does not look by itself: whoever adds one has to be heard.
        let bench = try await Bench(QuickEngine(sweepInterval: .seconds(3600)))
        try await run(bench) {
            for _ in 0..<200 {
                try await bench.add()
                let revision = try await bench.set("/a")
                try await eventually { bench.sender.revisions().last == revision }
                try await bench.notifier.removeNotification("r", from: bench.config)
                // Wakes whoever still follows it, and now finds it gone.
                try await bench.set("/b")
            }
        }
    }

    @Test("What is refused is tried again by itself")
    func retries() async throws {
        let bench = try await Bench(
            QuickEngine(), sender: RecordingSender { $0.number < 4 ? .refuse() : .take }, time: .system,
            options: { $0.pause = { _ in .milliseconds(1) } })
        try await bench.add()
        try await bench.set("/a")
        try await run(bench) { try await eventually { bench.sender.revisions() == [2] } }
        #expect(bench.sender.tried() == [2, 2, 2, 2])
    }

    @Test("A target that does not answer holds up neither the other rules nor other configs, and not the end")
    func slow() async throws {
        let bench = try await Bench(
            QuickEngine(), sender: RecordingSender { $0.rule.id == "slow" ? .hold : .take })
        for id in ["slow", "good"] { try await bench.add(id) }
        try await run(bench) {
            for revision in Int64(2)...5 {
                try await bench.set("/a")
                try await eventually { bench.sender.revisions("good").last == revision && bench.sender.heldCount == 1 }
            }
        }
        #expect(bench.sender.tried("slow") == [2])
        #expect(try await bench.state("slow")?.owner == "", "the claim is let go")
    }

    @Test("A store that fails for a while is asked again, and the log says so")
    func storeFailure() async throws {
        let engine = FailingEngine(QuickEngine())
        let bench = try await Bench(engine)
        try await bench.add()
        try await bench.set("/a")
        engine.plan { _, call, number in call == .cell && number == 0 ? .refused : nil }
        try await run(bench) { try await eventually { bench.sender.revisions() == [2] } }
        let line = bench.log.lines.first { $0.message == "notifications could not be sent" }
        #expect(line?.metadata["discfg.config"] == "shop" && line?.level == .warning)
    }

    @Test("A config that is deleted and made anew is followed again")
    func createdAgain() async throws {
        let bench = try await Bench(QuickEngine())
        try await bench.add()
        try await run(bench) {
            try await bench.set("/a")
            try await eventually { bench.sender.revisions() == [2] }
            try await bench.service.deleteConfig(bench.config)
            let again = try await bench.service.createConfig(
                bench.config, settings: ConfigSettings(), author: "")
            try await bench.add("new")
            try await bench.set("/b")
            try await eventually { bench.sender.revisions("new") == [again.revision + 1] }
        }
        #expect(bench.sender.revisions() == [2])
    }
}
