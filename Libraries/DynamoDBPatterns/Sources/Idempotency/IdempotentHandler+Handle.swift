import AWSClient
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import Logging

extension IdempotentHandler {
    /// Runs a handler once for a key, and returns its stored answer to every later call.
    ///
    /// Costs two requests and two write units for an answer up to 1 KB; a repetition one request and one unit, a handler
    /// with n writes two units for each kilobyte of each of them besides.
    ///
    /// - Parameters:
    ///   - key: The call's identity, 1 to 512 bytes: chosen by the caller, or the identity of a message, and never that
    ///     of a delivery.
    ///   - payload: What the call is about: a later call has to bring the same. `nil` for no check.
    ///   - deadline: Until when this call works, such as a little before Lambda ends the function; `nil` for `timeout`
    ///     from now.
    ///   - handler: Does the work.
    /// - Returns: The handler's answer, or that of an earlier call.
    /// - Throws: What `handler` throws, after the claim was given back. `PatternError` with the code `busy` while another
    ///   call has the key, `payloadMismatch`, `fenced` if the deadline was over and another call took the key, `conflict`
    ///   if a condition of the handler's writes does not hold, `tooLarge` for an answer of more than 380 KB, `corrupt` for
    ///   a stored answer of another type; `AWSError`. With `fenced` and `conflict` nothing of this call is stored.
    @discardableResult
    public func handle(
        _ key: String, payload: (any Encodable & Sendable)? = nil, until deadline: Date? = nil,
        _ handler: (IdempotentCall) async throws -> Answer
    ) async throws -> IdempotentAnswer<Answer> {
        try await counting { try await handleOnce(key, payload, until: deadline, handler) }
    }

    /// Counts a call by its outcome.
    func counting(
        _ call: () async throws -> IdempotentAnswer<Answer>
    ) async throws -> IdempotentAnswer<Answer> {
        do {
            let answer = try await call()
            table.metrics.called(answer.isRepeated ? "repeated" : "handled", name)
            return answer
        } catch {
            let code = (error as? PatternError)?.code
            let outcome = [.busy, .payloadMismatch, .fenced].contains(code) ? code?.rawValue : nil
            table.metrics.called(outcome ?? "failed", name)
            throw error
        }
    }

    private func handleOnce(
        _ key: String, _ payload: (any Encodable & Sendable)?, until deadline: Date?,
        _ handler: (IdempotentCall) async throws -> Answer
    ) async throws -> IdempotentAnswer<Answer> {
        let item = try itemKey(of: key)
        let hash = try PayloadHash.of(payload)
        let until = deadline?.milliseconds ?? table.clock.milliseconds + timeout.milliseconds
        guard until > table.clock.milliseconds else {
            throw PatternError(
                .invalidArgument, "The deadline of a call of “\(name)” is over already.",
                hint: "The caller needs more time, or its clock is wrong.")
        }
        let claim: IdempotencyRecord
        switch try await self.claim(item, hash, until: until) {
        case .claimed(let record): claim = record
        case .answered(let answer): return IdempotentAnswer(answer: answer, isRepeated: true)
        }
        let call = IdempotentCall(
            key: key, idempotencyKey: "\(name)/\(key)", attempt: claim.attempt, deadline: Date(milliseconds: until))
        do {
            let answer = try await handler(call)
            try await store(answer, call.writes, at: item, claim)
            return IdempotentAnswer(answer: answer, isRepeated: false)
        } catch {
            // A save whose answer was lost may have been carried out: then there is nothing to give back.
            let left = await giveBack(item, claim.claim)
            guard let left, left.isDone, left.claim == claim.claim else { throw error }
            return IdempotentAnswer(answer: try self.answer(of: left), isRepeated: false)
        }
    }

    private enum Claimed {
        case claimed(IdempotencyRecord)
        case answered(Answer)
    }

    private func claim(_ key: ItemKey, _ payload: String, until: Int64) async throws -> Claimed {
        typealias Name = IdempotencyRecord.Attribute
        let token = table.clock.token()
        let now = table.clock.milliseconds
        var update = ItemUpdate()
        update.set(Name.status, .string(WorkState.running.rawValue))
        update.set(Name.until, .integer(until))
        update.set(Name.payload, .string(payload))
        update.set(PatternTable.Attribute.timeToLive, .integer((until + retention.milliseconds) / 1000 + 1))
        update.remove(Name.answer)
        update.increment(Name.attempt)
        let write: MarkedWrite
        do {
            write = try await table.writeMarked(
                key, update, token: token, in: Name.claim, if: IdempotencyRecord.isFree(for: payload, at: now))
        } catch {
            // A repetition of this call should not wait for a claim that may have been written.
            if (error as? AWSError)?.mayHaveTakenEffect ?? true { _ = await giveBack(key, token) }
            throw error
        }
        if case .done(let item) = write { return .claimed(try IdempotencyRecord(item)) }
        guard case .refused(let item?) = write else { throw busy(nil) }
        let record = try IdempotencyRecord(item)
        guard record.payload == payload else { throw mismatch() }
        guard record.isDone else { throw busy(record) }
        return .answered(try answer(of: record))
    }

    /// Stores the answer under the claim, with the handler's writes.
    private func store(
        _ answer: Answer, _ writes: [TransactWriteItem], at key: ItemKey, _ claim: IdempotencyRecord
    ) async throws {
        typealias Name = IdempotencyRecord.Attribute
        var update = ItemUpdate()
        update.set(Name.status, .string(WorkState.done.rawValue))
        update.set(Name.answer, try attribute(of: answer))
        update.set(PatternTable.Attribute.timeToLive, .integer(expiry))
        update.remove(Name.until)
        let write = table.write(key, update, if: IdempotencyRecord.isClaimed(by: claim.claim))
        var refused: StoredItem?
        if writes.isEmpty {
            guard case .refused(let item, _) = try await table.carryOut(write) else { return }
            refused = item
        } else {
            guard case .refused(let reasons) = try await table.carryOut([write], with: writes) else { return }
            guard reasons.first?.failed ?? true else {
                throw PatternError(
                    .conflict, "A write of the handler “\(name)” was refused: its condition does not hold.")
            }
            refused = reasons.first?.item
        }
        // The condition may fail because of an earlier try of this very write.
        if let record = try refused.map(IdempotencyRecord.init), record.isDone, record.claim == claim.claim { return }
        throw PatternError(
            .fenced, "Another call of “\(name)” has taken the key over: the deadline was over.",
            hint: "Give the handler more time. What it has written through the call is not carried out.")
    }

    /// When an answer that is stored now is forgotten, in seconds since 1970.
    var expiry: Int64 { (table.clock.milliseconds + retention.milliseconds) / 1000 + 1 }

    /// An answer as it is stored.
    func attribute(of answer: Answer) throws(PatternError) -> AttributeValue {
        let attribute: AttributeValue
        do {
            attribute = try AttributeEncoder().attribute(of: answer)
        } catch {
            throw PatternError(.invalidArgument, "The answer of “\(name)” cannot be stored.", cause: error)
        }
        guard attribute.size <= 380_000 else {
            throw PatternError(
                .tooLarge, "The answer of “\(name)” has \(attribute.size) bytes, of 380000 that are allowed.",
                hint: "Store it elsewhere, and answer where it is.")
        }
        return attribute
    }

    /// Ends the claim, if the call still has it.
    ///
    /// - Returns: The record that is there instead; `nil` if the claim was given back, or that is not known.
    private func giveBack(_ key: ItemKey, _ claim: String) async -> IdempotencyRecord? {
        typealias Name = IdempotencyRecord.Attribute
        var update = ItemUpdate()
        update.set(Name.until, .integer(0))
        // A write of this call that is still under way is not carried out any more.
        update.set(Name.claim, .string(IdempotencyRecord.unclaimed))
        let write = table.write(key, update, if: IdempotencyRecord.isClaimed(by: claim))
        let giveBack: @Sendable () async throws -> StoredItem? = { [table] in
            guard case .refused(let item, _) = try await table.carryOut(write) else { return nil }
            return item
        }
        do {
            let item = try await uncancelled(giveBack)
            return try item.map(IdempotencyRecord.init)
        } catch {
            logger.warn(
                "A claim could not be given back; it ends with its deadline", of: error, ["handler.name": "\(name)"])
            return nil
        }
    }

    /// The answer of a record that is done.
    func answer(of record: IdempotencyRecord) throws(PatternError) -> Answer {
        do {
            return try AttributeDecoder().decode(Answer.self, from: record.answer ?? .null)
        } catch {
            // Not the error itself, which may hold values.
            throw PatternError(
                .corrupt, "A stored answer of “\(name)” is not of the type \(Answer.self).",
                hint: "Was the type changed? Give the new one another handler's name, or members that are optional.")
        }
    }

    func mismatch() -> PatternError {
        PatternError(
            .payloadMismatch, "A key of “\(name)” was used before, with another payload.",
            hint: "A caller needs a new key for each request, and the same one only to repeat it.")
    }

    func busy(_ record: IdempotencyRecord?) -> PatternError {
        let left = max((record?.until ?? 0) - table.clock.milliseconds, 0)
        return PatternError(
            .busy, "Another call of “\(name)” is at work on this key.",
            hint: "Its claim ends in \(left) ms at the latest; try again after that.")
    }
}
