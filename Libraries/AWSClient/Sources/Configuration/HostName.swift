/// What the names and addresses of hosts look like.
///
/// Source: RFC 1123, section 2.1; RFC 4291, section 2.2.
enum HostName {
    /// Whether the text is one part of a host's name: letters, digits, and hyphens that are not at its ends.
    static func isLabel(_ text: some StringProtocol) -> Bool {
        guard (1...63).contains(text.utf8.count), text.first != "-", text.last != "-" else { return false }
        return text.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
    }

    /// Whether the text is a host's name, or an address with four numbers.
    static func isName(_ text: String) -> Bool {
        guard text.utf8.count <= 253 else { return false }
        let name = text.hasSuffix(".") ? text.dropLast() : Substring(text)
        return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { isLabel($0) }
    }

    /// The four numbers of an address such as `127.0.0.1`.
    static func numbers(_ text: String) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.allSatisfy(\.isDigit) ? UInt8($0) : nil }
        return parts.count == 4 && numbers.count == 4 ? numbers : nil
    }

    /// The sixteen bytes of an address such as `fd00:ec2::23`.
    static func bytes(_ text: String) -> [UInt8]? {
        let halves = text.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false).map(groups)
        guard let head = halves.first ?? nil, let tail = halves.last ?? nil else { return nil }
        if halves.count == 1 { return head.count == 16 ? head : nil }
        guard head.count + tail.count < 16 else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    /// Whether the host can only be this machine.
    static func isLoopback(_ host: String) -> Bool {
        if host.lowercased() == "localhost" { return true }
        if let numbers = numbers(host) { return numbers[0] == 127 }
        return bytes(host) == [UInt8](repeating: 0, count: 15) + [1]
    }

    private static func groups(_ text: Substring) -> [UInt8]? {
        if text.isEmpty { return [] }
        var bytes: [UInt8] = []
        for group in text.split(separator: ":", omittingEmptySubsequences: false) {
            guard (1...4).contains(group.utf8.count), group.utf8.allSatisfy({ $0.hexadecimalValue != nil }),
                let value = UInt16(group, radix: 16)
            else { return nil }
            bytes += [UInt8(value >> 8), UInt8(value & 0xFF)]
        }
        return bytes
    }
}
