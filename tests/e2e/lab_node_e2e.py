#!/usr/bin/env python3
"""The node of scripts/lab: it follows what the cluster is told to say, and nothing of it is left when the lab is stopped, also
where the start is ended while Wine is at work.

usage: lab_node_e2e.py PROVISIONER_EXE [unittest arguments]"""
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from harness import ROOT, argument, must, run
from lab import Lab

EXE = argument()
WINE = ROOT / "scripts/wine"
STORE = "HKLM\\SOFTWARE\\Microsoft\\SystemCertificates\\ROOT\\Certificates\\"


class Node(Lab):
    def start(self):
        return "start", "--exe", EXE, "--without", "squid", "--without", "mitmproxy"

    def left(self):
        """The processes whose environment or command line names the lab's folder."""
        found = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if any(os.fsencode(self.folder) in (process / name).read_bytes() for name in ("environ", "cmdline")):
                    found.append((process / "cmdline").read_text(errors="replace").replace("\0", " "))
            except OSError:
                pass  # has ended meanwhile, or is another user's
        return found

    def has(self, name):
        """Whether the node's store has the CA."""
        shown = must("openssl", "x509", "-in", self.folder / f"ca/{name}.pem", "-noout", "-fingerprint", "-sha1")
        thumbprint = shown.split("=")[1].strip().replace(":", "")
        env = {**os.environ, "PROVISIONER_WINE_PREFIX": str(self.folder / "wine")}
        return run(WINE, "reg", "query", STORE + thumbprint, env=env).returncode == 0

    def wait(self, met, what, seconds=120):
        end = time.monotonic() + seconds
        while not met():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.2)

    def test_it_follows_the_cluster(self):
        said = self.lab(*self.start())
        self.assertIn("follows kube:///worker", said)
        self.assertTrue(self.has("corporate"))
        self.lab("trust", "second")
        self.wait(lambda: self.has("second") and not self.has("corporate"), "the node has not what the cluster says")
        lines = [line for line in re.findall(r"(?m)^  \$ (.*)$", said) if "PROVISIONER_WINE_PREFIX=" in line]
        self.assertEqual(len(lines), 2, said)
        for line in lines:
            done = run("bash", "-c", line, cwd=ROOT)
            # 4: the status has something to tell.
            self.assertIn(done.returncode, (0, 4) if line.endswith(" status") else (0,), f"{line}\n{done.stdout}{done.stderr}")
            self.assertTrue(done.stdout.strip(), line)
        self.assertTrue(self.left())
        self.lab("stop")
        self.assertEqual(self.left(), [])
        self.assertFalse(self.folder.exists())

    def test_a_start_that_is_ended_while_wine_is_at_work(self):
        process = subprocess.Popen(self.command(*self.start()), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.wait(lambda: any("scripts/wine" in line for line in self.left()), "Wine was not begun")
        process.send_signal(signal.SIGTERM)
        self.assertNotIn("Traceback", process.communicate(timeout=600)[1])
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)
        self.assertEqual(self.left(), [])
        self.assertFalse(self.folder.exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
