import AWSClient

extension MemoryState {
    /// Checks a request for a page, and finds what it is read from.
    private func source(_ request: PageRequest) throws(AWSError) -> PageSource {
        let table = try table(request.table)
        let expressions = try expressions(
            names: request.names, values: request.values, filter: request.filter, keyCondition: request.keyCondition,
            projection: request.projection)
        if let limit = request.limit, limit < 1 {
            throw .validation(
                "Value at 'limit' failed to satisfy constraint: Member must have value greater than or "
                    + "equal to 1")
        }
        if request.select == .count || request.select == .allAttributes, request.projection != nil {
            throw .validation(
                "Cannot specify the ProjectionExpression when choosing to get \(request.select?.rawValue ?? "")")
        }
        guard let name = request.index else {
            let start = try request.start.map { key throws(AWSError) in
                try table.schema.checkExact(key)
                return try table.schema.position(of: try key.canonical())
            }
            return PageSource(
                request: request, table: table, index: nil, rows: table.rows, expressions: expressions, start: start)
        }
        let index = try table.index(name)
        if request.isConsistent {
            throw .validation("Consistent reads are not supported on global secondary indexes")
        }
        if request.select == .allAttributes, !table.indexes[index].isWhole {
            throw .validation("Select type ALL_ATTRIBUTES is not supported for global secondary index \(name)")
        }
        if let missing = expressions.projection?.attributes.first(where: { !table.indexes[index].holds($0) }) {
            throw .validation("Global secondary index \(name) does not project [\(missing)]")
        }
        let rows = table.indexRows(index, lag: indexLag) { generator.next() & 1 == 0 }
        let start = try request.start.map { key throws(AWSError) in
            try table.indexes[index].position(ofKey: try key.canonical())
        }
        return PageSource(
            request: request, table: table, index: table.indexes[index], rows: rows, expressions: expressions,
            start: start)
    }

    /// What a page costs.
    private func count(_ page: Page, _ source: PageSource) -> ConsumedCapacity? {
        let units = Units.read(page.size, consistent: source.request.isConsistent)
        usage.readUnits += units
        var count = CapacityCount(table: source.table.name, isWrite: false)
        if let name = source.request.index { count.indexes[name] = units } else { count.own = units }
        return count.answer(source.request.capacity)
    }

    func query(_ request: QueryRequest) throws -> QueryResponse {
        usage.requests["Query", default: 0] += 1
        let source = try source(PageRequest(request))
        guard let tree = source.expressions.keyCondition else {
            throw AWSError.validation("Either the KeyConditions or KeyConditionExpression parameter must be specified")
        }
        if let filter = source.expressions.condition {
            let names = filter.paths.map { source.expressions.context.name($0.root) }
            if let name = source.schema.names.first(where: names.contains) {
                throw AWSError.validation(
                    "Filter Expression can only contain non-primary key attributes: Primary key attribute: \(name)")
            }
        }
        let condition = try KeyCondition(tree, source.expressions.context, schema: source.schema)
        let partition = condition.partition.sortableText ?? ""
        if let start = source.start, start.partition != partition {
            throw AWSError.validation(
                "The provided starting key is outside query boundaries based on provided conditions")
        }
        let rows = source.rows.rows(in: partition)
        var low = rows.boundary { !condition.isBelow($0.order.sort) }
        var high = max(low, rows.boundary { !condition.isBelow($0.order.sort) && condition.isAbove($0.order.sort) })
        var page = source.page()
        if request.scanIndexForward == false {
            if let start = source.start { high = min(high, rows.firstIndex(notBefore: start.order)) }
            while low < high, !page.isFull {
                high -= 1
                page.add(rows[high])
            }
        } else {
            if let start = source.start { low = max(low, rows.boundary { start.order < $0.order }) }
            while low < high, !page.isFull {
                page.add(rows[low])
                low += 1
            }
        }
        var response = QueryResponse()
        response.items = request.select == .count ? nil : items(of: page, source)
        response.count = page.items.count
        response.scannedCount = page.scanned
        response.lastEvaluatedKey = page.last.map { source.key(of: $0) }
        response.consumedCapacity = count(page, source)
        return response
    }

    func scan(_ request: ScanRequest) throws -> ScanResponse {
        usage.requests["Scan", default: 0] += 1
        let source = try source(PageRequest(request))
        let segments = request.totalSegments ?? 1
        guard segments >= 1, (0..<segments).contains(request.segment ?? 0),
            (request.segment == nil) == (request.totalSegments == nil)
        else { throw AWSError.validation("The Segment parameter is zero-based and must be less than TotalSegments") }
        var page = source.page()
        for place in source.rows.partitions(from: source.start.map { RowStore.ScanPlace($0.partition) }) {
            if page.isFull { break }
            guard place.hash % UInt64(segments) == UInt64(request.segment ?? 0) else { continue }
            let rows = source.rows.rows(in: place.partition)
            var next = 0
            if let start = source.start, start.partition == place.partition {
                next = rows.boundary { start.order < $0.order }
            }
            while next < rows.count, !page.isFull {
                page.add(rows[next])
                next += 1
            }
        }
        var response = ScanResponse()
        response.items = request.select == .count ? nil : items(of: page, source)
        response.count = page.items.count
        response.scannedCount = page.scanned
        response.lastEvaluatedKey = page.last.map { source.key(of: $0) }
        response.consumedCapacity = count(page, source)
        return response
    }

    private func items(of page: Page, _ source: PageSource) -> [Item] {
        guard let projection = source.expressions.projection else { return page.items }
        return page.items.map { projection.part(of: $0) }
    }
}
