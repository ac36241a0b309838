import AWSClient
import Testing

/// Looks for what must not be shown. Every secret of every test holds the word `SECRET`.
enum Secrecy {
    /// All that a description, a debug description and a dump show.
    static func shown(_ value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return "\(value) \(String(reflecting: value)) \(dumped)"
    }

    /// Whether a secret is shown; the variable's name is none.
    static func isLeaking(_ value: Any) -> Bool {
        shown(value).replacing("AWS_SECRET_ACCESS_KEY", with: "").contains("SECRET")
    }
}

/// Expects an error of AWSClient that shows no secret, and returns it.
func failure<Result>(
    _ code: AWSError.Code? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Result
) async throws -> AWSError {
    do {
        let result = try await body()
        Issue.record("There was no error, but a \(type(of: result)).", sourceLocation: sourceLocation)
        throw CancellationError()
    } catch let error as AWSError {
        #expect(!Secrecy.isLeaking(error), sourceLocation: sourceLocation)
        if let code { #expect(error.code == code, "\(error)", sourceLocation: sourceLocation) }
        return error
    }
}
