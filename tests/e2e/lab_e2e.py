#!/usr/bin/env python3
"""scripts/lab without a node: what it prints can be run as it is printed, the cluster says what it is told to say, and nothing is
left when it is stopped. The node needs Wine and provisioner.exe: lab_node_e2e.py.

usage: lab_e2e.py PROVISIONER [unittest arguments]"""
import base64
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import unittest

from harness import ROOT, argument, must, need, run
from lab import Lab
from probe_servers import ORIGIN

PROGRAM = argument()


class WithoutANode(Lab):
    def start(self, *words):
        return self.lab("start", "--program", PROGRAM, "--without", "node", *words)

    def pids(self):
        """The processes whose environment names the lab's folder."""
        found = set()
        for environment in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if f"PROVISIONER_LAB={self.folder}".encode() in environment.read_bytes().split(b"\0"):
                    found.add(int(environment.parent.name))
            except OSError:
                pass  # has ended meanwhile
        return found

    def extract(self):
        return json.loads(must(PROGRAM, "extract", "kube:///worker", "--kubeconfig", self.folder / "kubeconfig"))

    def test_the_printed_commands(self):
        said = self.start()
        lines = re.findall(r"(?m)^  # (.*)\n  \$ (.*)$", said)
        self.assertGreaterEqual(len(lines), 4, said)
        codes = []
        for seen, line in lines:
            done = run("bash", "-c", line, cwd=ROOT)
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stdout}{done.stderr}")
            codes.append((seen, done.stdout))
            if "fails" in seen:
                probe = next(other for _, other in lines if " --probe " in other)
                done = run("bash", "-c", probe, cwd=ROOT)
                self.assertEqual(done.returncode, 14, done.stdout + done.stderr)
                self.assertIn("mitmproxy", done.stdout)
            elif "now it does not" in seen:
                must("bash", "-c", probe, cwd=ROOT)
        texts = [text for seen, text in codes if seen in ("what the cluster says", "the same, from its other server")]
        self.assertEqual(len(texts), 2)
        self.assertEqual(texts[0], texts[1])
        self.assertIn("HTTP_PROXY=http://", texts[0])
        subjects = [certificate["subject"] for certificate in self.extract()["trustBundle"]["certificates"]]
        self.assertEqual(subjects, ["CN=corporate", "CN=second"])
        self.assertIn("trusts corporate second", self.lab("status"))
        self.assertIn("NOT there: it was not asked for", said)

    def test_nothing_is_left(self):
        self.start()
        pids = self.pids()
        self.assertGreaterEqual(len(pids), 1)
        self.assertIn("runs already", self.lab("start", code=15))
        self.assertEqual(self.pids(), pids, "the second start changed nothing")
        other = subprocess.Popen(["sleep", "600"], env={**os.environ, "PROVISIONER_LAB": f"{self.folder}2"})
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        self.lab("stop")
        self.assertEqual(self.pids(), set())
        self.assertIsNone(other.poll(), "it is another lab's")
        self.assertFalse(self.folder.exists())
        self.assertIn("no lab is in", self.lab("stop"))
        self.assertIn("no lab runs in", self.lab("status", code=13))
        self.start()

    def test_squid_leads_to_this_machine_alone(self):
        """Its login is known to everybody."""
        need(self, "squid")
        self.start("--without", "mitmproxy")
        ports = json.loads((self.folder / "lab.json").read_text())["ports"]
        login = base64.b64encode(b"lab:playground").decode()
        for target, code in ((f"{ORIGIN}:{ports['origin']}", 200), ("192.0.2.1:443", 403)):
            with socket.create_connection(("127.0.0.1", ports["squid"]), timeout=60) as proxy:
                proxy.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\nProxy-Authorization: Basic {login}\r\n\r\n".encode())
                self.assertEqual(int(proxy.recv(4096).split()[1]), code, target)

    def test_a_start_that_is_ended(self):
        for sign in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            # A shell starts what it puts in the background with SIGINT ignored, also this test.
            process = subprocess.Popen(self.command("start", "--without", "node", "--without", "squid", "--without", "mitmproxy"),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            while not self.pids():
                self.assertIsNone(process.poll())
                time.sleep(0.005)
            process.send_signal(sign)
            said = process.communicate(timeout=600)[1]
            self.assertNotIn("Traceback", said)
            if sign == signal.SIGKILL:
                self.lab("stop")
            else:
                self.assertEqual(process.returncode, 128 + sign)
            self.assertFalse(self.folder.exists())
            self.assertEqual(self.pids(), set(), sign)

    def test_a_folder_of_somebody_else(self):
        real = self.folder.with_name("real")
        real.mkdir()
        (real / "lab.json").write_text(json.dumps({"prefix": str(real / "none")}))
        self.folder.symlink_to(real)
        for word in ("start", "status", "stop"):
            self.assertIn("is a link, or belongs to another user", self.lab(word, code=13))
        if os.getuid() == 0:
            self.folder.unlink()
            os.chown(real, 65534, 65534)
            self.folder = real
            for word in ("start", "status", "stop"):
                self.assertIn("is a link, or belongs to another user", self.lab(word, code=13))
        self.assertTrue((real / "lab.json").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
