#!/usr/bin/env python3
"""Checks of Verify-OnWindows.ps1 with provisioner.exe under Wine, asked by a PowerShell 7 on Linux (pwsh, or what PWSH names): the
checks themselves are right about what the program prints and sets. Those that need more of Windows than Wine has are not run.

usage: verify_wine_test.py PROVISIONER_EXE"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
HERE = pathlib.Path(__file__).resolve().parent
WINE = HERE.parents[1] / "scripts/wine"
PWSH = shutil.which(os.environ.get("PWSH", "pwsh"))
CHECKS = ["install", "machine-variables", "service-definition", "status", "removal"]


class UnderWine(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="provisioner-verify-"))
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.env = {**os.environ, "PROVISIONER_WINE_PREFIX": str(self.work / "wine"), "NO_COLOR": "1"}
        self.addCleanup(self.wine, "--end")
        self.wine("--fresh")

    def wine(self, *words):
        return subprocess.run([WINE, *words], env=self.env, capture_output=True, text=True)

    def verify(self, *checks):
        done = subprocess.run([PWSH, "-NoProfile", "-NonInteractive", "-File", HERE / "verify_wine.ps1", WINE, PROGRAM, *checks],
                              env=self.env, capture_output=True, text=True, timeout=1200)
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
        print("SKIPPED: there is no PowerShell 7 (pwsh, or what PWSH names): the checks for Windows were NOT run under Wine")
        sys.exit(77)
    unittest.main(verbosity=2)
