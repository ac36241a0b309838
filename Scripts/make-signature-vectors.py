#!/usr/bin/env python3
"""Writes the vectors that the signature tests replay: requests like ours, signed by botocore.

Usage: python3 Scripts/make-signature-vectors.py [FILE]
Needs botocore (1.43 made the committed file); the same botocore writes the same file.
"""
import json
import random
import sys
from datetime import datetime, timezone
from pathlib import Path
from unittest import mock
from urllib.parse import quote

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "Libraries/AWSClient/Tests/Fixtures/signature-vectors.json"
CHANCE = random.Random(20120810)

REGIONS = ["us-east-1", "eu-west-1", "eu-central-1", "ap-southeast-2", "cn-north-1", "us-gov-west-1"]
KEYS = [
    ("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", None),
    ("ASIAEXAMPLE", "s/ecret+with=signs", "FwoGZXIvYXdzE+/token==with/signs"),
    ("test", "test", None),
]
DYNAMODB = """BatchGetItem BatchWriteItem CreateTable DeleteItem DeleteTable DescribeTable DescribeTimeToLive GetItem PutItem
Query Scan TransactGetItems TransactWriteItems UpdateItem UpdateTable UpdateTimeToLive""".split()
STREAMS = ["DescribeStream", "GetShardIterator", "GetRecords"]
WORDS = ["a", "config", "Zürich", "日本", "a b", "x+y", "100%", "~tilde", "semi;colon", "it's", "(paren)", "c:d@e", "!$&,=", "🦊"]


class Signer(botocore.auth.SigV4Auth):
    """Signs what AWS asks to be signed: botocore adds every other header, which a proxy may change."""

    def headers_to_sign(self, request):
        headers = super().headers_to_sign(request)
        for name in list(headers.keys()):
            if name not in ("host", "content-type") and not name.startswith("x-amz-"):
                del headers[name]
        return headers


class S3Signer(Signer, botocore.auth.S3SigV4Auth):
    pass


def moment():
    return datetime.fromtimestamp(CHANCE.randrange(0, 4_000_000_000), timezone.utc)


def vector(name, method, url, headers, body, service, *, key=None, region=None, date=None):
    """One request and how botocore signs it."""
    access, secret, token = key or CHANCE.choice(KEYS)
    region = region or CHANCE.choice(REGIONS)
    date = date or moment()
    request = AWSRequest(method=method, url=url, data=body.encode())
    for header, value in headers:
        request.headers.add_header(header, value)
    signer = (S3Signer if service == "s3" else Signer)(Credentials(access, secret, token), service, region)
    seen = {}

    def keep(step, original):
        def wrapper(*arguments):
            seen[step] = original(*arguments)
            return seen[step]

        return wrapper

    with mock.patch.object(botocore.auth, "get_current_datetime", lambda remove_tzinfo=True: date.replace(tzinfo=None)):
        for step in ("canonical_request", "string_to_sign", "signature"):
            setattr(signer, step, keep(step, getattr(signer, step)))
        signer.add_auth(request)
    return {
        "name": name, "method": method, "url": url, "headers": headers, "body": body, "service": service,
        "region": region, "date": int(date.timestamp()), "accessKeyID": access, "secretAccessKey": secret,
        **({"sessionToken": token} if token else {}),
        "canonicalRequest": seen["canonical_request"], "stringToSign": seen["string_to_sign"],
        "signature": seen["signature"], "authorization": request.headers["Authorization"],
    }


def attribute():
    return CHANCE.choice([
        {"S": CHANCE.choice(WORDS)}, {"N": str(CHANCE.randrange(-10**9, 10**9))}, {"B": "AAEC/w=="}, {"BOOL": True},
        {"NULL": True}, {"L": [{"S": "x"}]}, {"M": {CHANCE.choice(WORDS): {"N": "1"}}}, {"SS": ["a", "b"]},
    ])


def json_posts():
    for operation in DYNAMODB * 8:
        item = {CHANCE.choice(WORDS): attribute() for _ in range(CHANCE.randrange(4))}
        body = json.dumps({"TableName": "discfg", "Item": item}, ensure_ascii=CHANCE.random() < 0.5)
        host = CHANCE.choice(["https://dynamodb.eu-west-1.amazonaws.com/", "http://127.0.0.1:4566/", "https://HOST.example:443"])
        headers = [["Content-Type", "application/x-amz-json-1.0"], ["X-Amz-Target", f"DynamoDB_20120810.{operation}"]]
        yield vector(f"dynamodb {operation}", "POST", host, headers, body, "dynamodb")
    others = [("dynamodb", "DynamoDBStreams_20120810", STREAMS, "1.0"), ("kms", "TrentService", ["Encrypt", "Decrypt"], "1.1"),
              ("sqs", "AmazonSQS", ["SendMessage", "ReceiveMessage"], "1.0"), ("events", "AWSEvents", ["PutEvents"], "1.1")]
    for service, target, operations, version in others * 4:
        for operation in operations:
            headers = [["Content-Type", f"application/x-amz-json-{version}"], ["X-Amz-Target", f"{target}.{operation}"]]
            body = json.dumps({"Text": CHANCE.choice(WORDS)}) if CHANCE.random() < 0.8 else ""
            yield vector(f"{service} {operation}", "POST", f"https://{service}.us-east-1.amazonaws.com/", headers, body, service)


def query_posts():
    for service, operation in [("sts", "AssumeRole"), ("sts", "GetCallerIdentity"), ("sns", "Publish")] * 8:
        body = f"Action={operation}&Version=2011-06-15&Text={quote(CHANCE.choice(WORDS), safe='')}"
        headers = [["Content-Type", "application/x-www-form-urlencoded; charset=utf-8"]]
        yield vector(f"{service} {operation}", "POST", f"https://{service}.amazonaws.com", headers, body, service)


def paths():
    segments = ["", ".", "..", "a", "b c", "%2F", "%2f", "é", "日本", "a%20b", "+", "~", "a:b", "@", "$default", "...", "%", "!*'()"]
    fixed = ["", "/", "//", "/./", "/../", "/a/", "/a//b", "/a/./b", "/a/../b", "/../../a", "/a/..", "/a/b/..", "/a/b/.",
             "/a/b/../", "/%2F/", "/a%2Fb", "/ü", "/%C3%BC", "/a b", "/a%20b", "/prod/v1/keys/a/b?recursive=true"]
    drawn = ["/" + "/".join(CHANCE.choices(segments, k=CHANCE.randrange(1, 6))) for _ in range(120)]
    for path in fixed + drawn:
        yield vector(f"path {path}", "GET", f"https://api.execute-api.eu-west-1.amazonaws.com{path}", [], "", "execute-api")
    for path in fixed[1:]:
        yield vector(f"s3 {path}", "GET", f"https://bucket.s3.amazonaws.com{path}", [], "", "s3")


def loosely(text):
    """The text, percent-encoded in one of the ways in which clients do it."""
    encoded = quote(text, safe=CHANCE.choice(["", "-_.~", "!$'()*,:;@+", "/"]))
    if CHANCE.random() < 0.3:
        encoded = "".join(f"%{ord(c):02x}" if c.isascii() and c.isalpha() and "%" not in encoded else c for c in encoded)
    return encoded


def queries():
    fixed = [[("a", "")], [("b", "2"), ("a", "1")], [("a", "2"), ("a", "1")], [("A", "1"), ("a", "1")], [("a", "1"), ("a-", "1")],
             [("a", "=")], [("a", "x y")], [("é", "日本")], [("a+b", "c+d")], [("a", "%20")], [("key", "a/b")], [("a", "&")]]
    drawn = [[(CHANCE.choice(WORDS), CHANCE.choice(WORDS + [""])) for _ in range(CHANCE.randrange(1, 6))] for _ in range(120)]
    for pairs in fixed + drawn:
        text = "&".join(f"{loosely(k)}={loosely(v)}" if v or CHANCE.random() < 0.5 else loosely(k) for k, v in pairs)
        canonical = "&".join("=".join(p) for p in sorted((quote(k, safe="-_.~"), quote(v, safe="-_.~")) for k, v in pairs))
        # botocore takes a query within the address as it stands: it signs the canonical one, we have to come to it.
        result = vector(f"query {text}", "GET", f"https://api.example.com/v1?{canonical}", [], "", "execute-api")
        yield {**result, "url": f"https://api.example.com/v1?{text}"}


def headers():
    texts = ["a  b", "  a", "a  ", "a\tb", "a   b   c", "", "a,b", "Zürich", '"quoted  text"', "a=b;  c"]
    for text in texts:
        for other in texts[:4]:
            given = [["Content-Type", "text/plain;  charset=utf-8"], ["X-Amz-Meta-B", text], ["x-amz-meta-a", other],
                     ["X-Amz-Meta-B", other], ["User-Agent", "not signed"], ["Accept", "*/*"]]
            yield vector(f"header {text!r} {other!r}", CHANCE.choice(["POST", "PUT", "DELETE", "GET", "HEAD"]),
                         "https://service.example.com:8443/a", given, "", "service")


def main():
    made = [*json_posts(), *query_posts(), *paths(), *queries(), *headers()]
    text = ",\n".join(json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in made)
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    output.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    print(f"{len(made)} vectors, {output.stat().st_size} bytes")


if __name__ == "__main__":
    main()
