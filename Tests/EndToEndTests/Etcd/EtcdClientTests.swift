import Testing

/// etcd's own clients against the real server.
@Suite("etcd's clients", EtcdPrograms.areAvailable, DynamoDBStore.isAvailable, .serialized)
struct EtcdClientTests {
    @Test("Clients of the v2 API do all they can do", arguments: EtcdStore.allCases)
    func v2(store: EtcdStore) async throws {
        try await store.serving { sandbox, server in
            // The history is the log, not a thousand events; there are no users. docs/etcd.md says so.
            try await EtcdPrograms.run(
                "client_python_etcd.py", server.etcdURL, "--skip", "history_ends", "--skip", "users_and_roles",
                in: sandbox)
            try await EtcdPrograms.run(
                "etcdctl_v2.py", server.etcdURL, "--skip", "watch_too_late", "--skip", "users_and_roles", in: sandbox)
        }
    }

    @Test("Clients of the v3 JSON gateway do all they can do", arguments: EtcdStore.allCases)
    func gateway(store: EtcdStore) async throws {
        try await store.serving { sandbox, server in
            let steps = !store.hasSize ? ["--skip", "status_and_members"] : []
            // Every address has every API; the others are tried with the address of their own.
            try await EtcdPrograms.run("client_etcd3gw.py", ["http://\(server.etcdAddress)"] + steps, in: sandbox)
        }
    }

    @Test(
        "Clients of the v3 gRPC API do all they can do", arguments: EtcdStore.allCases,
        [
            ("client_etcd3.py", ["status_and_members"]),
            // One commit on DynamoDB cannot delete all that the last step deletes.
            ("client_aetcd.py", ["status_and_members", "clean_up"]),
            ("etcdctl_v3.py", ["endpoint"]),
        ])
    func gRPC(store: EtcdStore, program: (name: String, askingForSize: [String])) async throws {
        try await store.serving { sandbox, server in
            // There are no users.
            let steps =
                (!store.hasSize ? program.askingForSize : [])
                + (program.name == "etcdctl_v3.py" ? ["users_and_roles"] : [])
            // Every address has every API.
            let address = program.name == "client_etcd3.py" ? server.address : server.etcdAddress
            try await EtcdPrograms.run(program.name, [address] + steps.flatMap { ["--skip", $0] }, in: sandbox)
        }
    }
}
