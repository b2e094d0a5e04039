"""What the tests of the golden-image recipes need. The first argument of each is the program, which they find in PROVISIONER."""
import json
import os
import time
import unittest

from harness import ROOT, argument, folder, must, put_tool
from rendered import ignition
from windows_image import put_hives

PROVISIONER = os.environ["PROVISIONER"] = argument()
RECIPES = ROOT / "images/recipes"
SECRET = "S3cret"  # of the sample's password


def make_windows(root, hives):
    """What a Windows has, as far as the recipes look: the hives, and a file that is nobody's business."""
    put_hives(root, hives)
    (root / "Windows/notepad.exe").write_bytes(os.urandom(50000))
    for made in ("Windows/System32/Sysprep", "Windows/Panther", "ProgramData", "Program Files"):
        (root / made).mkdir()


def bake_hives(place):
    """The folder of hives that the program wrote there, with an older proxy."""
    (place / "old.json").write_text(json.dumps(ignition("HTTP_PROXY=http://old.example.com:3128\n")))
    must(PROVISIONER, "bake", place / "old.json", "--out", place / "old", "--scope", "machine,winhttp")
    return place / "old/registry"


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = folder(self, prefix="recipes-")

    def fake(self, text):
        """A program in the place of provisioner."""
        return {"PROVISIONER": str(put_tool(self.folder / "fake", text))}

    def assertLeft(self, *names):
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names))

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
