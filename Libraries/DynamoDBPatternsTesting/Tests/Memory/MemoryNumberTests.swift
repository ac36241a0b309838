import Testing

@testable import DynamoDBPatternsTesting

@Suite struct MemoryNumberTests {
    @Test(
        "a number is written in one way",
        arguments: [
            ("1", "1"), ("+1", "1"), ("-0", "0"), ("1.50", "1.5"), ("007", "7"), ("1E3", "1000"), ("1e-3", "0.001"),
            ("-12.5e1", "-125"), (".5", "0.5"), ("5.", "5"), ("0.00", "0"),
            ("123456789012345678901", "123456789012345678901"),
        ])
    func canonical(text: String, expected: String) throws {
        #expect(try Numbers.canonical(text) == expected)
        #expect(try DecimalNumber(text).text == expected)
    }

    @Test(
        "sums are exact",
        arguments: [
            ("0.1", "0.2", "0.3"), ("1", "-1", "0"), ("99999999999999999999", "1", "100000000000000000000"),
            ("-5", "2.5", "-2.5"), ("2.5", "-5", "-2.5"), ("9223372036854775807", "1", "9223372036854775808"),
            ("1000", "-0.001", "999.999"), ("-0.5", "-0.5", "-1"), ("1e20", "1", "100000000000000000001"),
        ])
    func sums(first: String, second: String, expected: String) throws {
        #expect(try Numbers.sum(first, second) == expected)
        #expect(try (DecimalNumber(second) + DecimalNumber(first)).text == expected)
        #expect(try Numbers.difference(expected, second) == Numbers.canonical(first))
    }

    @Test("the order of the texts by which numbers are sorted is theirs")
    func order() throws {
        let ascending = [
            "-1e100", "-12345678901234567890", "-100", "-99.5", "-99", "-10", "-9", "-1.5", "-1.05", "-1", "-0.5",
            "-1e-100",
            "0", "1e-100", "0.05", "0.5", "1", "1.05", "1.5", "2", "9", "9.99", "10", "99", "100",
            "12345678901234567890", "1e100",
        ]
        for (index, first) in ascending.enumerated() {
            for second in ascending[(index + 1)...] {
                #expect(Numbers.sortable(first) < Numbers.sortable(second), "\(first) < \(second)")
                #expect(Numbers.isLess(first, second) && !Numbers.isLess(second, first))
            }
        }
    }

    @Test("what has more than 38 digits in sum is refused")
    func tooLong() throws {
        #expect(throws: (any Error).self) { try Numbers.sum("1e37", "0.1") }
        #expect(try Numbers.sum("1e37", "1") == "1" + String(repeating: "0", count: 36) + "1")
    }
}
