"""What both tests of the golden-image recipes need. The first argument of either is the program."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

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


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="recipes-"))
        self.addCleanup(shutil.rmtree, self.folder)
