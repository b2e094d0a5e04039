#!/usr/bin/env python3
"""kube:// sources: the program against a loopback API server. What can be wrong with one is tested in tests/source.

usage: kube_e2e.py PROVISIONER KUBE_FOLLOW [unittest arguments]"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from kube_api_server import POOLS, ApiServer, Authority, kubeconfig  # noqa: E402

PROGRAM, FOLLOW = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
SAMPLE = pathlib.Path(__file__).resolve().parents[1] / "sample"
ROOT_PEM, PROXY_PEM = ((SAMPLE / f"{name}.pem").read_text() for name in ("corporate-root", "proxy-root"))


class Kube(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if shutil.which("openssl") is None:
            print("NOT RUN: openssl is missing (Debian package openssl)", flush=True)
            sys.exit(77)
        cls.keys = pathlib.Path(tempfile.mkdtemp(prefix="provisioner-kube-keys-"))
        cls.addClassCleanup(shutil.rmtree, cls.keys)
        cls.authority, cls.other = Authority(cls.keys, "ca"), Authority(cls.keys, "other")
        cls.leaf = cls.authority.sign("api", "serverAuth", "IP:127.0.0.1")
        cls.client = cls.authority.sign("system:node:win-1", "clientAuth")

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="provisioner-kube-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.server = self.start()
        self.server.put_config("rendered-worker-1", "http://one.example.test:3128", ROOT_PEM)
        self.config()

    def start(self, **more):
        server = ApiServer(self.leaf, self.authority.pem, **more)
        self.addCleanup(server.close)
        return server

    def config(self, **options):
        path = self.work / "config"
        path.write_text(kubeconfig(self.server.port, **{"ca": self.authority.pem, **options}))
        return path

    def extract(self, source="kube:///worker", *words, exit=0):
        done = subprocess.run([PROGRAM, "extract", source, "--kubeconfig", self.work / "config", *words], capture_output=True, text=True,
                              timeout=120, env={"PATH": os.environ["PATH"], "HOME": str(self.work)})
        self.assertNotIn("c4nary", done.stdout + done.stderr)
        self.assertEqual(done.returncode, exit, done.stdout + done.stderr)
        return json.loads(done.stdout)


class Reading(Kube):
    def test_the_pool_leads_to_its_config_and_to_the_next_one(self):
        first = self.extract()
        self.assertEqual(first["source"]["name"], "rendered-worker-1")
        self.assertEqual(first["proxy"]["HTTP_PROXY"], "http://one.example.test:3128")
        self.assertEqual(len(first["trustBundle"]["certificates"]), 1)
        self.assertEqual(self.server.seen[0], (POOLS + "/worker", {}, "system:serviceaccount:test"))
        self.server.put_config("rendered-worker-2", "http://two.example.test:3128", ROOT_PEM + PROXY_PEM)
        second = self.extract("kube://loop/machineconfigpool/worker")
        self.assertEqual(second["proxy"]["HTTP_PROXY"], "http://two.example.test:3128")
        self.assertEqual(len(second["trustBundle"]["certificates"]), 2)
        self.assertEqual(self.extract("kube:///machineconfig/rendered-worker-1")["source"]["name"], "rendered-worker-1")

    def test_a_client_certificate_says_who_asks(self):
        certificate, key = self.client
        shutil.copy(key, self.work / "node.key")
        self.config(user=f"    client-certificate: {certificate}\n    client-key: node.key\n")
        self.extract()
        self.assertEqual({who for _, _, who in self.server.seen}, {"system:node:win-1"})

    def test_only_the_clusters_ca_counts(self):
        self.config(ca=self.other.pem)
        self.assertEqual(self.extract(exit=14)["error"]["code"], "tls")
        self.assertEqual(self.server.seen, [], "nothing was sent to an unknown server")
        self.extract("kube:///worker", "--ca", self.authority.pem)
        self.config(cluster="    insecure-skip-tls-verify: true\n")
        self.assertEqual(self.extract(exit=14)["error"]["code"], "tls")


class Following(Kube):
    """The waiting part of `reconcile`, in a program of its own, as there is no Windows here."""

    def follow(self, interval=60_000, rounds=1):
        process = subprocess.Popen([FOLLOW, self.work / "config", "kube:///worker", str(interval), str(rounds)], stdout=subprocess.PIPE, text=True)

        def end():
            if process.poll() is None:
                process.kill()
            process.wait()
            process.stdout.close()

        self.addCleanup(end)
        self.assertEqual(process.stdout.readline(), "waits\n")
        return process

    def until(self, condition, what, seconds=120):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def await_watch(self, count=1):
        """A watch that was asked for gets all that comes from then on: it begins with a version, and not when it is answered."""
        self.until(lambda: len(self.server.watches()) >= count, "no watch came")

    def await_handler(self, process):
        """Until SIGTERM asks the process to stop, and does not just end it."""
        status = pathlib.Path(f"/proc/{process.pid}/status")
        self.until(lambda: int(re.search(r"(?m)^SigCgt:\s*(\w+)", status.read_text())[1], 16) >> (signal.SIGTERM - 1) & 1, "SIGTERM is not listened to")

    def waited(self, process, most_ms):
        told = []
        for line in process.stdout:
            word, rest = line.rstrip("\n").split(" ", 1)
            if word != "told":
                self.assertEqual(word, "waited", line)
                self.assertLess(int(rest), most_ms)
                return told
            told.append(rest)
        self.fail("the program ended")

    def test_a_change_is_seen_at_once_and_the_counting_of_machines_is_none(self):
        process = self.follow(rounds=2)
        self.await_watch()
        self.server.count_machines()
        begin = time.monotonic()
        self.server.put_config("rendered-worker-2", "http://two.example.test:3128", ROOT_PEM)
        changed = self.server.version
        self.assertEqual(self.waited(process, 10_000), [])
        self.assertLess(time.monotonic() - begin, 3)
        # The second change comes while nobody watches: it must not get lost.
        self.assertEqual(process.stdout.readline(), "waits\n")
        self.server.put_config("rendered-worker-3", "http://three.example.test:3128", ROOT_PEM)
        self.assertEqual(self.waited(process, 5_000), [])
        # The second watch begins where the first wait ended.
        self.assertEqual(int(self.server.watches()[1]["resourceVersion"]), changed, "the counting of machines ended the wait")
        lists = [query for path, query, _ in self.server.seen if path == POOLS and "watch" not in query]
        self.assertEqual(len(lists), 1)

    def test_a_server_that_goes_and_comes_back(self):
        process = self.follow()
        self.await_watch()
        old = self.server
        old.close()
        self.assertEqual(process.stdout.readline().split(" ")[0], "told", "it has asked in vain")
        self.server = self.start(port=old.port, before=old)
        self.server.put_config("rendered-worker-2", "http://two.example.test:3128", ROOT_PEM)
        self.waited(process, 40_000)

    def test_a_stop_ends_a_silent_watch(self):
        process = self.follow(interval=600_000)
        self.await_watch()
        self.await_handler(process)
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        self.assertIn("stopped", process.stdout.read())
        self.assertLess(time.monotonic() - begin, 3)


if __name__ == "__main__":
    unittest.main()
