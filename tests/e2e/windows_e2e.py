#!/usr/bin/env python3
"""Compares what the Windows program writes under Wine with what the Linux program writes: the same bytes.

usage: windows_e2e.py PROVISIONER_EXE"""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

WINDOWS = os.path.abspath(sys.argv.pop(1))
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "tests/sample/rendered-worker.json"
WINE = ROOT / "scripts/wine"
SERVICES = ["--service", "containerd", "--service", "kubelet"]


def linux_program():
    for preset in ("dev", "release", "demo"):
        program = ROOT / "build" / preset / "provisioner"
        if program.exists():
            return program
    return None


LINUX = linux_program()


def run(program, *arguments, stdin=b"", cwd=None):
    env = {k: v for k, v in os.environ.items() if k != "SOURCE_DATE_EPOCH"}
    words = [WINE, WINDOWS] if program == WINDOWS else [program]
    return subprocess.run([*map(str, words), *map(str, arguments)], capture_output=True, input=stdin, env=env, cwd=cwd)


def contents(folder):
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.rglob("*")) if p.is_file()}


class SameAsLinux(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="provisioner-windows-"))
        self.addCleanup(shutil.rmtree, self.work)

    def test_bake(self):
        linux, windows = [run(program, "bake", "-", "--out", "payload-%d" % i, *SERVICES, stdin=SAMPLE.read_bytes(), cwd=self.work)
                          for i, program in enumerate((LINUX, WINDOWS))]
        self.assertEqual((windows.returncode, linux.returncode), (0, 0), windows.stderr)
        self.assertEqual(windows.stdout.replace(b"payload-1", b"payload-0"), linux.stdout)
        payloads = [contents(self.work / ("payload-%d" % i)) for i in (0, 1)]
        self.assertGreater(len(payloads[0]), 10)
        self.assertEqual(payloads[1], payloads[0])
        self.assertEqual({int(p.stat().st_mtime) for p in (self.work / "payload-1").rglob("*")}, {315532800})


if __name__ == "__main__":
    if LINUX is None:
        print("SKIPPED: there is no Linux program to compare with: cmake --preset dev && cmake --build --preset dev --target provisioner")
        sys.exit(77)
    unittest.main(verbosity=2)
