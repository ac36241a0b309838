import AWSTestSupport
import Foundation
import Subprocess
import SystemPackage
import Testing

/// Users and policies, with AWS's own client library for Python, which is installed beside ministack.
@Suite("Access", .needsMinistack)
struct AccessTests {
    private static let policy = """
        {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["dynamodb:PutItem","dynamodb:CreateTable"],\
        "Resource":"arn:aws:dynamodb:us-east-1:000000000000:table/own*"}]}
        """

    /// Signs and sends as any AWS client does; prints the code of the error, or `ok`, for each call.
    private static let client = """
        import json, os, sys
        import botocore.session, botocore.config, botocore.exceptions
        client = botocore.session.get_session().create_client(
            "dynamodb", "us-east-1", endpoint_url=sys.argv[1],
            aws_access_key_id=os.environ["KEY"], aws_secret_access_key=os.environ["SECRET"],
            config=botocore.config.Config(retries={"mode": "standard", "total_max_attempts": 1}))
        for operation, parameters in json.load(sys.stdin):
            try:
                getattr(client, operation)(**parameters)
                print("ok")
            except botocore.exceptions.ClientError as error:
                reasons = error.response.get("CancellationReasons") or error.response.get("throttlingReasons") or []
                print(error.response["Error"]["Code"], *[reason.get("Code") or reason["reason"] for reason in reasons])
        """

    @Test("A user may do what the policy says, through a proxy too, and nothing with a wrong secret")
    func policies() async throws {
        try await Ministack.with(checkingAccess: true) { ministack in
            try await FaultProxy.with(before: ministack.url) { proxy in
                let key = try await ministack.createUser("ann", policy: Self.policy)
                let create = { (name: String) in
                    #"["create_table",{"TableName":"\#(name)","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"#
                        + #""pk","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]}]"#
                }
                let put = #"["put_item",{"TableName":"own1","Item":{"pk":{"S":"a"}}}]"#
                let get = #"["get_item",{"TableName":"own1","Key":{"pk":{"S":"a"}}}]"#
                let check =
                    #"["transact_write_items",{"TransactItems":[{"Put":{"TableName":"own1","Item":{"pk":{"S":"b"}}}},"#
                    + #"{"ConditionCheck":{"TableName":"own1","Key":{"pk":{"S":"a"}},"ConditionExpression":"#
                    + #""attribute_exists(pk)"}}]}]"#
                let calls = "[\([create("own1"), create("foreign"), put, get, check].joined(separator: ","))]"
                #expect(
                    try await Self.run(proxy.url, key, calls) == [
                        "ok", "AccessDeniedException", "ok", "AccessDeniedException", "AccessDeniedException",
                    ])
                var wrong = key
                wrong.secret = String(key.secret.reversed())
                #expect(try await Self.run(proxy.url, wrong, "[\(put)]") == ["InvalidSignatureException"])
                #expect(
                    try await Self.run(proxy.url, try await ministack.createUser("bob"), "[\(put)]") == [
                        "AccessDeniedException"
                    ])
                try await ministack.setPolicy(Self.policy.replacing("PutItem", with: "GetItem"), ofUser: "ann")
                #expect(try await Self.run(proxy.url, key, "[\(put),\(get)]") == ["AccessDeniedException", "ok"])
            }
        }
    }

    @Test("AWS's own library understands the errors of the proxy")
    func errors() async throws {
        let ministack = try await Ministack.shared()
        try await FaultProxy.with(before: ministack.url) { proxy in
            let item = #"{"Put":{"TableName":"t01","Item":{"pk":{"S":"b"}}}}"#
            let transact = #"["transact_write_items",{"TransactItems":[\#(item),\#(item)]}]"#
            let put = #"["put_item",{"TableName":"t01","Item":{"pk":{"S":"a"}}}]"#
            proxy.script([.throttled, .transactionConflict, .expiredToken, .internalError], for: "PutItem")
            proxy.script([.throttled, .transactionConflict], for: "TransactWriteItems")
            let calls = "[\(put),\(put),\(put),\(put),\(transact),\(transact)]"
            let answers = try await Self.run(proxy.url, Ministack.rootKey, calls)
            #expect(
                answers == [
                    "ThrottlingException TableWriteKeyRangeThroughputExceeded", "TransactionConflictException",
                    "ExpiredTokenException", "InternalServerError",
                    "TransactionCanceledException ThrottlingError ThrottlingError",
                    "TransactionCanceledException TransactionConflict None",
                ])
        }
    }

    @Test("A name that is taken is an error with ministack's own words, and a key shows no secret")
    func users() async throws {
        try await Ministack.with(checkingAccess: true) { ministack in
            let key = try await ministack.createUser("ann")
            #expect("\(key)" == "AccessKey(\(key.id))" && !key.secret.isEmpty)
            await #expect { try await ministack.createUser("ann") } throws: { "\($0)".contains("EntityAlreadyExists") }
            await #expect(throws: AWSTestError.self) { try await ministack.setPolicy("{", ofUser: "ann") }
        }
    }

    private static func run(_ url: String, _ key: AccessKey, _ calls: String) async throws -> [String] {
        let folder = ProcessInfo.processInfo.environment[Ministack.environmentVariable] ?? ""
        let result = try await Subprocess.run(
            .path(FilePath("\(folder)/bin/python")), arguments: ["-c", client, url],
            environment: .custom(["PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "KEY": key.id, "SECRET": key.secret]
            ),
            input: .string(calls), output: .string(limit: 1 << 16), error: .string(limit: 1 << 16))
        let isSuccess = result.terminationStatus.isSuccess
        #expect(isSuccess, "\(result.standardError)")
        return result.standardOutput.split(separator: "\n").map(String.init)
    }
}
