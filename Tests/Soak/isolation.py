"""Transactions of DynamoDB that become visible item by item.

AWS documents: one GetItem is serialisable with a transaction; several of them, BatchGetItem and Query are
read-committed, also with ConsistentRead. So while a TransactWriteItems is carried out, a reader may see one of
its items as it was before and another as it is after. TransactGetItems and all writes that meet an item that is not
shown yet are refused with TransactionConflict; an item that is shown is free. The stand-in does all at once;
`Isolation` stands before it, serves the images from before, and shows one item after another.

A read with eventual consistency may be behind by more: it can meet the image from before until a moment after the
transaction, or after the write of a single item.
"""
from __future__ import annotations

import base64
import json
import re
import threading
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any, Callable, Iterable

#: Sends a request to the stand-in: operation and body -> status and answer.
Forward = Callable[[str, dict[str, Any]], tuple[int, dict[str, Any]]]
Image = dict[str, Any] | None

_COMPARISON = re.compile(r"(#\w+) *(<=|>=|<|>|=) *(:\w+)$")
_BETWEEN = re.compile(r"(#\w+) +BETWEEN +(:\w+) +AND +(:\w+)$", re.IGNORECASE)


@dataclass
class _Hidden:
    """An item of a transaction under way that is not shown yet: its image from before."""

    before: Image
    #: Whether a write was refused because of it.
    is_met: bool = False


@dataclass
class Pace:
    """How a transaction becomes visible."""

    #: Seconds after which its items are shown, in the order in which it names them; the answer comes after the last.
    order: list[float]
    #: After the items that are shown at once it waits for so many seconds at most until a write meets one of the others.
    hold: float = 0.0
    #: Seconds for which reads with eventual consistency may miss an item that is shown.
    lag: float = 0.0


class Refused(Exception):
    """What DynamoDB refuses: an error and what goes with it."""

    def __init__(self, code: str, message: str, **more: Any) -> None:
        super().__init__(message)
        self.code, self.message, self.more = code, message, more


def conflict(keys: Iterable[str], busy: set[str]) -> Refused:
    """The refusal of a transaction that meets another."""
    reasons = [{"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"} if key in busy
               else {"Code": "None"} for key in keys]
    codes = ", ".join(reason["Code"] for reason in reasons)
    return Refused("TransactionCanceledException",
                   "Transaction cancelled, please refer cancellation reasons for specific reasons [" + codes + "]",
                   CancellationReasons=reasons)


class Isolation:
    """The transactions under way on one stand-in, for all proxies before it."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._pending: dict[str, _Hidden] = {}
        self._lagging: dict[str, tuple[Image, float]] = {}
        self._writing: Counter[str] = Counter()
        self.slow_commits = 0
        self.masked_answers = 0

    # -- writes ---------------------------------------------------------------------------------------------------

    def write(self, body: dict[str, Any], operation: str, forward: Forward,
              lag: float = 0.0) -> tuple[int, dict[str, Any]]:
        """A write of one item: refused while a transaction has the item. For `lag` seconds eventual reads miss it."""
        keys = [_write_key(body)]
        self._claim(keys, None)
        try:
            images = self._images([(keys[0], body)], forward) if lag else {}
            status, answer = forward(operation, body)
            if status == 200 and images:
                with self._changed:
                    self._lagging[keys[0]] = (images[keys[0]], time.monotonic() + lag)
            return status, answer
        finally:
            self._free(keys)

    def transact(self, body: dict[str, Any], forward: Forward, pace: Pace | None) -> tuple[int, dict[str, Any]]:
        """A transaction: at once, or item by item."""
        actions = [next(iter(action.items())) for action in body["TransactItems"]]
        keys = [_write_key(action) for _, action in actions]
        self._claim(keys, keys)
        claimed = set(keys)
        try:
            if not pace:
                return forward("TransactWriteItems", body)
            written = [(key, action) for key, (kind, action) in zip(keys, actions) if kind != "ConditionCheck"]
            images = self._images(written, forward)
            with self._changed:
                self._pending.update({key: _Hidden(image) for key, image in images.items()})
            status, answer = forward("TransactWriteItems", body)
            if status == 200:
                self._show(list(images), pace, claimed)
            return status, answer
        finally:
            self._free(claimed)

    def _claim(self, keys: list[str], transaction: list[str] | None) -> None:
        """Waits for writes under way on the same items; refuses if a slow transaction has one."""
        with self._changed:
            while True:
                busy = {key for key in keys if key in self._pending}
                for key in busy:
                    self._pending[key].is_met = True
                    self._changed.notify_all()
                if busy and transaction is not None:
                    raise conflict(keys, busy)
                if busy:
                    raise Refused("TransactionConflictException", "Transaction is ongoing for the item")
                if not any(self._writing[key] for key in keys):
                    break
                self._changed.wait(1)
            for key in keys:
                self._writing[key] += 1
                self._lagging.pop(key, None)

    def _free(self, keys: Iterable[str]) -> None:
        with self._changed:
            for key in keys:
                self._pending.pop(key, None)
                self._writing[key] -= 1
                if not self._writing[key]:
                    del self._writing[key]
            self._changed.notify_all()

    @staticmethod
    def _images(written: list[tuple[str, dict[str, Any]]], forward: Forward) -> dict[str, Image]:
        gets = [{"Get": {"TableName": action["TableName"], "Key": _key_of(action)}} for _, action in written]
        status, answer = forward("TransactGetItems", {"TransactItems": gets})
        if status != 200:
            return {}
        return {key: response.get("Item") or None for (key, _), response in zip(written, answer["Responses"])}

    def _show(self, keys: list[str], pace: Pace, claimed: set[str]) -> None:
        """Shows the items, each after its own pause; from then on others may write it."""
        self.slow_commits += 1
        plan = sorted((pace.order[index % len(pace.order)], key) for index, key in enumerate(keys))
        begin = time.monotonic()
        for index, (moment, key) in enumerate(plan):
            if moment and index and not plan[index - 1][0]:
                self._hold([key for _, key in plan[index:]], pace.hold)
                begin = time.monotonic()
            time.sleep(max(0.0, begin + moment - time.monotonic()))
            with self._changed:
                if pace.lag:
                    self._lagging[key] = (self._pending[key].before, time.monotonic() + pace.lag)
                claimed.remove(key)
                self._free([key])

    def _hold(self, keys: list[str], seconds: float) -> None:
        """Waits until a write has met one of the items."""
        with self._changed:
            self._changed.wait_for(lambda: any(self._pending[key].is_met for key in keys), timeout=seconds)

    # -- reads ----------------------------------------------------------------------------------------------------

    def get(self, body: dict[str, Any], forward: Forward) -> tuple[int, dict[str, Any]]:
        """GetItem: one item, before or after."""
        status, answer = forward("GetItem", body)
        hidden = self._hidden(bool(body.get("ConsistentRead")))
        key = _identity(body["Key"])
        if status == 200 and key in hidden:
            self.masked_answers += 1
            answer.pop("Item", None)
            if hidden[key] is not None:
                answer["Item"] = hidden[key]
        return status, answer

    def batch_get(self, body: dict[str, Any], forward: Forward) -> tuple[int, dict[str, Any]]:
        """BatchGetItem: each item for itself. An item without its key in the answer is left as it is."""
        status, answer = forward("BatchGetItem", body)
        for table, items in (answer.get("Responses") or {}).items() if status == 200 else ():
            request = body["RequestItems"][table]
            hidden = self._hidden(bool(request.get("ConsistentRead")))
            asked = {_identity(key) for key in request["Keys"]}
            found = {_identity(item): item for item in items if "pk" in item and "sk" in item}
            if len(found) < len(items) or not asked & hidden.keys():
                continue
            self.masked_answers += 1
            found.update({key: hidden[key] for key in asked if key in hidden})
            answer["Responses"][table] = [item for item in found.values() if item is not None]
        return status, answer

    def transact_get(self, body: dict[str, Any], forward: Forward) -> tuple[int, dict[str, Any]]:
        """TransactGetItems: refused while it meets a transaction under way."""
        keys = [_identity(action["Get"]["Key"]) for action in body["TransactItems"]]
        for attempt in range(2):
            with self._changed:
                busy = {key for key in keys if key in self._pending}
            if busy:
                raise conflict(keys, busy)
            if attempt == 0:
                status, answer = forward("TransactGetItems", body)
        return status, answer

    def query(self, body: dict[str, Any], forward: Forward) -> tuple[int, dict[str, Any]]:
        """Query: every item for itself; also with ConsistentRead."""
        partition = _partition(body)
        if partition is None:
            return forward("Query", body)
        asked = json.loads(json.dumps(body))
        if "ProjectionExpression" in asked:
            _project(asked)
        with self._changed:
            extra = sum(1 for key in self._pending if json.loads(key)[0] == partition) + len(self._lagging)
        if extra and "Limit" in asked:
            asked["Limit"] += extra
        status, answer = forward("Query", asked)
        if status != 200 or "Items" not in answer:
            return status, answer
        hidden = {key: image for key, image in self._hidden(bool(body.get("ConsistentRead"))).items()
                  if json.loads(key)[0] == partition}
        if hidden or extra:
            self._overlay(body, answer, hidden)
        return status, answer

    def _overlay(self, body: dict[str, Any], answer: dict[str, Any], hidden: dict[str, Image]) -> None:
        found = {_identity(item): item for item in answer["Items"]}
        last = answer.get("LastEvaluatedKey")
        backward = body.get("ScanIndexForward") is False
        for key, image in hidden.items():
            if key in found or image is not None and _is_within(body, image, last, backward):
                self.masked_answers += 1
                found[key] = image  # type: ignore[assignment]
        items = sorted((item for item in found.values() if item is not None), key=_sort, reverse=backward)
        limit = body.get("Limit")
        if limit is not None and len(items) > limit:
            items = items[:limit]
            answer["LastEvaluatedKey"] = {"pk": items[-1]["pk"], "sk": items[-1]["sk"]}
        answer["Items"], answer["Count"], answer["ScannedCount"] = items, len(items), len(items)

    def _hidden(self, consistent: bool) -> dict[str, Image]:
        """The images from before that a read meets now."""
        with self._changed:
            hidden = {key: item.before for key, item in self._pending.items()}
            now = time.monotonic()
            for key, (image, until) in list(self._lagging.items()):
                if until < now:
                    del self._lagging[key]
                elif not consistent:
                    hidden.setdefault(key, image)
        return hidden


def _identity(key: dict[str, Any]) -> str:
    return json.dumps([key["pk"], key["sk"]], sort_keys=True)


def _key_of(action: dict[str, Any]) -> dict[str, Any]:
    key = action.get("Key") or action["Item"]
    return {"pk": key["pk"], "sk": key["sk"]}


def _write_key(action: dict[str, Any]) -> str:
    return _identity(_key_of(action))


def _project(query: dict[str, Any]) -> None:
    """Lets a query bring back the keys of its items too."""
    names = query.setdefault("ExpressionAttributeNames", {})
    projected = {names.get(name.strip(), name.strip()) for name in query["ProjectionExpression"].split(",")}
    for placeholder, name in (("#soakP", "pk"), ("#soakS", "sk")):
        if name not in projected:
            query["ProjectionExpression"] += ", " + placeholder
            names[placeholder] = name


def _sort(item: dict[str, Any]) -> bytes:
    """The sort key in DynamoDB's order."""
    return _bytes(item["sk"])


def _bytes(value: dict[str, Any]) -> bytes:
    return base64.b64decode(value["B"]) if "B" in value else value.get("S", "").encode()


def _partition(body: dict[str, Any]) -> dict[str, Any] | None:
    """The partition that a query of the table itself reads."""
    if "IndexName" in body:
        return None
    first = re.match(r"(#\w+|\w+) *= *(:\w+)", body.get("KeyConditionExpression", ""))
    return body["ExpressionAttributeValues"].get(first.group(2)) if first else None


def _is_within(body: dict[str, Any], image: dict[str, Any], last: dict[str, Any] | None, backward: bool) -> bool:
    """Whether a page of a query would hold an item that is no longer in the table."""
    place = _sort(image)
    start = body.get("ExclusiveStartKey")
    if start and not (place < _sort(start) if backward else place > _sort(start)):
        return False
    if last and not (place >= _sort(last) if backward else place <= _sort(last)):
        return False
    _, _, condition = body["KeyConditionExpression"].partition(" AND ")
    values = body["ExpressionAttributeValues"]
    if not condition:
        return True
    if match := _BETWEEN.match(condition.strip()):
        return _bytes(values[match.group(2)]) <= place <= _bytes(values[match.group(3)])
    if match := _COMPARISON.match(condition.strip()):
        bound = _bytes(values[match.group(3)])
        return {"<": place < bound, "<=": place <= bound, ">": place > bound, ">=": place >= bound,
                "=": place == bound}[match.group(2)]
    return False
