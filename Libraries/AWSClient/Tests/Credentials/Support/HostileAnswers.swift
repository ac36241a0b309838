/// Answers that no source of credentials should give.
enum HostileAnswers {
    /// A body, and what the error says.
    static let documents: [(String, String)] = [
        ("", "JSON object"), ("<html><body>SECRET</body></html>", "JSON object"), ("SECRET", "JSON object"),
        ("[\"SECRET\"]", "JSON object"), ("\"SECRET\"", "JSON object"), ("null", "JSON object"), ("{", "JSON object"),
        (String(repeating: "[", count: 60_000), "JSON object"),
        (String(repeating: "{\"a\":", count: 12_000), "JSON object"),
        ("{}", "AccessKeyId"), (#"{"AccessKeyId": "A"}"#, "SecretAccessKey"),
        (#"{"AccessKeyId": 7, "SecretAccessKey": "SECRET"}"#, "AccessKeyId"),
        (#"{"AccessKeyId": "A", "SecretAccessKey": ["SECRET"]}"#, "SecretAccessKey"),
        (#"{"AccessKeyId": "A", "SecretAccessKey": "SECRET", "Token": {"SECRET": 1}}"#, "Token"),
        (FakeAWS.document("A").replacing("\"SECRET\"", with: #""SECRET\nX: y""#), "session token"),
        (FakeAWS.document(#"A\r\nX: y"#), "access key"), (FakeAWS.document(""), "access key"),
        (FakeAWS.document("A").replacing("SECRET-A", with: ""), "secret key"),
        (FakeAWS.document("A", expiration: "-1"), "not a time"),
        (FakeAWS.document("A", expiration: "SECRET"), "not a time"),
        (FakeAWS.document("A", expiration: "1970-01-01T00:00:00Z"), "expired"),
        (FakeAWS.document("A", expiration: "-0001-01-01T00:00:00Z"), "not a time"),
        (FakeAWS.document("A").replacing("\"2100-01-01T00:00:00Z\"", with: "-5"), "wrong type"),
        (FakeAWS.document(String(repeating: "SECRET", count: 20_000)), "more than 65536 bytes"),
    ]
}
