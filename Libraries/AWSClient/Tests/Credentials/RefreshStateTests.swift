import Testing

@testable import AWSClient

/// When credentials are renewed, step by step.
@Suite("Refresh state")
struct RefreshStateTests {
    private static func credentials(_ name: String, until expiration: Double?) -> AWSCredentials {
        AWSCredentials(accessKeyID: name, secretAccessKey: "SECRET", expiration: expiration)
    }

    private static let failure = AWSError(.brokenCredentials, "no")

    /// An answer in one word, and the key with it.
    private func phrase(_ answer: RefreshState.Answer) -> String {
        switch answer {
        case .serve(let credentials): "serve \(credentials.accessKeyID)"
        case .serveAndRefresh(let credentials): "serve \(credentials.accessKeyID), refresh"
        case .wait: "wait"
        case .refreshAndWait: "refresh, wait"
        case .fail: "fail"
        }
    }

    /// A state that got credentials at 0.
    private func state(lifetime: Double?) -> RefreshState {
        var state = RefreshState()
        #expect(phrase(state.ask(now: 0)) == "refresh, wait")
        #expect(phrase(state.ask(now: 0)) == "wait")
        _ = state.finish(.success(Self.credentials("a", until: lifetime)), now: 0)
        return state
    }

    @Test(
        "Credentials of an hour are renewed from 15 minutes before the end, and waited for from 10",
        arguments: [
            (0.0, "serve a"), (2699, "serve a"), (2700, "serve a, refresh"), (2999, "serve a, refresh"),
            (3000, "refresh, wait"), (3599, "refresh, wait"), (3600, "refresh, wait"), (9999, "refresh, wait"),
        ])
    func hour(time: Double, expected: String) {
        var state = state(lifetime: 3600)
        #expect(phrase(state.ask(now: time)) == expected)
    }

    @Test(
        "Those of a short time are renewed after half of it, and waited for in its last quarter",
        arguments: [
            (0.0, "serve a"), (449, "serve a"), (450, "serve a, refresh"), (674, "serve a, refresh"),
            (675, "refresh, wait"),
        ])
    func quarter(time: Double, expected: String) {
        var state = state(lifetime: 900)
        #expect(phrase(state.ask(now: time)) == expected)
    }

    @Test("Those that last are never renewed, unless they are refused")
    func lasting() {
        var state = state(lifetime: nil)
        #expect(phrase(state.ask(now: 1e12)) == "serve a")
        state.invalidate(Self.credentials("other", until: nil), now: 1e12)
        #expect(phrase(state.ask(now: 1e12)) == "serve a")
        state.invalidate(Self.credentials("a", until: nil), now: 1e12)
        #expect(phrase(state.ask(now: 1e12)) == "refresh, wait")
    }

    @Test("While one refresh is under way, no other one is started")
    func one() {
        var state = state(lifetime: 3600)
        #expect(phrase(state.ask(now: 2800)) == "serve a, refresh")
        #expect(phrase(state.ask(now: 2800)) == "serve a")
        #expect(phrase(state.ask(now: 3100)) == "wait")
        #expect(phrase(state.ask(now: 3700)) == "wait")
        let outcome = state.finish(.success(Self.credentials("b", until: 7200)), now: 3700)
        #expect((try? outcome?.get())?.accessKeyID == "b")
        #expect(phrase(state.ask(now: 3700)) == "serve b")
    }

    @Test("After failures the old ones are served until they expire, with longer and longer pauses between the tries")
    func failures() {
        var state = state(lifetime: 3600)
        var now = 2800.0
        for pause in [1.0, 2, 4, 8, 16, 32, 60, 60] {
            #expect(phrase(state.ask(now: now)) == "serve a, refresh")
            let outcome = state.finish(.failure(Self.failure), now: now)
            #expect((try? outcome?.get())?.accessKeyID == "a")
            #expect(phrase(state.ask(now: now + pause - 0.1)) == "serve a")
            now += pause
        }
        // Close to the end whoever asks waits, and still gets the old ones.
        #expect(phrase(state.ask(now: 3500)) == "refresh, wait")
        #expect((try? state.finish(.failure(Self.failure), now: 3500)?.get())?.accessKeyID == "a")
        #expect(phrase(state.ask(now: 3500)) == "serve a")
        #expect(phrase(state.ask(now: 3600)) == "refresh, wait")
        #expect(throws: AWSError.self) { try state.finish(.failure(Self.failure), now: 3600)?.get() }
        #expect(phrase(state.ask(now: 3601)) == "fail")
        #expect(phrase(state.ask(now: 3660)) == "refresh, wait")
        _ = state.finish(.success(Self.credentials("b", until: 7200)), now: 3660)
        #expect(phrase(state.ask(now: 3660)) == "serve b")
    }

    @Test("A clock that is set back by a day makes no pause of a day")
    func setBack() {
        var state = RefreshState()
        _ = state.ask(now: 100_000)
        _ = state.finish(.failure(Self.failure), now: 100_000)
        #expect(phrase(state.ask(now: 100_000)) == "fail")
        #expect(phrase(state.ask(now: 10_000)) == "refresh, wait")
    }

    @Test("Those that are refused a hundred times are renewed once, and nobody gets them in the meantime")
    func refused() {
        let old = Self.credentials("a", until: nil)
        var state = state(lifetime: nil)
        for _ in 0..<100 { state.invalidate(old, now: 1) }
        #expect(phrase(state.ask(now: 1)) == "refresh, wait")
        for _ in 0..<100 { state.invalidate(old, now: 1) }
        #expect(phrase(state.ask(now: 1)) == "wait")
        let outcome = state.finish(.success(Self.credentials("b", until: nil)), now: 1)
        #expect((try? outcome?.get())?.accessKeyID == "b")
        for _ in 0..<100 { state.invalidate(old, now: 1) }
        #expect(phrase(state.ask(now: 1)) == "serve b")
    }

    @Test(
        "A refresh that began before the refusal is followed by another one, unless it brought others",
        arguments: ["a", "b"])
    func late(name: String) {
        var state = state(lifetime: 3600)
        #expect(phrase(state.ask(now: 2800)) == "serve a, refresh")
        state.invalidate(Self.credentials("a", until: 3600), now: 2800)
        #expect(phrase(state.ask(now: 2800)) == "wait")
        let first = state.finish(.success(Self.credentials(name, until: name == "a" ? 3600 : nil)), now: 2801)
        if name == "b" {
            #expect((try? first?.get())?.accessKeyID == "b")
        } else {
            #expect(first == nil && phrase(state.ask(now: 2801)) == "wait")
            // The source has no others: AWS itself has the last word.
            let second = state.finish(.success(Self.credentials("a", until: 3600)), now: 2801)
            #expect((try? second?.get())?.accessKeyID == "a")
        }
    }

    @Test("A source that has no others is not asked for each refusal, but after longer and longer pauses")
    func same() {
        let only = Self.credentials("a", until: nil)
        var state = state(lifetime: nil)
        var now = 0.0
        for pause in [1.0, 2, 4, 8, 16, 32, 60, 60] {
            state.invalidate(only, now: now)
            #expect(phrase(state.ask(now: now)) == "refresh, wait")
            _ = state.finish(.success(only), now: now)
            state.invalidate(only, now: now + pause - 0.1)
            #expect(phrase(state.ask(now: now + pause - 0.1)) == "serve a")
            now += pause
        }
    }

    @Test("Where those that were refused cannot be renewed, nobody gets them")
    func refusedAndBroken() {
        var state = state(lifetime: nil)
        state.invalidate(Self.credentials("a", until: nil), now: 5)
        #expect(phrase(state.ask(now: 5)) == "refresh, wait")
        #expect(throws: AWSError.self) { try state.finish(.failure(Self.failure), now: 5)?.get() }
        #expect(phrase(state.ask(now: 5)) == "fail")
        #expect(phrase(state.ask(now: 6)) == "refresh, wait")
    }

    @Test("New credentials that have expired already are a failure", arguments: [0.0, -5, -.infinity, .nan])
    func expired(expiration: Double) {
        var state = state(lifetime: 3600)
        _ = state.ask(now: 3600)
        #expect(throws: AWSError.self) {
            try state.finish(.success(Self.credentials("b", until: expiration)), now: 3600)?.get()
        }
        #expect(phrase(state.ask(now: 3600)) == "fail")
    }
}
