import DiscfgCore
import DiscfgEtcd
import Testing

@Suite("etcd errors")
struct ErrorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let code: DiscfgError.Code
        let answer: EtcdError.Code
        var text: String?
        var testDescription: String { code.title }
    }

    static let cases: [Case] = [
        Case(code: .keyNotFound, answer: .invalidArgument, text: "etcdserver: key not found"),
        Case(
            code: .compacted, answer: .outOfRange,
            text: "etcdserver: mvcc: required revision has been compacted"),
        Case(
            code: .futureRevision, answer: .outOfRange,
            text: "etcdserver: mvcc: required revision is a future revision"),
        Case(code: .leaseNotFound, answer: .notFound, text: "etcdserver: requested lease not found"),
        Case(code: .leaseExists, answer: .failedPrecondition, text: "etcdserver: lease already exists"),
        Case(code: .storeNotWritable, answer: .resourceExhausted, text: "etcdserver: mvcc: database space exceeded"),
        Case(code: .overloaded, answer: .resourceExhausted, text: "etcdserver: too many requests"),
        Case(code: .outcomeUnknown, answer: .unavailable, text: "etcdserver: request timed out"),
        Case(code: .configNotFound, answer: .notFound), Case(code: .invalidName, answer: .invalidArgument),
        Case(code: .tooLarge, answer: .invalidArgument), Case(code: .forbidden, answer: .permissionDenied),
        Case(code: .unsupported, answer: .unimplemented), Case(code: .storeUnavailable, answer: .unavailable),
        Case(code: .internalError, answer: .unknown), Case(code: .conditionFailed, answer: .unknown),
    ]

    @Test("What discfg fails with is told in etcd's codes and words; an outage is never a refusal", arguments: cases)
    func errors(_ test: Case) {
        let error = EtcdError(answering: DiscfgError(test.code, "What was wrong.", hint: "What to do."))
        #expect(error == EtcdError(test.answer, test.text ?? "discfg: What was wrong. What to do."))
    }

    @Test("A call that was cancelled, and one that failed for no known reason, say nothing of the inside")
    func otherErrors() {
        struct Secret: Error {}
        #expect(EtcdError(answering: CancellationError()) == EtcdError(.canceled, "context canceled"))
        let error = EtcdError(answering: Secret())
        #expect(error.code == .unknown && error.message.hasPrefix("discfg:") && !error.message.contains("Secret"))
        #expect(EtcdError(answering: EtcdError.noLeader) == .noLeader)
    }
}
