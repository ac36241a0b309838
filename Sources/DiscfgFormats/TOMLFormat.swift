import DiscfgCore
import TOMLKit

/// TOML 1.0, read by TOMLKit. Members come in the order of their names, which is all that TOMLKit keeps.
enum TOMLFormat {
    static func tree(of bytes: [UInt8]) throws(DiscfgError) -> ConfigTree {
        let text = try SourceText.decode(bytes)
        try TOMLGuard.check(text)
        do {
            return try tree(of: TOMLTable(string: text), depth: 0)
        } catch let error as TOMLParseError {
            let line = error.source.begin.line
            throw .invalid(
                "Line \(line) of the file is not TOML: \(reason(error)).", hint: "Mend that line, or name another format.")
        } catch let error as DiscfgError {
            throw error
        } catch {
            throw .invalid("The file is not TOML.", hint: "Mend it, or name another format.")
        }
    }

    /// What the parser says, without what it saw: that could be part of a value.
    private static func reason(_ error: TOMLParseError) -> String {
        var reason = error.description
        for mark in ["; saw", ", saw", "'", "\""] {
            if let range = reason.firstRange(of: mark) { reason = String(reason[..<range.lowerBound]) }
        }
        while let last = reason.last, !last.isLetter, !last.isNumber, last != ")" { reason.removeLast() }
        return reason.isEmpty ? "it cannot be read" : reason
    }

    private static func tree(of table: TOMLTable, depth: Int) throws(DiscfgError) -> ConfigTree {
        guard depth < ConfigTree.maximumDepth else {
            throw .invalid("The file has more than \(ConfigTree.maximumDepth) levels of nesting.", hint: "Nest less.")
        }
        var members: [ConfigTree.Member] = []
        for name in table.keys {
            guard let value = table[name] else { throw unreadable(name) }
            members.append(ConfigTree.Member(name: name, value: try tree(of: value, name: name, depth: depth + 1)))
        }
        return .object(members)
    }

    private static func tree(of value: any TOMLValueConvertible, name: String, depth: Int) throws(DiscfgError) -> ConfigTree {
        let tree: ConfigTree? =
            switch value.type {
            case .string: value.string.map { .string($0) }
            case .int: value.int.map { .number(String($0)) }
            case .bool: value.bool.map { .bool($0) }
            case .double: value.double.map { float($0) }
            case .date: value.date.map { .typed(TypedScalar(timestamp($0))) }
            case .time: value.time.map { .typed(TypedScalar(timestamp($0))) }
            case .dateTime: value.dateTime.map { .typed(TypedScalar(timestamp($0))) }
            case .table, .array: nil
            }
        if let tree { return tree }
        if let table = value.table { return try self.tree(of: table, depth: depth) }
        guard let array = value.array, depth < ConfigTree.maximumDepth else { throw unreadable(name) }
        var elements: [ConfigTree] = []
        for element in array { elements.append(try self.tree(of: element, name: name, depth: depth + 1)) }
        return .array(elements)
    }

    private static func unreadable(_ name: String) -> DiscfgError {
        .invalid("The value of “\(name)” cannot be read.", hint: "Write it in another way.")
    }

    private static func float(_ value: Double) -> ConfigTree {
        if value.isNaN { return .typed(TypedScalar(.float, "nan")) }
        if value.isInfinite { return .typed(TypedScalar(.float, value < 0 ? "-inf" : "inf")) }
        return .number(value.description)
    }

    private static func timestamp(_ date: TOMLDate) -> TimestampText {
        TimestampText(year: date.year, month: date.month, day: date.day)
    }

    private static func timestamp(_ time: TOMLTime) -> TimestampText {
        TimestampText(hour: time.hour, minute: time.minute, second: time.second, nanosecond: time.nanoSecond)
    }

    private static func timestamp(_ moment: TOMLDateTime) -> TimestampText {
        TimestampText(date: timestamp(moment.date), time: timestamp(moment.time), offsetMinutes: moment.offset?.offset)
    }
}
