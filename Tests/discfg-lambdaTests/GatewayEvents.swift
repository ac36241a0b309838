import DiscfgCore
import HTTPTypes

@testable import discfg_lambda

/// Events as the gateways send them; what a test is about is merged into them.
enum GatewayEvents {
    /// A PUT through an HTTP API with payload format 2.0, its stage `$default`.
    static let httpAPI = #"""
        {
          "version": "2.0", "routeKey": "$default",
          "rawPath": "/v1/default/keys/db/host", "rawQueryString": "ttl=1h&message=a+b%2Bc",
          "cookies": ["session=abc", "theme=dark"],
          "headers": {
            "accept": "*/*", "content-length": "3", "content-type": "text/plain", "if-match": "\"1-2\",\"2-7\"",
            "host": "abc123.execute-api.eu-west-1.amazonaws.com", "x-forwarded-for": " 203.0.113.7", "x-forwarded-port": "443"
          },
          "queryStringParameters": {"ttl": "1h", "message": "a b+c"},
          "requestContext": {
            "accountId": "123456789012", "apiId": "abc123", "domainName": "abc123.execute-api.eu-west-1.amazonaws.com",
            "domainPrefix": "abc123",
            "http": {
              "method": "PUT", "path": "/v1/default/keys/db/host", "protocol": "HTTP/1.1", "sourceIp": "203.0.113.7",
              "userAgent": "curl/8.7.1"
            },
            "requestId": "ATfSmjLgPHcESJw=", "routeKey": "$default", "stage": "$default",
            "time": "10/Jul/2026:19:19:05 +0000", "timeEpoch": 1783711145766
          },
          "body": "db1", "isBase64Encoded": false
        }
        """#

    /// What ministack sends for a GET: no `domainPrefix`, cookies among the fields, path parameters null, no body.
    static let standIn = #"""
        {
          "version": "2.0", "routeKey": "$default", "rawPath": "/v1/default/keys/a", "rawQueryString": "",
          "headers": {"host": "127.0.0.1:4566", "cookie": "session=abc; theme=dark", "accept": "*/*"},
          "requestContext": {
            "accountId": "000000000000", "apiId": "abc123", "domainName": "abc123.execute-api.localhost",
            "http": {
              "method": "GET", "path": "/v1/default/keys/a", "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1", "userAgent": ""
            },
            "requestId": "7c2af7db-31f3-42b5-8a6d-9ffc74e3b9e0", "routeKey": "$default", "stage": "$default"
          },
          "pathParameters": null, "isBase64Encoded": false
        }
        """#

    /// A POST of bytes through a Function URL, which sends cookies twice, and the path as the client wrote it.
    static let functionURL = #"""
        {
          "version": "2.0", "routeKey": "$default", "rawPath": "/v1/default/keys/caf%C3%A9%20a%2Fb", "rawQueryString": "raw",
          "cookies": ["session=abc", "theme=dark"],
          "headers": {
            "content-length": "8", "content-type": "application/octet-stream", "cookie": "session=abc; theme=dark",
            "host": "u1.lambda-url.eu-west-1.on.aws", "x-amzn-tls-version": "TLSv1.3"
          },
          "pathParameters": null, "stageVariables": null,
          "requestContext": {
            "accountId": "123456789012", "apiId": "u1", "authentication": null,
            "authorizer": {"iam": {
              "accessKey": "AKIAEXAMPLE", "accountId": "123456789012", "callerId": "AIDAEXAMPLE", "cognitoIdentity": null,
              "principalOrgId": null, "userArn": "arn:aws:iam::123456789012:user/alice", "userId": "AIDAEXAMPLE"
            }},
            "domainName": "u1.lambda-url.eu-west-1.on.aws", "domainPrefix": "u1",
            "http": {
              "method": "POST", "path": "/v1/default/keys/café a/b", "protocol": "HTTP/1.1", "sourceIp": "203.0.113.7",
              "userAgent": "curl/8.7.1"
            },
            "requestId": "d16a6b55-dea9-4b23-8499-eb85c3d2d904", "routeKey": "$default", "stage": "$default"
          },
          "body": "/wABAv8=", "isBase64Encoded": true
        }
        """#

    /// A GET through a REST API's stage `live`.
    static let restAPI = #"""
        {
          "resource": "/{proxy+}", "path": "/v1/default/keys/space%20value", "httpMethod": "GET",
          "headers": {"Host": "r1.execute-api.eu-west-1.amazonaws.com", "If-None-Match": "\"2-7\"", "x-probe": "second"},
          "multiValueHeaders": {
            "Host": ["r1.execute-api.eu-west-1.amazonaws.com"], "If-None-Match": ["\"1-2\"", "\"2-7\""],
            "x-probe": ["first", "second"], "cookie": ["session=abc", "theme=dark"]
          },
          "queryStringParameters": {"path": "/a b/é", "raw": "", "x": "two"},
          "multiValueQueryStringParameters": {"path": ["/a b/é"], "raw": [""], "x": ["one&=+", "two"]},
          "pathParameters": {"proxy": "v1/default/keys/space%20value"}, "stageVariables": null,
          "requestContext": {
            "accountId": "123456789012", "apiId": "r1", "authorizer": null,
            "domainName": "r1.execute-api.eu-west-1.amazonaws.com", "domainPrefix": "r1", "httpMethod": "GET",
            "identity": {
              "accessKey": null, "accountId": null, "caller": null, "sourceIp": "203.0.113.7", "user": null,
              "userAgent": "curl/8.7.1", "userArn": null
            },
            "path": "/live/v1/default/keys/space%20value", "protocol": "HTTP/1.1", "resourceId": "al6gqb",
            "requestId": "7c2af7db-31f3-42b5-8a6d-9ffc74e3b9e0", "resourcePath": "/{proxy+}", "stage": "live"
          },
          "body": null, "isBase64Encoded": false
        }
        """#

    /// A GET through an HTTP API's stage `dev` with payload format 1.0, which puts the stage into both paths and decodes them.
    static let httpAPI1 = #"""
        {
          "version": "1.0", "resource": "$default", "path": "/dev/v1/default/keys/space value", "httpMethod": "GET",
          "headers": {"host": "h1.execute-api.eu-west-1.amazonaws.com"},
          "multiValueHeaders": {"host": ["h1.execute-api.eu-west-1.amazonaws.com"]},
          "queryStringParameters": null, "multiValueQueryStringParameters": null, "pathParameters": null,
          "requestContext": {
            "accountId": "123456789012", "apiId": "h1", "httpMethod": "GET", "identity": {"sourceIp": "203.0.113.7"},
            "path": "/dev/v1/default/keys/space value", "resourcePath": "$default", "stage": "dev"
          },
          "body": null, "isBase64Encoded": false
        }
        """#

    /// A POST through a load balancer that sends single values.
    static let loadBalancer = #"""
        {
          "requestContext": {"elb": {
            "targetGroupArn": "arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/discfg/4efa1ab384b3474d"
          }},
          "httpMethod": "POST", "path": "/v1/default/keys/space%20value",
          "queryStringParameters": {"message": "a%2Bb+c", "raw": ""},
          "headers": {
            "host": "config.example.com", "content-length": "5", "content-type": "text/plain", "x-forwarded-proto": "https"
          },
          "body": "größer", "isBase64Encoded": false
        }
        """#

    /// The same with lists.
    static let loadBalancerOfLists = #"""
        {
          "requestContext": {"elb": {
            "targetGroupArn": "arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/discfg/4efa1ab384b3474d"
          }},
          "httpMethod": "GET", "path": "/v1/default/keys/space%20value", "queryStringParameters": null, "headers": null,
          "multiValueQueryStringParameters": {"path": ["%2Fa%2Fb"], "x": ["one", "t+wo"]},
          "multiValueHeaders": {"host": ["config.example.com"], "x-probe": ["first", "second"], "cookie": ["session=abc; theme=dark"]},
          "body": "", "isBase64Encoded": false
        }
        """#

    /// All of them.
    static let all = [httpAPI, standIn, functionURL, restAPI, httpAPI1, loadBalancer, loadBalancerOfLists]

    /// An event with something merged into it, as JSON merge patches do.
    static func event(_ text: String, _ patch: JSONValue = [:]) throws -> JSONValue {
        try JSONValue(parsing: text).merging(patch)
    }

    /// An event of an HTTP API for a path, in a stage.
    static func httpAPI(path: String, query: String = "", stage: String = "$default") throws -> JSONValue {
        try event(
            httpAPI,
            [
                "rawPath": .string(path), "rawQueryString": .string(query),
                "requestContext": ["stage": .string(stage), "http": ["path": .string(path)]],
            ])
    }
}

extension GatewayRequest {
    /// The request that a fixture stands for.
    init(_ text: String, _ patch: JSONValue = [:]) throws {
        try self.init(event: GatewayEvents.event(text, patch))
    }

    /// A field's text.
    func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

    /// A field's values.
    func fields(_ name: String) -> [String] { HTTPField.Name(name).map { headers[values: $0] } ?? [] }
}
