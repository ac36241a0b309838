import Synchronization

/// Where the services are asked: found out, and checked, once for each.
final class ServiceEndpoints: Sendable {
    private let find: @Sendable (AWSService) throws(AWSError) -> AWSEndpoint
    private let found = Mutex<[AWSService: String]>([:])

    /// Asks this function, once for each service.
    init(_ find: @escaping @Sendable (AWSService) throws(AWSError) -> AWSEndpoint) { self.find = find }

    /// The complete address of a service; throws `invalidConfiguration` if the setting that names it is none.
    func url(of service: AWSService) throws(AWSError) -> String {
        if let url = found.withLock({ $0[service] }) { return url }
        let url = try find(service).url
        found.withLock { $0[service] = url }
        return url
    }
}
