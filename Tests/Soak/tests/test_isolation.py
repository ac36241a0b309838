"""Transactions that become visible item by item, before a table in memory."""
from __future__ import annotations

import base64
import threading
import time
import unittest
from typing import Any

import support  # noqa: F401  makes the modules of the harness importable
from isolation import Isolation, Pace, Refused


def key(number: int) -> dict[str, Any]:
    return {"pk": {"S": "p"}, "sk": {"B": base64.b64encode(bytes([number])).decode()}}


class Table:
    """As much of DynamoDB as the tests need."""

    def __init__(self) -> None:
        self.items: dict[str, dict[str, Any]] = {}

    def forward(self, operation: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Carries out a request."""
        match operation:
            case "PutItem":
                self.items[body["Item"]["sk"]["B"]] = body["Item"]
            case "GetItem":
                item = self.items.get(body["Key"]["sk"]["B"])
                return 200, {"Item": item} if item else {}
            case "TransactGetItems":
                found = [self.items.get(action["Get"]["Key"]["sk"]["B"]) for action in body["TransactItems"]]
                return 200, {"Responses": [{"Item": item} if item else {} for item in found]}
            case "TransactWriteItems":
                for action in body["TransactItems"]:
                    if "Put" in action:
                        self.items[action["Put"]["Item"]["sk"]["B"]] = action["Put"]["Item"]
                    else:
                        self.items.pop(action["Delete"]["Key"]["sk"]["B"], None)
            case "Query":
                backward = body.get("ScanIndexForward") is False
                items = [self.items[sort] for sort in sorted(self.items, reverse=backward)][:body.get("Limit", 100)]
                return 200, {"Items": items, "Count": len(items)}
        return 200, {}


class IsolationTests(unittest.TestCase):
    """What others see while a transaction is carried out."""

    def setUp(self) -> None:
        self.table, self.isolation = Table(), Isolation()
        for number in (1, 2):
            self.table.forward("PutItem", {"Item": key(number) | {"v": {"S": "old"}}})
        actions = [{"Put": {"TableName": "t", "Item": key(9) | {"v": {"S": "new"}}}},
                   {"Put": {"TableName": "t", "Item": key(1) | {"v": {"S": "new"}}}},
                   {"Delete": {"TableName": "t", "Key": key(2)}}]
        self.body = {"TransactItems": actions}

    def begin(self, order: list[float], hold: float = 0.0) -> threading.Thread:
        """Begins the transaction, and waits until its first item can be seen."""
        thread = threading.Thread(target=self.isolation.transact,
                                  args=(self.body, self.table.forward, Pace(order, hold)))
        thread.start()
        deadline = time.monotonic() + 5
        while self.value(9) is None and time.monotonic() < deadline:
            time.sleep(0.002)
        return thread

    def value(self, number: int) -> str | None:
        """What a consistent read of one item shows."""
        _, answer = self.isolation.get({"Key": key(number), "ConsistentRead": True}, self.table.forward)
        return answer["Item"]["v"]["S"] if "Item" in answer else None

    def query(self, **more: Any) -> list[Any]:
        """What a consistent query shows."""
        body = {"KeyConditionExpression": "#p = :p", "ExpressionAttributeNames": {"#p": "pk"}, "ConsistentRead": True,
                "ExpressionAttributeValues": {":p": {"S": "p"}}} | more
        _, answer = self.isolation.query(body, self.table.forward)
        return [(base64.b64decode(item["sk"]["B"])[0], item["v"]["S"]) for item in answer["Items"]]

    def test_one_item_is_shown_before_the_others(self) -> None:
        thread = self.begin([0.0, 0.5, 0.5])
        self.assertEqual((self.value(9), self.value(1), self.value(2)), ("new", "old", "old"))
        self.assertEqual(self.query(), [(1, "old"), (2, "old"), (9, "new")])
        thread.join()
        self.assertEqual((self.value(1), self.value(2)), ("new", None))
        self.assertEqual(self.query(), [(1, "new"), (9, "new")])

    def test_a_hidden_item_leaves_its_place_in_a_page_to_the_next(self) -> None:
        self.body["TransactItems"].reverse()
        thread = threading.Thread(target=self.isolation.transact,
                                  args=(self.body, self.table.forward, Pace([0.0, 0.0, 0.4])))
        thread.start()
        deadline = time.monotonic() + 5
        # Both that are shown at once, in whichever order.
        while (self.value(1), self.value(2)) != ("new", None) and time.monotonic() < deadline:
            time.sleep(0.002)
        self.assertEqual(self.query(Limit=1, ScanIndexForward=False), [(1, "new")])
        thread.join()
        self.assertEqual(self.query(Limit=1, ScanIndexForward=False), [(9, "new")])

    def test_writes_and_transactions_conflict_meanwhile(self) -> None:
        thread = self.begin([0.0, 0.4, 0.4])
        with self.assertRaises(Refused) as refused:
            self.isolation.write({"Item": key(1)}, "PutItem", self.table.forward)
        self.assertEqual(refused.exception.code, "TransactionConflictException")
        for call in (lambda: self.isolation.transact(self.body, self.table.forward, None),
                     lambda: self.isolation.transact_get({"TransactItems": [{"Get": {"Key": key(1)}}]},
                                                         self.table.forward)):
            with self.assertRaises(Refused) as refused:
                call()
            self.assertEqual(refused.exception.code, "TransactionCanceledException")
        thread.join()
        self.assertEqual(self.isolation.write({"Item": key(1)}, "PutItem", self.table.forward)[0], 200)

    def test_an_item_that_is_shown_may_be_written_while_the_others_are_hidden(self) -> None:
        thread = self.begin([0.0, 0.3, 0.3], hold=60)
        self.assertEqual(self.isolation.write({"Item": key(9)}, "PutItem", self.table.forward)[0], 200)
        self.assertEqual((self.value(1), self.value(2)), ("old", "old"))
        with self.assertRaises(Refused):
            self.isolation.write({"Item": key(1)}, "PutItem", self.table.forward)
        thread.join()  # it was held until that write
        self.assertEqual((self.value(1), self.value(2)), ("new", None))

    def test_an_eventual_read_may_be_behind_for_a_moment_longer(self) -> None:
        self.isolation.transact(self.body, self.table.forward, Pace([0.0], lag=60))
        self.assertEqual(self.value(1), "new")
        _, answer = self.isolation.get({"Key": key(1)}, self.table.forward)
        self.assertEqual(answer["Item"]["v"]["S"], "old")

    def test_an_eventual_read_may_miss_the_write_of_a_single_item(self) -> None:
        item = key(1) | {"v": {"S": "new"}}
        self.isolation.write({"TableName": "t", "Item": item}, "PutItem", self.table.forward, lag=60)
        self.assertEqual(self.value(1), "new")
        _, answer = self.isolation.get({"Key": key(1)}, self.table.forward)
        self.assertEqual(answer["Item"]["v"]["S"], "old")


if __name__ == "__main__":
    unittest.main()
