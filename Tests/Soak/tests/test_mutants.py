"""The table of mutants, and what a round with one of them shows."""
from __future__ import annotations

import re
import unittest
from pathlib import Path

import support  # noqa: F401  makes the modules of the harness importable
import mutants
from checks import Violation
from nemesis import COMMON, OF_ENGINE
from rounds import Outcome, Plan

SOAK = Path(__file__).resolve().parent.parent
SOURCES = SOAK.parent.parent / "Sources"
RULE = "the log contradicts itself"


def outcome(*rules: str, void: str = "") -> Outcome:
    """A round that has found violations of some rules."""
    return Outcome(Plan("memory", "1", 1.0), [Violation(rule, "") for rule in rules], void=void)


class Judging(unittest.TestCase):
    def test_a_violation_of_an_expected_rule_finds_the_mutant(self) -> None:
        self.assertEqual(mutants.judge(outcome("other", RULE), (RULE,)), (mutants.FOUND, RULE))

    def test_another_violation_does_not_find_the_mutant(self) -> None:
        self.assertEqual(mutants.judge(outcome("other"), (RULE,)), (mutants.RED, "other"))

    def test_a_round_without_a_violation_lets_the_mutant_survive(self) -> None:
        self.assertEqual(mutants.judge(outcome(), (RULE,)), (mutants.SURVIVED, ""))

    def test_a_void_round_shows_nothing_whatever_it_found(self) -> None:
        self.assertEqual(mutants.judge(outcome(RULE, void="few calls"), (RULE,)), (mutants.VOID, "few calls"))
        self.assertEqual(mutants.judge(outcome(void="few calls"), ()), (mutants.VOID, "few calls"))

    def test_a_control_is_clean_without_violations_only(self) -> None:
        self.assertEqual(mutants.judge(outcome(), ()), (mutants.CLEAN, ""))
        self.assertEqual(mutants.judge(outcome(RULE), ()), (mutants.RED, RULE))


class Table(unittest.TestCase):
    def test_every_planted_defect_has_one_row(self) -> None:
        text = (SOURCES / "DiscfgModel/PlantedDefect.swift").read_text(encoding="utf-8")
        enumeration = text[:text.index("#if")]
        lines = re.findall(r"^    case (.+)$", enumeration, re.MULTILINE)
        cases = [name for line in lines for name in line.split(", ")]
        self.assertEqual(sorted(cases), sorted(mutant.name for mutant in mutants.MUTANTS))

    def test_every_planted_defect_is_planted_somewhere(self) -> None:
        text = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.swift"))
        for mutant in mutants.MUTANTS:
            self.assertIn(f"isPlanted(.{mutant.name})", text)

    def test_the_checks_have_every_rule(self) -> None:
        text = "\n".join((SOAK / name).read_text(encoding="utf-8")
                         for name in ("checks.py", "checks_sessions.py", "rounds.py"))
        for mutant in mutants.MUTANTS:
            for rule in mutant.rules:
                self.assertIn(f'"{rule}"', text, mutant.name)

    def test_the_nemesis_has_every_fault(self) -> None:
        for mutant in mutants.MUTANTS:
            self.assertLessEqual(set(mutant.setup.faults.split(",")), set(COMMON | OF_ENGINE[mutant.setup.engine]))

    def test_the_document_has_the_table(self) -> None:
        self.assertIn(mutants.table(), (SOAK / "mutants.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
