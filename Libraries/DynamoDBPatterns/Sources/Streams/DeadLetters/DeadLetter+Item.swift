#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import AWSClient

extension DeadLetter {
    /// The attributes that say what became of the record, without the record itself.
    var attributes: StoredItem {
        var item: StoredItem = [
            "reason": .string(reason.rawValue), "message": .string(message), "failures": .integer(failures),
            "time": .integer(time.milliseconds),
        ]
        item["stream"] = stream.map(AttributeValue.string)
        item["shard"] = shardID.map(AttributeValue.string)
        item["sequenceNumber"] = sequenceNumber.map(AttributeValue.string)
        return item
    }

    /// A letter of its item; `nil` if that is not one.
    init?(_ item: StoredItem, id: String, processor: String) {
        guard let reason = item["reason"]?.string, let message = item["message"]?.string,
            let failures = item["failures"]?.int, let time = item["time"]?.int64, let record = item["record"]?.string
        else { return nil }
        self.id = id
        self.processor = processor
        self.reason = Reason(rawValue: reason)
        self.message = message
        self.failures = failures
        self.time = Date(milliseconds: time)
        stream = item["stream"]?.string
        shardID = item["shard"]?.string
        sequenceNumber = item["sequenceNumber"]?.string
        recordJSON = record
    }
}
