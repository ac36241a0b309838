import DiscfgEtcd

extension Compare: EtcdDecodable {
    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "key": key = try reader.data()
        case "range_end", "rangeEnd": rangeEnd = try reader.data()
        case "target": target = try reader.choice()
        case "result": result = try reader.choice()
        case "version": operand = .version(try reader.integer())
        case "create_revision", "createRevision": operand = .createRevision(try reader.integer())
        case "mod_revision", "modRevision": operand = .modRevision(try reader.integer())
        case "lease": operand = .lease(try reader.integer())
        case "value": operand = .value(try reader.data())
        default: try reader.skip()
        }
    }
}

extension TxnRequest: EtcdDecodable {
    init() { self.init(compare: []) }

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "compare":
            try reader.array { reader throws(EtcdError) in compare.append(try Compare(from: &reader)) }
        case "success":
            try reader.array { reader throws(EtcdError) in success.append(try RequestOp(from: &reader)) }
        case "failure":
            try reader.array { reader throws(EtcdError) in failure.append(try RequestOp(from: &reader)) }
        default: try reader.skip()
        }
    }
}

extension RequestOp: EtcdDecodable {
    init() { self = .none }

    mutating func read(_ name: String, from reader: inout EtcdJSONReader) throws(EtcdError) {
        switch name {
        case "request_range", "requestRange": self = try reader.message().map { .range($0) } ?? .none
        case "request_put", "requestPut": self = try reader.message().map { .put($0) } ?? .none
        case "request_delete_range", "requestDeleteRange":
            self = try reader.message().map { .deleteRange($0) } ?? .none
        case "request_txn", "requestTxn":
            self = try reader.nested { reader throws(EtcdError) in try reader.message().map { .txn($0) } ?? .none }
        default: try reader.skip()
        }
    }
}

extension TxnResponse: EtcdEncodable {
    func write(to writer: inout EtcdJSONWriter) {
        writer.header(header)
        writer.flag("succeeded", succeeded)
        writer.objects("responses", responses) { writer, response in
            switch response {
            case .range(let response): writer.object("response_range") { response.write(to: &$0) }
            case .put(let response): writer.object("response_put") { response.write(to: &$0) }
            case .deleteRange(let response): writer.object("response_delete_range") { response.write(to: &$0) }
            case .txn(let response): writer.object("response_txn") { response.write(to: &$0) }
            }
        }
    }
}
