"""What the tests of the golden-image recipes need. The first argument of each is the program."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from rendered import ignition

PROVISIONER = os.path.abspath(sys.argv.pop(1))
ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPES = ROOT / "images/recipes"
SAMPLE = ROOT / "tests/sample/rendered-worker.json"


def skip(case, reason):
    print("SKIPPED: %s: %s" % (case.id(), reason))
    case.skipTest(reason)


def need(case, *tools):
    for tool in tools:
        if not shutil.which(tool):
            skip(case, "%s is not installed" % tool)


def run(*command, environment=None, **options):
    env = {**os.environ, "PROVISIONER": PROVISIONER, **(environment or {})}
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, env=env, **options)


def must(*command, **options):
    result = run(*command, **options)
    if result.returncode != 0:
        raise RuntimeError("%s: exit %d\n%s%s" % (command, result.returncode, result.stdout, result.stderr))
    return result.stdout


def bake_hives(folder):
    """The folder of hives that the program wrote there, with an older proxy."""
    (folder / "old.json").write_text(json.dumps(ignition("HTTP_PROXY=http://old.example.com:3128\n")))
    must(PROVISIONER, "bake", folder / "old.json", "--out", folder / "old", "--scope", "machine,winhttp")
    return folder / "old/registry"


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="recipes-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def fake(self, text):
        """A program in the place of provisioner."""
        fake = self.folder / "fake"
        fake.write_text("#!/bin/sh\n" + text)
        fake.chmod(0o755)
        return {"PROVISIONER": str(fake)}

    def assertRefused(self, result, code, *texts):
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        for text in texts:
            self.assertIn(text, result.stderr)

    def reach(self, process):
        """Until a program that stops there says so."""
        until = time.monotonic() + 300
        while not (self.folder / "reached").exists():
            self.assertIsNone(process.poll(), "ended before it was stopped")
            self.assertLess(time.monotonic(), until, "the stop was never reached")
            time.sleep(0.02)
        (self.folder / "reached").unlink()
