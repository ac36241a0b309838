import DiscfgEtcd

/// An enumeration of etcd's, with the names that it has in JSON.
protocol EtcdChoice: RawRepresentable<Int>, CaseIterable {
    /// The enumeration's own name, for messages.
    static var etcdName: String { get }
    var etcdLabel: String { get }
}

extension RangeRequest.SortOrder: EtcdChoice {
    static var etcdName: String { "etcdserverpb.RangeRequest_SortOrder" }
    var etcdLabel: String {
        switch self {
        case .none: "NONE"
        case .ascend: "ASCEND"
        case .descend: "DESCEND"
        }
    }
}

extension RangeRequest.SortTarget: EtcdChoice {
    static var etcdName: String { "etcdserverpb.RangeRequest_SortTarget" }
    var etcdLabel: String {
        switch self {
        case .key: "KEY"
        case .version: "VERSION"
        case .create: "CREATE"
        case .mod: "MOD"
        case .value: "VALUE"
        }
    }
}

extension Compare.Result: EtcdChoice {
    static var etcdName: String { "etcdserverpb.Compare_CompareResult" }
    var etcdLabel: String {
        switch self {
        case .equal: "EQUAL"
        case .greater: "GREATER"
        case .less: "LESS"
        case .notEqual: "NOT_EQUAL"
        }
    }
}

extension Compare.Target: EtcdChoice {
    static var etcdName: String { "etcdserverpb.Compare_CompareTarget" }
    var etcdLabel: String {
        switch self {
        case .version: "VERSION"
        case .create: "CREATE"
        case .mod: "MOD"
        case .value: "VALUE"
        case .lease: "LEASE"
        }
    }
}

extension WatchCreateRequest.Filter: EtcdChoice {
    static var etcdName: String { "etcdserverpb.WatchCreateRequest_FilterType" }
    var etcdLabel: String {
        switch self {
        case .noPut: "NOPUT"
        case .noDelete: "NODELETE"
        }
    }
}

extension AlarmRequest.Action: EtcdChoice {
    static var etcdName: String { "etcdserverpb.AlarmRequest_AlarmAction" }
    var etcdLabel: String {
        switch self {
        case .get: "GET"
        case .activate: "ACTIVATE"
        case .deactivate: "DEACTIVATE"
        }
    }
}

extension AlarmRequest.Alarm: EtcdChoice {
    static var etcdName: String { "etcdserverpb.AlarmType" }
    var etcdLabel: String {
        switch self {
        case .none: "NONE"
        case .noSpace: "NOSPACE"
        case .corrupt: "CORRUPT"
        }
    }
}
