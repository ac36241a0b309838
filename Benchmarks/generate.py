"""Writes what the benchmarks import.

usage: generate.py objects FILE      5,000 objects of three strings in a list: 15,000 keys with --split-arrays
       generate.py branch FILE N     N objects of 100 strings each: one branch of the tree that `ls` is measured on
"""

import json
import sys


def objects() -> dict:
    """The shape of iso-codes' list of subdivisions: a list of small objects under one name."""
    return {
        "3166-2": [
            {"code": f"{i % 250:03d}-{i:04d}", "name": f"Subdivision number {i}", "type": "Province"}
            for i in range(5000)
        ]
    }


def branch(count: int) -> dict:
    return {f"s{i:04d}": {f"k{j:02d}": f"value {i} {j}" for j in range(100)} for i in range(count)}


def main() -> None:
    kind, path = sys.argv[1:3]
    data = objects() if kind == "objects" else branch(int(sys.argv[3]))
    with open(path, "w", encoding="utf-8") as file:
        json.dump(data, file)


main()
