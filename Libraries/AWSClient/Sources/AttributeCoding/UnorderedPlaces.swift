import Synchronization

/// Where a value has lists whose order means nothing: those of sets and of dictionaries whose keys are not strings.
///
/// Two encodings of equal values have such a list in the same order, but another program may have stored it in any.
final class UnorderedPlaces: Sendable {
    private let places = Mutex<Set<AttributePlace>>([])

    var all: Set<AttributePlace> { places.withLock { $0 } }

    func insert(_ path: [any CodingKey]) {
        let place = path.reduce(AttributePlace()) { place, key in
            if let key = key as? PlainKey, key.intValue != nil { place.element } else { place.member(key.stringValue) }
        }
        _ = places.withLock { $0.insert(place) }
    }
}

/// A place within an item: names of members, and lists, of which all elements are one place.
package struct AttributePlace: Sendable, Hashable {
    private enum Step: Sendable, Hashable {
        case member([UInt8])
        case element
    }

    private var steps: [Step] = []

    /// The item itself.
    package init() {}

    /// The elements of a list at this place.
    package var element: AttributePlace { adding(.element) }

    /// A member of a map at this place.
    package func member(_ name: String) -> AttributePlace { adding(.member(Array(name.utf8))) }

    private func adding(_ step: Step) -> AttributePlace {
        var place = self
        place.steps.append(step)
        return place
    }
}

extension AttributeEncoder {
    /// An item, as `item(of:)`, and the places of its lists whose order means nothing.
    package func itemWithUnorderedPlaces(
        of value: some Encodable
    ) throws -> (item: [String: AttributeValue], unordered: Set<AttributePlace>) {
        var encoder = self
        let places = UnorderedPlaces()
        encoder.unordered = places
        return (try encoder.item(of: value), places.all)
    }
}
