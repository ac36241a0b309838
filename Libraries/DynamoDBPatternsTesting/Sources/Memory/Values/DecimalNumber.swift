import AWSClient

/// A decimal number as DynamoDB computes with it: exact, of up to 38 digits.
struct DecimalNumber: Hashable {
    /// The most digits that a number can have.
    static let maximumDigits = 38

    private var isNegative: Bool
    /// From the most significant on, without zeros at either end; none for zero.
    private var digits: [Int]
    /// The value is 0.d1d2d3… times ten to the power of this.
    private var exponent: Int

    private init(isNegative: Bool, digits: [Int], exponent: Int) {
        let start = digits.firstIndex { $0 != 0 } ?? digits.count
        let end = digits.lastIndex { $0 != 0 }.map { $0 + 1 } ?? start
        self.digits = Array(digits[start..<max(start, end)])
        self.exponent = self.digits.isEmpty ? 0 : exponent - start
        self.isNegative = isNegative && !self.digits.isEmpty
    }

    /// The number that a text such as `-12`, `0.5` or `1E+3` stands for.
    init(_ text: String) throws(AWSError) {
        guard DecimalText.isNumber(text) else {
            throw .validation("A value provided cannot be converted into a number")
        }
        var digits: [Int] = []
        var point: Int?
        var power = 0
        var isNegative = false
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): point = digits.count
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(Int(byte) - 48)
            case UInt8(ascii: "e"), UInt8(ascii: "E"): power = Int(text.utf8.dropFirst(index + 1).text) ?? 1000
            default: break
            }
            if byte | 0x20 == UInt8(ascii: "e") { break }
        }
        self.init(isNegative: isNegative, digits: digits, exponent: (point ?? digits.count) + power)
        try check()
    }

    private func check() throws(AWSError) {
        if digits.count > Self.maximumDigits {
            throw .validation("Attempting to store more than 38 significant digits in a Number")
        }
        if exponent > 126 {
            throw .validation(
                "Number overflow. Attempting to store a number with magnitude larger than supported range")
        }
        if exponent < -129 {
            throw .validation(
                "Number underflow. Attempting to store a number with magnitude smaller than supported range")
        }
    }
}

extension DecimalNumber {
    /// All its digits, without a power of ten.
    var text: String {
        guard !digits.isEmpty else { return "0" }
        var text = isNegative ? "-" : ""
        if exponent <= 0 { text += "0." + String(repeating: "0", count: -exponent) }
        for (index, digit) in digits.enumerated() {
            if index == exponent, index > 0 { text += "." }
            text += String(digit)
        }
        if exponent > digits.count { text += String(repeating: "0", count: exponent - digits.count) }
        return text
    }

    /// A text whose order is that of the numbers.
    var sortableText: String {
        guard !digits.isEmpty else { return "1" }
        let power = exponent + 500
        if !isNegative { return "2\(power)" + digits.map(String.init).joined() }
        return "0\(999 - power)" + digits.map { String(9 - $0) }.joined() + "~"
    }

    static func + (first: DecimalNumber, second: DecimalNumber) throws(AWSError) -> DecimalNumber {
        let high = max(first.exponent, second.exponent) + 1
        let low = min(first.exponent - first.digits.count, second.exponent - second.digits.count)
        var places = [Int](repeating: 0, count: high - low)
        for number in [first, second] {
            for (index, digit) in number.digits.enumerated() {
                places[high - number.exponent + index] += number.isNegative ? -digit : digit
            }
        }
        // What is negative in sum becomes positive, and gets its sign back at the end.
        let isNegative = (places.first { $0 != 0 } ?? 0) < 0
        if isNegative { places = places.map { -$0 } }
        for index in places.indices.reversed() where index > 0 {
            let carry = places[index] >= 10 ? 1 : places[index] < 0 ? -1 : 0
            places[index] -= carry * 10
            places[index - 1] += carry
        }
        let sum = DecimalNumber(isNegative: isNegative, digits: places, exponent: high)
        try sum.check()
        return sum
    }

    static prefix func - (number: DecimalNumber) -> DecimalNumber {
        DecimalNumber(isNegative: !number.isNegative, digits: number.digits, exponent: number.exponent)
    }
}

extension Substring.UTF8View {
    fileprivate var text: String { String(Substring(self)) }
}
