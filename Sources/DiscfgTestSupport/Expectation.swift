import DiscfgCore

/// What a conformance suite found to be otherwise than the contract says.
public struct ConformanceFailure: Error, CustomStringConvertible {
    /// What was expected, and what was found.
    public var description: String
}

/// Fails unless the condition holds.
func expect(_ condition: Bool, _ expectation: @autoclosure () -> String, line: UInt = #line, file: String = #fileID)
    throws
{
    if condition { return }
    throw ConformanceFailure(description: "Expected \(expectation()) (\(file):\(line)).")
}

/// Fails unless both are equal.
func expectEqual<Value: Equatable>(
    _ found: Value, _ expected: Value, _ what: @autoclosure () -> String, line: UInt = #line, file: String = #fileID
) throws {
    if found == expected { return }
    throw ConformanceFailure(
        description: "Expected \(what()) to be \(shortened(expected)), found \(shortened(found)) (\(file):\(line)).")
}

/// The value, or a failure where there is none.
func require<Value>(_ value: Value?, _ what: @autoclosure () -> String, line: UInt = #line, file: String = #fileID)
    throws -> Value
{
    guard let value else {
        throw ConformanceFailure(description: "Expected \(what()), found nothing (\(file):\(line)).")
    }
    return value
}

/// Fails unless the body throws a `DiscfgError` of that code.
@discardableResult
func expectError<Result>(
    _ code: DiscfgError.Code, _ what: @autoclosure () -> String, line: UInt = #line, file: String = #fileID,
    _ body: () async throws -> Result
) async throws -> DiscfgError {
    let found: String
    do {
        found = "\(shortened(try await body()))"
    } catch let error as DiscfgError where error.code == code {
        return error
    } catch {
        found = "the error “\(error)”"
    }
    throw ConformanceFailure(
        description: "Expected \(what()) to throw “\(code.title)”, found \(found) (\(file):\(line)).")
}

/// A description that does not fill the screen: values may have megabytes.
private func shortened(_ value: Any) -> String {
    let text = String(describing: value)
    return text.utf8.count > 600 ? "\(text.prefix(600))…" : text
}
