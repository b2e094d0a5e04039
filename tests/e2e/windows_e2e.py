#!/usr/bin/env python3
"""Compares what the Windows program writes under Wine with what the Linux program writes: the same bytes.

usage: windows_e2e.py PROVISIONER_EXE"""
import os
import unittest

from harness import ROOT, SAMPLE, SERVICES, argument, digests, end_unrun, folder, run

WINDOWS = [ROOT / "scripts/wine", argument()]
LINUX = [path for path in (ROOT / "build" / preset / "provisioner" for preset in ("dev", "release", "demo")) if path.exists()][:1]


class SameAsLinux(unittest.TestCase):
    def test_bake(self):
        work = folder(self)
        env = {k: v for k, v in os.environ.items() if k != "SOURCE_DATE_EPOCH"}
        linux, windows = [run(*program, "bake", "-", "--out", "payload-%d" % i, *SERVICES, input=SAMPLE.read_bytes(), text=False, cwd=work, env=env)
                          for i, program in enumerate((LINUX, WINDOWS))]
        self.assertEqual((windows.returncode, linux.returncode), (0, 0), windows.stderr)
        self.assertEqual(windows.stdout.replace(b"payload-1", b"payload-0"), linux.stdout)
        payloads = [digests(work / ("payload-%d" % i)) for i in (0, 1)]
        self.assertGreater(len(payloads[0]), 10)
        self.assertEqual(payloads[1], payloads[0])
        self.assertEqual({int(p.stat().st_mtime) for p in (work / "payload-1").rglob("*")}, {315532800})


if __name__ == "__main__":
    if not LINUX:
        end_unrun("there is no Linux program to compare with: cmake --preset dev && cmake --build --preset dev --target provisioner")
    unittest.main(verbosity=2)
