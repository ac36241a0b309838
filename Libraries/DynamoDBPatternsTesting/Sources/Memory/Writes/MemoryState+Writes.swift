import AWSClient

extension MemoryState {
    /// What a write came to.
    struct Written {
        var plan: PlannedWrite
        var capacity: CapacityCount
    }

    /// Carries out one write.
    func write(_ action: ItemAction, _ operation: String) throws -> Written {
        usage.requests[operation, default: 0] += 1
        let prepared = try prepare(action)
        do {
            return try commit(try plan(prepared), weight: 1)
        } catch let failure as ConditionFailure {
            usage.writeUnits += Units.written(prepared.table.rows[prepared.position]?.size ?? 0)
            throw failure.error
        }
    }

    /// Does what was planned.
    ///
    /// - Parameters:
    ///   - plan: What to do.
    ///   - weight: 2 in a transaction, where the table's part costs twice as much.
    ///   - isExpiry: Whether DynamoDB does it itself, which costs nothing.
    /// - Returns: What it came to.
    /// - Throws: Nothing, after `plan` has let it through.
    func commit(_ plan: PlannedWrite, weight: Double, isExpiry: Bool = false) throws(AWSError) -> Written {
        let write = plan.prepared
        var capacity = CapacityCount(table: write.table.name, isWrite: true)
        capacity.own = plan.units * weight
        if !plan.isCheck, plan.before != nil || plan.after != nil {
            capacity.indexes = try write.table.set(
                write.position, before: plan.before, after: plan.after, lag: indexLag)
            if plan.before?.item != plan.after?.item { record(plan, isExpiry: isExpiry) }
        }
        if !isExpiry { usage.writeUnits += capacity.total }
        return Written(plan: plan, capacity: capacity)
    }

    private func record(_ plan: PlannedWrite, isExpiry: Bool) {
        guard let view = plan.prepared.table.stream?.viewType else { return }
        let milliseconds = now
        var record = StreamRecord()
        record.eventName = plan.before == nil ? .insert : plan.after == nil ? .remove : .modify
        record.eventVersion = "1.1"
        record.awsRegion = "us-east-1"
        var change = StreamRecord.Change()
        change.approximateCreationDateTime = Double(milliseconds / 1000)
        change.keys = plan.prepared.key
        change.sizeBytes = plan.prepared.key.size
        change.streamViewType = view
        if view == .newImage || view == .newAndOldImages, let after = plan.after {
            change.newImage = after.item
            change.sizeBytes? += after.size
        }
        if view == .oldImage || view == .newAndOldImages, let before = plan.before {
            change.oldImage = before.item
            change.sizeBytes? += before.size
        }
        record.change = change
        if isExpiry {
            var identity = StreamRecord.Identity()
            (identity.principalID, identity.type) = ("dynamodb.amazonaws.com", "Service")
            record.userIdentity = identity
        }
        plan.prepared.table.stream?.append(
            record, partition: plan.prepared.position.partition, milliseconds: milliseconds)
    }

    func putItem(_ request: PutItemRequest) throws -> PutItemResponse {
        try Self.checkReturnValues(request.returnValues)
        let written = try write(ItemAction(request), "PutItem")
        var response = PutItemResponse()
        response.attributes = attributes(of: written.plan, request.returnValues)
        response.consumedCapacity = written.capacity.answer(request.returnConsumedCapacity)
        return response
    }

    func updateItem(_ request: UpdateItemRequest) throws -> UpdateItemResponse {
        let written = try write(ItemAction(request), "UpdateItem")
        var response = UpdateItemResponse()
        response.attributes = attributes(of: written.plan, request.returnValues)
        response.consumedCapacity = written.capacity.answer(request.returnConsumedCapacity)
        return response
    }

    func deleteItem(_ request: DeleteItemRequest) throws -> DeleteItemResponse {
        try Self.checkReturnValues(request.returnValues)
        let written = try write(ItemAction(request), "DeleteItem")
        var response = DeleteItemResponse()
        response.attributes = attributes(of: written.plan, request.returnValues)
        response.consumedCapacity = written.capacity.answer(request.returnConsumedCapacity)
        return response
    }

    /// Makes sure that only an update is asked for what it changed.
    private static func checkReturnValues(_ wanted: ReturnValues?) throws(AWSError) {
        guard let wanted, wanted != .none, wanted != .allOld else { return }
        throw .validation("Return values set to invalid value")
    }

    private func attributes(of plan: PlannedWrite, _ wanted: ReturnValues?) -> Item? {
        let part: Item? =
            switch wanted ?? .none {
            case .none: nil
            case .allOld: plan.before?.item
            case .allNew: plan.after?.item
            case .updatedOld: plan.before.map { ProjectionNode(plan.prepared.paths).part(of: $0.item) }
            case .updatedNew: plan.after.map { ProjectionNode(plan.prepared.paths).part(of: $0.item) }
            }
        return part?.isEmpty == true ? nil : part
    }
}
