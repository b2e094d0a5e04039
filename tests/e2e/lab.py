"""What the tests of scripts/lab share: a lab in a folder of its own, stopped at the end."""
import sys
import unittest

from harness import ROOT, folder, run

LAB = ROOT / "scripts/lab"


class Lab(unittest.TestCase):
    def setUp(self):
        place = folder(self, prefix="provisioner-lab-")
        place.chmod(0o755)  # squid reads its files as another user
        self.folder = place / "lab"
        # Whatever a test leaves behind.
        self.addCleanup(self.lab, "stop", code=None)

    def command(self, *words):
        return [sys.executable, "-B", LAB, "--folder", self.folder, *words]

    def lab(self, *words, code=0):
        done = run(*self.command(*words), cwd=ROOT, timeout=600)
        if code is not None:
            self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr
