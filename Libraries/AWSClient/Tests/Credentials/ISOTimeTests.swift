import Testing

@testable import AWSClient

@Suite("Times of expiry")
struct ISOTimeTests {
    @Test("A time is what Python's dateutil makes of it", arguments: ProfileVectors.all.times)
    func times(time: ProfileVectors.Time) throws {
        let seconds = try #require(ISOTime.seconds(time.text))
        #expect(abs(seconds - time.seconds) < 0.000_001)
    }

    @Test("A time without an offset is one of UTC")
    func naive() { #expect(ISOTime.seconds("2026-11-22T10:00:00") == ISOTime.seconds("2026-11-22T10:00:00Z")) }

    @Test(
        "What is no time is none",
        arguments: [
            "", "soon", "2026-11-22", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
            "2026-11-31T00:00:00Z", "2026-11-22T24:00:00Z", "2026-11-22T10:60:00Z", "2026-11-22T10:00:00ZZ",
            "2026-11-22T10:00:00.Z", "2026-11-22T10:00:00+1", "2026-11-22T10:00:00+99:00", "-001-11-22T10:00:00Z",
            "1969-12-31T23:59:59Z", "99999-01-01T00:00:00Z", "２０２６-11-22T10:00:00Z", "2026-11-22T10:00:00.1e9Z",
            "2026-11-22T10:00:00.\(String(repeating: "1", count: 400))Z", "1795341600", "-5",
        ])
    func noTimes(text: String) { #expect(ISOTime.seconds(text) == nil) }

    @Test("Each day of 400 years is one day after the one before")
    func days() throws {
        var last = try #require(ISOTime.seconds("1999-12-31T00:00:00Z"))
        var steps: [Double: Int] = [:]
        for year in 2000...2400 {
            for month in 1...12 {
                for day in 1...31 {
                    func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
                    guard let next = ISOTime.seconds("\(year)-\(padded(month))-\(padded(day))T00:00:00Z") else {
                        continue
                    }
                    steps[next - last, default: 0] += 1
                    last = next
                }
            }
        }
        #expect(steps == [86_400: 146_463])
    }
}
