"""The function in Python that lambda.py compares discfg-lambda with: the same read of the same item, with boto3.

It answers GET /v1/{cfg}/keys/{key} of an HTTP API as docs/rest.md says, for values that are text or JSON.
"""

import datetime
import json
import os

import boto3

# While the function starts, as AWS advises, and not when the first request waits for it.
TABLE = os.environ["DISCFG_STORE"].removeprefix("dynamodb:")
CLIENT = boto3.client("dynamodb")


def rest_item(found: dict) -> dict:
    """The item of DynamoDB's attributes, as the REST API shows it."""
    kind = found.get("type", {}).get("S", "text/plain")
    value = found["value"]["S"]
    modified = datetime.datetime.fromtimestamp(int(found["at"]["N"]) / 1000, datetime.timezone.utc)
    item = {
        "key": found["key"]["S"],
        "value": json.loads(value) if kind == "application/json" else value,
        "contentType": kind,
        "version": int(found["version"]["N"]),
        "revision": int(found["modified"]["N"]),
        "created": int(found["created"]["N"]),
        "modified": modified.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
    }
    return item | {"author": found["by"]["S"]} if "by" in found else item


def handler(event: dict, context: object) -> dict:
    _, _, config, _, key = event["rawPath"].split("/", 4)
    place = {"pk": {"S": f"C#{config}#K"}, "sk": {"B": f"/{key}".encode()}}
    found = CLIENT.get_item(TableName=TABLE, Key=place).get("Item")
    if found is None:
        return answer(404, {"errorCode": 100, "error": "Key not found"})
    item = rest_item(found)
    tag = f'"{item["version"]}-{item["revision"]}"'
    return answer(200, {"action": "get", "item": item, "cfgVersion": item["revision"]}, {"ETag": tag})


def answer(status: int, body: dict, headers: dict | None = None) -> dict:
    return {
        "statusCode": status,
        "headers": {"Content-Type": "application/json"} | (headers or {}),
        "body": json.dumps(body, separators=(",", ":")),
        "isBase64Encoded": False,
    }
