/// A request that says which tables it is about, so that its errors can name them.
package protocol NamesTables: Sendable {
    /// Names or ARNs, in the order of the request, or sorted if it has none.
    var namedTables: [String] { get }
}

/// A request about one table.
package protocol NamesTable: NamesTables {
    var tableName: String { get }
}

extension NamesTable {
    package var namedTables: [String] { [tableName] }
}

extension GetItemRequest: NamesTable {}
extension QueryRequest: NamesTable {}
extension ScanRequest: NamesTable {}
extension PutItemRequest: NamesTable {}
extension UpdateItemRequest: NamesTable {}
extension DeleteItemRequest: NamesTable {}
extension CreateTableRequest: NamesTable {}
extension DescribeTableRequest: NamesTable {}
extension UpdateTableRequest: NamesTable {}
extension DeleteTableRequest: NamesTable {}
extension UpdateTimeToLiveRequest: NamesTable {}
extension DescribeTimeToLiveRequest: NamesTable {}

extension BatchGetItemRequest: NamesTables {
    package var namedTables: [String] { requestItems.keys.sorted() }
}

extension BatchWriteItemRequest: NamesTables {
    package var namedTables: [String] { requestItems.keys.sorted() }
}

extension TransactGetItemsRequest: NamesTables {
    package var namedTables: [String] { distinct(transactItems.map(\.get.tableName)) }
}

extension TransactWriteItemsRequest: NamesTables {
    package var namedTables: [String] {
        distinct(
            transactItems.map { item in
                switch item {
                case .put(let put): put.tableName
                case .update(let update): update.tableName
                case .delete(let delete): delete.tableName
                case .conditionCheck(let check): check.tableName
                }
            })
    }
}

private func distinct(_ names: [String]) -> [String] {
    var known: Set<String> = []
    return names.filter { known.insert($0).inserted }
}
