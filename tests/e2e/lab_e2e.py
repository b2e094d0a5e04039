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


def sessions():
    """Every process that runs, by its session."""
    found = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if words[0] not in "ZX":
            found.setdefault(int(words[3]), []).append(int(stat.parent.name))
    return found


class WithoutANode(Lab):
    def start(self, *words):
        return self.lab("start", "--program", PROGRAM, "--without", "node", *words)

    def pids(self):
        return [entry["pid"] for entry in json.loads((self.folder / "processes.json").read_text())]

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
        self.assertLessEqual(set(pids), set(sessions()))
        self.lab("stop")
        self.assertEqual(set(pids) & set(sessions()), set())
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

    def test_it_ends_its_own_processes_alone(self):
        self.start()
        stranger = subprocess.Popen(["sleep", "600"], start_new_session=True)
        self.addCleanup(stranger.wait)
        self.addCleanup(stranger.kill)
        record = json.loads((self.folder / "processes.json").read_text())
        # As after a restart of the machine: the number belongs to another process now.
        # And that of a process that has ended since, while one that it started goes on.
        other = subprocess.Popen(["sh", "-c", "sleep 600 >&2 & echo $!"], start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        child = int(other.communicate()[0])
        self.addCleanup(os.kill, child, 9)
        self.assertEqual(sessions()[other.pid], [child])
        old = [{"name": "old", "pid": pid, "begin": 1} for pid in (stranger.pid, other.pid)]
        (self.folder / "processes.json").write_text(json.dumps(record + old))
        self.lab("stop")
        self.assertIsNone(stranger.poll())
        self.assertEqual(sessions().get(other.pid), [child])
        self.assertEqual({entry["pid"] for entry in record} & set(sessions()), set())

    def test_a_start_that_is_ended(self):
        for sign in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            # A shell starts what it puts in the background with SIGINT ignored, also this test.
            process = subprocess.Popen(self.command("start", "--without", "node", "--without", "squid", "--without", "mitmproxy"),
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
            while not (self.folder / "processes.json").exists():
                self.assertIsNone(process.poll())
                time.sleep(0.005)
            pids = self.pids()
            process.send_signal(sign)
            said = process.communicate(timeout=600)[1]
            self.assertNotIn("Traceback", said)
            if sign == signal.SIGKILL:
                # As if it had come before the record.
                (self.folder / "processes.json").unlink()
                self.lab("stop")
            else:
                self.assertEqual(process.returncode, 128 + sign)
            self.assertFalse(self.folder.exists())
            self.assertEqual(set(pids) & set(sessions()), set(), sign)

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
