import NIOCore
import Testing

@testable import DiscfgNotifications

@Suite("Addresses of webhooks")
struct AddressPolicyTests {
    private static let ours = [
        // This network, private ones, carriers', loopback, link-local with the metadata of clouds.
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
        "127.255.255.254", "169.254.0.1", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255",
        "192.168.0.1", "192.168.255.255",
        // Protocols, documentation, benchmarks, multicast, reserved, broadcast.
        "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        // IPv6: unspecified, loopback, private, link-local, multicast, documentation, protocols, discard, segments.
        "::", "::1", "fc00::1", "fd00:ec2::254", "fdff::1", "fe80::1", "fe80::1%lo", "febf::1", "fec0::1", "ff02::1",
        "2001:db8::1", "3fff::1", "3fff:fff::1", "2001:2::1", "2001:10::1", "100::1", "5f00::1",
        // IPv4 in IPv6: mapped, compatible, translated, 6to4, Teredo.
        "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1", "::127.0.0.1",
        "::8.8.8.8", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::808:808",
        "64:ff9b:1::10.0.0.1", "2002:7f00:1::", "2002:a00:1::1", "2002:a9fe:a9fe::1", "2002:c0a8:1::1",
        "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    ]
    private static let everybodys = [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255",
        "128.0.0.1", "169.253.255.255", "169.255.0.1", "172.15.255.255", "172.32.0.1", "192.0.1.1", "192.167.255.255",
        "192.169.0.1", "198.17.255.255", "198.20.0.1", "198.51.99.1", "203.0.112.1", "223.255.255.255",
        "2606:4700:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888", "2001:200::1", "3ffe::1",
        "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1",
    ]

    @Test("What only this machine or its network can reach is refused, however it is written", arguments: ours)
    func refused(text: String) throws {
        let address = try SocketAddress(ipAddress: text, port: 443)
        #expect(!AddressPolicy(allowsPrivate: false).allows(address))
        #expect(AddressPolicy(allowsPrivate: true).allows(address))
    }

    @Test("What everybody can reach is allowed", arguments: everybodys)
    func allowed(text: String) throws {
        #expect(AddressPolicy(allowsPrivate: false).allows(try SocketAddress(ipAddress: text, port: 443)))
    }

    @Test("What is no address of the Internet is refused")
    func others() throws {
        let policy = AddressPolicy(allowsPrivate: false)
        #expect(try !policy.allows(SocketAddress(unixDomainSocketPath: "/var/run/docker.sock")))
        #expect(!AddressPolicy.isPublic(v4: []) && !AddressPolicy.isPublic(v6: [0x20]))
    }
}
