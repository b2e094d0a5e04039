#!/usr/bin/env python3
"""Checks of Verify-OnWindows.ps1 with provisioner.exe under Wine, asked by a PowerShell 7 on Linux (pwsh, or what PWSH names): the
checks themselves are right about what the program prints and sets. Those that need more of Windows than Wine has are not run.

usage: verify_wine_test.py PROVISIONER_EXE"""
import json
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from harness import PWSH, ROOT, argument, end_unrun, folder, powershell, run  # noqa: E402

PROGRAM = argument()
WINE = ROOT / "scripts/wine"
CHECKS = ["install", "machine-variables", "service-definition", "status", "removal"]


class UnderWine(unittest.TestCase):
    def setUp(self):
        self.env = {"PROVISIONER_WINE_PREFIX": str(folder(self) / "wine")}
        self.addCleanup(self.wine, "--end")
        self.wine("--fresh")

    def wine(self, *words):
        return run(WINE, *words, env={**os.environ, **self.env})

    def verify(self, *checks):
        done = powershell("-File", HERE / "verify_wine.ps1", WINE, PROGRAM, *checks, env=self.env, timeout=1200)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def test_the_checks_hold(self):
        bare = self.verify("machine-variables", "removal")
        self.assertEqual({row["why"] for row in bare["checks"]}, {"the service Provisioner is not installed"})
        self.assertEqual(bare["skipped"], 2)
        report = self.verify(*CHECKS)
        for row in report["checks"]:
            self.assertEqual((row["result"], row["why"]), ("pass", ""), row)
        self.assertEqual([row["name"] for row in report["checks"]], CHECKS)
        self.assertEqual({row["result"] for row in report["undone"]}, {"done"}, report["undone"])


if __name__ == "__main__":
    if not PWSH:
        end_unrun("no PowerShell (pwsh) on this machine: the checks for Windows were NOT run under Wine")
    unittest.main(verbosity=2)
