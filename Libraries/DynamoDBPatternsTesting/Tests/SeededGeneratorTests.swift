import DynamoDBPatternsTesting
import Testing

@Suite struct SeededGeneratorTests {
    @Test("A seed gives the same numbers again, and another seed others")
    func seeds() {
        func numbers(_ seed: UInt64) -> [UInt64] {
            var generator = SeededGenerator(seed: seed)
            return (0..<4).map { _ in generator.next() }
        }
        #expect(numbers(7) == numbers(7))
        #expect(numbers(7) != numbers(8))
    }
}
