"""Key conditions as the stand-in evaluates them."""
from __future__ import annotations

import base64
import unittest
from typing import Any

import support  # noqa: F401  makes the modules of the harness importable
from stand_in import holds


def binary(*numbers: int) -> dict[str, str]:
    return {"B": base64.b64encode(bytes(numbers)).decode()}


class ConditionTests(unittest.TestCase):
    """Which items meet a condition."""

    def found(self, condition: str, **values: dict[str, str]) -> list[Any]:
        """What is answered for three items, the last of which is in another partition."""
        items = [{"pk": {"S": "p"}, "sk": binary(1)}, {"pk": {"S": "p"}, "sk": binary(2, 0)},
                 {"pk": {"S": "q"}, "sk": binary(2)}]
        given = {":p": {"S": "p"}} | {f":{name}": value for name, value in values.items()}
        return [holds(condition, item, given, {"#p": "pk", "#s": "sk"}) for item in items]

    def test_a_partition_has_its_own_items(self) -> None:
        self.assertEqual(self.found("#p = :p"), [True, True, False])

    def test_bytes_are_compared_in_order(self) -> None:
        for comparison, expected in (("<", [True, False]), ("<=", [True, False]), ("=", [False, False]),
                                     (">", [False, True]), (">=", [False, True])):
            self.assertEqual(self.found(f"#p = :p AND #s {comparison} :a", a=binary(2))[:2], expected, comparison)
        self.assertEqual(self.found("#p = :p AND #s >= :a", a=binary(2, 0))[:2], [False, True])
        self.assertEqual(self.found("#p = :p AND #s = :a", a=binary(1))[:2], [True, False])

    def test_a_range_has_both_bounds(self) -> None:
        self.assertEqual(self.found("#p = :p AND #s BETWEEN :a AND :b", a=binary(1), b=binary(2)), [True, False, False])
        self.assertEqual(self.found("#p = :p AND #s BETWEEN :a AND :b", a=binary(1), b=binary(2, 0)),
                         [True, True, False])

    def test_other_conditions_are_left_to_ministack(self) -> None:
        self.assertEqual(self.found("begins_with(#s, :a)", a=binary(1)), [None, None, None])
        self.assertEqual(self.found("#p = :p AND #s <= :a", a={"N": "5"})[:2], [None, None])


if __name__ == "__main__":
    unittest.main()
