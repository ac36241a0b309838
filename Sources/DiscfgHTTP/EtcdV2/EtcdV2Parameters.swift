import DiscfgCore
import DiscfgEtcd
import HTTPTypes

/// The parameters of a request for a key, checked in etcd's order.
///
/// Source: etcd 3.4, `parseKeyRequest` in `etcdserver/api/v2http/client.go`.
struct EtcdV2Parameters: Sendable {
    var value: [UInt8] = []
    var prevValue: [UInt8]?
    /// `nil` for 0 too, which says nothing.
    var prevIndex: UInt64?
    var waitIndex: UInt64?
    var isRecursive = false
    var waits = false
    var isDirectory = false
    var streams = false
    var isShort = false
    var prevExist: Bool?
    var isRefresh = false
    /// In seconds.
    var timeToLive: UInt64?

    /// Reads and checks the parameters.
    ///
    /// - Throws: `EtcdV2Error` for the first that is not valid.
    init(_ form: EtcdV2Form, method: HTTPRequest.Method) throws(EtcdV2Error) {
        if form.isEmpty { return }
        prevIndex = try Self.index(form, "prevIndex")
        waitIndex = try Self.index(form, "waitIndex")
        isRecursive = try Self.flag(form, "recursive") ?? false
        _ = try Self.flag(form, "sorted")
        waits = try Self.flag(form, "wait") ?? false
        isDirectory = try Self.flag(form, "dir") ?? false
        _ = try Self.flag(form, "quorum")
        streams = try Self.flag(form, "stream") ?? false
        if waits, method != .get { throw .invalidField("\"wait\" can only be used with GET requests") }
        prevValue = form["prevValue"]
        if prevValue?.isEmpty == true { throw EtcdV2Error(code: 201, cause: "\"prevValue\" cannot be empty") }
        isShort = try Self.flag(form, "noValueOnSuccess") ?? false
        if let text = form["ttl"], !text.isEmpty {
            guard let seconds = Self.number(text) else {
                throw EtcdV2Error(code: 202, cause: "invalid value for \"ttl\"")
            }
            timeToLive = seconds
        }
        prevExist = try Self.flag(form, "prevExist", quoted: false)
        value = form["value"] ?? []
        isRefresh = try Self.flag(form, "refresh", quoted: false) ?? false
        guard isRefresh else { return }
        if !value.isEmpty { throw EtcdV2Error(code: 211, cause: "A value was provided on a refresh") }
        if timeToLive == nil { throw EtcdV2Error(code: 212, cause: "No TTL value set") }
    }

    private static func index(_ form: EtcdV2Form, _ name: String) throws(EtcdV2Error) -> UInt64? {
        guard let text = form[name] else { return nil }
        guard let number = number(text) else {
            throw EtcdV2Error(code: 203, cause: "invalid value for \"\(name)\"")
        }
        return number == 0 ? nil : number
    }

    /// A number of decimal digits alone.
    private static func number(_ text: [UInt8]) -> UInt64? {
        guard text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(String(decoding: text, as: UTF8.self))
    }

    /// What Go's `strconv.ParseBool` takes.
    private static func flag(
        _ form: EtcdV2Form, _ name: String, quoted: Bool = true
    ) throws(EtcdV2Error) -> Bool? {
        guard let text = form[name] else { return nil }
        switch String(decoding: text, as: UTF8.self) {
        case "1", "t", "T", "TRUE", "true", "True": return true
        case "0", "f", "F", "FALSE", "false", "False": return false
        default: throw .invalidField("invalid value for \(quoted ? "\"\(name)\"" : name)")
        }
    }
}

/// The operations that parameters ask for.
///
/// Source: etcd 3.4, `etcdserver/apply_v2.go`.
extension EtcdV2Parameters {
    private var condition: DirectoryWrite.Condition? {
        prevIndex == nil && prevValue == nil ? nil : .init(value: prevValue, revision: prevIndex)
    }

    /// The value as discfg keeps it.
    private var content: Value {
        let isText = value.allSatisfy { $0 < 0x80 } || String(validating: value, as: UTF8.self) != nil
        return Value(bytes: value, contentType: isText ? Value.text : Value.octets)
    }

    private var new: DirectoryWrite.Content { isDirectory ? .directory : .file(content) }

    /// What a PUT asks for.
    var putting: DirectoryWrite.Operation {
        if prevExist == false { return .create(new) }
        if let condition { return .compareAndSwap(condition, content, isRefresh: isRefresh) }
        return prevExist == true ? .update(content, isRefresh: isRefresh) : .set(new, isRefresh: isRefresh)
    }

    /// What a POST asks for.
    var posting: DirectoryWrite.Operation { .append(new) }

    /// What a DELETE asks for.
    var deleting: DirectoryWrite.Operation {
        if let condition { return .compareAndDelete(condition) }
        return .delete(isDirectory: isDirectory, isRecursive: isRecursive)
    }

    /// How long what is written stays.
    var duration: Duration? { timeToLive.map { .seconds(Int64(clamping: $0)) } }
}
