import DiscfgCore

/// The pages of a listing, all as of the revision of the first.
struct ListingPages: AsyncSequence {
    let query: ListQuery
    let store: any ConfigStore
    let config: ConfigName

    func makeAsyncIterator() -> Iterator { Iterator(pages: self, query: query) }

    /// Asks for one page after the other.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate let pages: ListingPages
        fileprivate var query: ListQuery?

        mutating func next() async throws -> Listing? {
            guard var query else { return nil }
            let page = try await pages.store.list(query, in: pages.config)
            if let next = page.next {
                query.after = next
                query.revision = page.revision
                self.query = query
            } else {
                self.query = nil
            }
            return page
        }
    }
}

extension Session {
    func pages(of query: ListQuery) -> ListingPages { ListingPages(query: query, store: store, config: config) }
}
