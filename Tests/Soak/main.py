"""Runs clients and faults against real servers, and checks the history. Usage: see `--help`, or docs/correctness.md.

Exit status: 0 clean, 1 a violation was found, 3 void (too few calls, or no fault: the run shows nothing), 2 usage.
"""
from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import time
from collections import Counter
from pathlib import Path

import report
import shim
from cluster import ENGINES, Tools
from nemesis import COMMON, OF_ENGINE
from rounds import Outcome, Plan, Round

CLEAN, RED, USAGE, VOID = 0, 1, 2, 3
#: The clients and the calls that a run can leave out.
OPTIONAL = ("lock", "lease", "clash", "admin", "reborn", "rollback", "import", "compact")


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="Scripts/soak.sh",
                                     description="Looks for violations of what docs/correctness.md promises.",
                                     epilog="DISCFG=PATH names the discfg to test; by default a debug build.")
    parser.add_argument("--binary", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--engine", default="all", choices=(*ENGINES, "all"))
    parser.add_argument("--minutes", type=float, default=2.0, help="how long, for each engine")
    parser.add_argument("--round", type=float, default=25.0, help="seconds of clients and faults in one round")
    parser.add_argument("--seed", type=int, help="repeats the schedule of a round; without it, a random one")
    parser.add_argument("--servers", type=int, help="servers on the store; by default each round has 1 to 3")
    parser.add_argument("--clients", type=int, default=6, help="clients that read and write keys, besides all others")
    parser.add_argument("--faults", help="only these kinds of faults, with commas between them")
    parser.add_argument("--without", default="", help="leave out clients (lock, lease, clash, admin, reborn) and calls "
                        "(rollback, import, compact), with commas between them")
    parser.add_argument("--keep-going", action="store_true", help="go on after a violation")
    parser.add_argument("--no-preload", action="store_true", help="without faults of clocks and disks")
    parser.add_argument("--lying-disk", action="store_true", help="syncs keep nothing: on SQLite power_loss must be red")
    parser.add_argument("--output", type=Path, default=Path(".build/soak"), help="for histories and reports")
    parser.add_argument("--ministack", type=Path, help="the program that stands in for DynamoDB")
    options = parser.parse_args(given)
    engines = ENGINES if options.engine == "all" else (options.engine,)
    known = sorted({*COMMON}.union(*(OF_ENGINE[engine] for engine in engines)))
    for option, names, valid in (("--faults", options.faults, known), ("--without", options.without, OPTIONAL)):
        unknown = sorted({*(names or "").split(",")} - {"", *valid})
        if unknown:
            parser.error(f"{option}: there is no {', '.join(unknown)} on {options.engine}; "
                         f"there are {', '.join(valid)}")
    if "dynamodb" in engines and not (options.ministack or shutil.which("ministack")):
        parser.error("the engine dynamodb needs ministack: run Scripts/install-dependencies.sh test, or name "
                     "the Python environment that has it in DISCFG_AWS_VENV")
    if not os.access(options.binary, os.X_OK):
        parser.error(f"there is no program {options.binary}: name one with DISCFG=PATH, or unset DISCFG to build it")
    return options


def tools(options: argparse.Namespace) -> Tools:
    """Finds the programs."""
    options.output.mkdir(parents=True, exist_ok=True)
    library = None if options.no_preload else shim.build(options.output.resolve())
    found = options.ministack or shutil.which("ministack")
    return Tools(options.binary.resolve(), Path(found).resolve() if found else None, library, options.lying_disk)


def describe(outcome: Outcome) -> str:
    """A round in a few lines."""
    plan = outcome.plan
    verdict = f"void: {outcome.void}" if outcome.void else "clean"
    if outcome.violations:
        verdict = f"{len(outcome.violations)} violations"
    lines = [f"{plan.engine} seed {plan.seed}: {verdict}; {outcome.calls} calls, {outcome.commits} commits, "
             f"{plan.servers} servers, {outcome.seconds:.0f} s "
             f"({outcome.checking:.0f} s of them checks)",
             f"  faults: {report.flat(outcome.faults)}"]
    for violation in outcome.violations:
        shown = f" (after {max(op.end for op in violation.ops) / 1e9:.0f} s)" if violation.ops else ""
        lines.append(f"  VIOLATION {violation.rule}: {violation.text}{shown}")
    if outcome.report:
        lines.append(f"  report: {outcome.report}")
        lines.append(f"  again: make soak ENGINE={plan.engine} SEED={plan.seed}")
    return "\n".join(lines)


def soak(engine: str, options: argparse.Namespace, found: Tools) -> list[Outcome]:
    """Rounds on one engine until the time is over, or a violation is found."""
    outcomes: list[Outcome] = []
    end = time.monotonic() + options.minutes * 60
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 31)
    while not outcomes or time.monotonic() + options.round / 2 < end and options.seed is None:
        servers = options.servers or 1 + random.Random(seed).choice((1, 1, 2, 0))
        plan = Plan(engine, str(seed), options.round, 1 if engine == "memory" else servers, options.clients,
                    options.faults.split(",") if options.faults else None, frozenset(options.without.split(",")))
        print(f"{engine} seed {seed}: begins", flush=True)
        outcome = Round(plan, found, options.output.resolve() / f"{engine}-{seed}").run()
        print(describe(outcome), flush=True)
        outcomes.append(outcome)
        if outcome.violations and not options.keep_going:
            break
        if not outcome.violations and not outcome.void:
            shutil.rmtree(options.output / f"{engine}-{seed}", ignore_errors=True)
        seed += 1
    return outcomes


def main() -> int:
    """Runs what was asked for, and prints a summary."""
    options = arguments()
    found = tools(options)
    engines = ENGINES if options.engine == "all" else (options.engine,)
    outcomes = [outcome for engine in engines for outcome in soak(engine, options, found)]
    counts: dict[str, Counter[str]] = {}
    faults: Counter[str] = Counter()
    for outcome in outcomes:
        faults.update(outcome.faults)
        for kind, ended in outcome.counts.items():
            counts.setdefault(kind, Counter()).update(ended)
    print("calls by kind and outcome:\n" + report.table({kind: dict(ended) for kind, ended in sorted(counts.items())}))
    print("faults by kind: " + report.flat(faults))
    red = [outcome for outcome in outcomes if outcome.violations]
    void = [outcome for outcome in outcomes if outcome.void]
    print(f"{len(outcomes)} round{'s' * (len(outcomes) != 1)}: {len(red)} with violations, {len(void)} void; "
          f"seeds {' '.join(outcome.plan.engine + ':' + outcome.plan.seed for outcome in outcomes)}")
    return RED if red else VOID if void else CLEAN


if __name__ == "__main__":
    sys.exit(main())
