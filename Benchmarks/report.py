"""Turns what run.sh measured into the tables of docs/benchmarks.md.

usage: report.py DIRECTORY          reads loads.txt, walls.txt, values.txt there; prints Markdown
       report.py --etcd DIRECTORY   reads loads.txt and watchers.txt, of etcd.sh
"""

import pathlib
import statistics
import sys

LOADS = {
    "etcd-v2-get": "etcd v2 GET",
    "etcd-v3-range": "etcd v3 JSON range",
    "discfg-get": "discfg REST GET, envelope",
    "discfg-get-raw": "discfg REST GET, `?raw`",
    "etcd-v3-put": "etcd v3 JSON put",
    "discfg-put": "discfg REST PUT",
}

ETCD_LOADS = {
    f"{server}-{load}": f"{server} {title}"
    for load, title in {
        "v2-get": "v2 GET", "v2-put": "v2 PUT", "v3-range": "v3 JSON range", "v3-put": "v3 JSON put",
        "grpc-range": "v3 gRPC range", "grpc-put": "v3 gRPC put",
    }.items()
    for server in ("etcd", "discfg")
}

WALLS = {
    "get": "`discfg get`",
    "import": "import of 15,000 keys",
    "ls-top-small": "`ls` of 10 directories, store of 1,000 keys",
    "ls-top-large": "`ls` of 10 directories, store of 1,000,000 keys",
    "ls-leaf-small": "`ls` of 100 keys, store of 1,000 keys",
    "ls-leaf-large": "`ls` of 100 keys, store of 1,000,000 keys",
}


def rows(path: pathlib.Path) -> dict[str, list[list[float]]]:
    """The lines `NAME number...` of a file, by name."""
    found: dict[str, list[list[float]]] = {}
    for line in path.read_text().splitlines():
        name, *numbers = line.split()
        found.setdefault(name, []).append([float(number) for number in numbers])
    return found


def table(*lines: list[str]) -> str:
    head, *body = lines
    rule = [":--"] + ["--:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *body]) + "\n"


def medians(found: dict[str, list[list[float]]]) -> dict[str, list[float]]:
    """Column by column the median of a name's lines."""
    return {name: [statistics.median(column) for column in zip(*lines)] for name, lines in found.items()}


def spans(found: dict[str, list[list[float]]]) -> dict[str, list[float]]:
    """Of lines `median fastest slowest`: the median, the fastest and the slowest of all."""
    columns = {name: list(zip(*lines)) for name, lines in found.items()}
    return {name: [statistics.median(a), min(b), max(c)] for name, (a, b, c) in columns.items()}


def goal(what: str, measured: float, sign: str, wanted: float, unit: str) -> list[str]:
    met = measured >= wanted if sign == "≥" else measured <= wanted
    return [what, f"{measured:.2f}{unit}", f"{sign} {wanted:g}{unit}", "yes" if met else "**no**"]


def ratio(rounds: dict, a: str, b: str) -> float:
    """Of each round by itself: a machine that is slower for a while is so for both servers."""
    return statistics.median(x[0] / y[0] for x, y in zip(rounds[a], rounds[b]))


def load_table(rounds: dict, titles: dict[str, str]) -> str:
    load = medians(rounds)
    return table(
        ["Load", "requests/s", "rounds", "p50 ms", "p99 ms"],
        *[
            [title, f"{load[name][0]:,.0f}", " ".join(f"{line[0]:,.0f}" for line in rounds[name]),
             f"{load[name][1] / 1000:.2f}", f"{load[name][2] / 1000:.2f}"]
            for name, title in titles.items()
        ],
    )


def goals(rounds: dict, wall: dict, values: dict) -> list[list[str]]:
    return [
        goal("REST GET / etcd v2 GET", ratio(rounds, "discfg-get", "etcd-v2-get"), "≥", 0.5, "×"),
        goal("REST GET / etcd v3 JSON range", ratio(rounds, "discfg-get", "etcd-v3-range"), "≥", 2, "×"),
        goal("REST PUT / etcd v3 JSON put", ratio(rounds, "discfg-put", "etcd-v3-put"), "≥", 1.5, "×"),
        goal("`discfg get`", wall["get"][0], "≤", 25, " ms"),
        goal("import of 15,000 keys", wall["import"][0] / 1000, "≤", 3, " s"),
        # Two medians of the same work differ by a few percent.
        goal("`ls` of directories, 1,000,000 / 1,000", wall["ls-top-large"][0] / wall["ls-top-small"][0], "≤", 1.1, "×"),
        goal("`ls` of keys, 1,000,000 / 1,000", wall["ls-leaf-large"][0] / wall["ls-leaf-small"][0], "≤", 1.1, "×"),
        goal("idle server, resident", values["rss-kib"][0] * 1024 / 1e6, "≤", 50, " MB"),
    ]


def report(directory: pathlib.Path) -> None:
    rounds = rows(directory / "loads.txt")
    wall, values = spans(rows(directory / "walls.txt")), medians(rows(directory / "values.txt"))
    print(table(["Goal", "measured", "wanted", "met"], *goals(rounds, wall, values)))
    print(load_table(rounds, LOADS))
    print(table(
        ["Command", "median ms", "fastest", "slowest"],
        *[[title, *(f"{number:,.1f}" for number in wall[name])] for name, title in WALLS.items()],
    ))


def report_etcd(directory: pathlib.Path) -> None:
    rounds = rows(directory / "loads.txt")
    wanted = {"v2-get": 0.8, "v2-put": 1, "v3-range": 2, "v3-put": 2, "grpc-range": 0.7, "grpc-put": 0.7}
    print(table(["Goal", "measured", "wanted", "met"], *[
        goal(f"{ETCD_LOADS[f'discfg-{load}']} / etcd's", ratio(rounds, f"discfg-{load}", f"etcd-{load}"), "≥", least, "×")
        for load, least in wanted.items()
    ]))
    print(load_table(rounds, ETCD_LOADS))
    print((directory / "watchers.txt").read_text())


def main() -> None:
    if sys.argv[1] == "--etcd":
        report_etcd(pathlib.Path(sys.argv[2]))
    else:
        report(pathlib.Path(sys.argv[1]))


main()
