/// An element of an XML document: as much of XML as AWS's query protocol has.
///
/// Namespaces, attributes, comments and processing instructions are passed over.
struct XMLElement: Equatable {
    /// Without a namespace's prefix.
    let name: String
    /// The text in the element itself, without spaces at its ends.
    var text = ""
    var children: [XMLElement] = []

    /// The first child with that name.
    func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

    /// The text of what is found by going down from child to child; `nil` if there is none, or it is empty.
    func text(at path: String...) -> String? {
        var element: XMLElement? = self
        for name in path { element = element?.child(name) }
        guard let text = element?.text, !text.isEmpty else { return nil }
        return text
    }

    /// Reads a document.
    ///
    /// - Parameter bytes: UTF-8 text.
    /// - Returns: The outermost element; `nil` if the text is no document, has a document type, which could define
    ///   entities, is longer than 256 KB, or nests deeper than 32 elements.
    static func parse(_ bytes: [UInt8]) -> XMLElement? {
        guard bytes.count <= XMLReader.lengthLimit else { return nil }
        var reader = XMLReader(bytes)
        return reader.document()
    }
}
