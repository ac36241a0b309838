#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How dates are stored: one of the usual ways, or two functions of your own.
///
/// An encoder and a decoder that belong together take the same one.
public struct DateCoding: Sendable {
    /// How a date is written; `nil` for a date that cannot be.
    public var write: @Sendable (Date) throws -> AttributeValue?
    /// How a date is read; `nil` for an attribute that is not a date.
    public var read: @Sendable (AttributeValue) throws -> Date?

    /// A coding with functions of your own; `nil` from either function is an error of the encoder or decoder.
    public init(
        write: @escaping @Sendable (Date) throws -> AttributeValue?,
        read: @escaping @Sendable (AttributeValue) throws -> Date?
    ) {
        self.write = write
        self.read = read
    }

    /// A number, the seconds since 1970 with their fraction: exact, and the default.
    public static let secondsSince1970 = DateCoding(
        write: { $0.timeIntervalSince1970.isFinite ? .number("\($0.timeIntervalSince1970)") : nil },
        read: { $0.double.map(Date.init(timeIntervalSince1970:)) })

    /// A number, the whole seconds since 1970, rounded down: what DynamoDB's expiry needs.
    ///
    /// Reads fractions as well.
    public static let wholeSeconds = DateCoding(
        write: { Int64(exactly: $0.timeIntervalSince1970.rounded(.down)).map { .integer($0) } },
        read: secondsSince1970.read)

    /// A string in UTC with milliseconds, such as `2026-11-22T10:00:00.000Z`, so that strings sort as their dates do.
    ///
    /// Writes the years from 1 to 9999. Reads any fraction of a second and any offset. Source: RFC 3339.
    public static let iso8601 = DateCoding(
        write: { ISOTime.text($0.timeIntervalSince1970).map(AttributeValue.string) },
        read: { $0.string.flatMap { ISOTime.seconds($0, years: 1...9999) }.map(Date.init(timeIntervalSince1970:)) })
}
