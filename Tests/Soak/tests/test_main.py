"""Mistakes in the options end a run before its first round, with the status of a usage error."""
from __future__ import annotations

import contextlib
import io
import sys
import unittest

import support  # noqa: F401  makes the modules of the harness importable
from main import OPTIONAL, USAGE, arguments


class Options(unittest.TestCase):
    def refused(self, *given: str) -> str:
        """The message with which the options are refused."""
        errors = io.StringIO()
        with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(errors):
            arguments(["--binary", sys.executable, *given])
        self.assertEqual(ended.exception.code, USAGE)
        return errors.getvalue()

    def test_an_unknown_fault_is_refused_by_name(self) -> None:
        self.assertIn("there is no nope on sqlite; there are clock_skew", self.refused(
            "--engine", "sqlite", "--faults", "kill,nope"))
        self.assertIn("there is no power_loss on memory", self.refused("--engine", "memory", "--faults", "power_loss"))

    def test_an_unknown_client_is_refused_by_name(self) -> None:
        self.assertIn("there is no locks on memory; there are lock,", self.refused(
            "--engine", "memory", "--without", "lease,locks"))

    def test_a_seed_is_a_number(self) -> None:
        self.assertIn("--seed", self.refused("--engine", "memory", "--seed", "abc"))
        self.assertEqual(arguments(["--binary", sys.executable, "--engine", "memory", "--seed", "0"]).seed, 0)

    def test_a_missing_program_is_refused_by_name(self) -> None:
        self.assertIn("there is no program no/discfg", self.refused("--engine", "memory", "--binary", "no/discfg"))

    def test_every_valid_name_is_accepted(self) -> None:
        options = arguments(["--binary", sys.executable, "--engine", "sqlite", "--without", ",".join(OPTIONAL),
                             "--faults", "kill,power_loss"])
        self.assertEqual(options.faults, "kill,power_loss")


if __name__ == "__main__":
    unittest.main()
