extension FaultProxy {
    /// What went through a proxy, as it is seen from outside.
    public struct Counts: Sendable, Equatable {
        /// What went through for one operation.
        public struct Operation: Sendable, Equatable {
            /// Requests that came from clients, whatever happened to them.
            public var requests = 0
            /// Requests that the server answered.
            public var answered = 0
            /// Bytes of the bodies of those requests that came.
            public var requestBytes = 0
            /// Bytes of the bodies of those answers.
            public var answerBytes = 0
            /// The sum of the capacity units that the answers name; those that name none count as 0.
            public var units = 0.0

            /// Nothing.
            public init() {}
        }

        /// By operation, such as `PutItem`; a request without one by its method and path.
        public var operations: [String: Operation] = [:]
        /// How often each fault happened.
        public var faults: [Fault: Int] = [:]

        /// Nothing.
        public init() {}

        /// All requests that came from clients.
        public var requests: Int { operations.values.reduce(0) { $0 + $1.requests } }
        /// All capacity units.
        public var units: Double { operations.values.reduce(0) { $0 + $1.units } }
    }
}
