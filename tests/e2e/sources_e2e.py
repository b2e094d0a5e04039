#!/usr/bin/env python3
"""Sources on servers: the real program against a Machine Config Server and a web server on the loopback interface. What can be wrong
with them is tested in tests/net and tests/source.

usage: sources_e2e.py PROVISIONER [unittest arguments]"""
import json
import os
import shutil
import unittest

import machine_config_server as mcs
from harness import SAMPLE, argument, folder, run
from probe_servers import Tunnel

PROVISIONER = argument()
PROXY = "http://proxy.example.test:3128"


class Sources(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keys = folder(cls)
        cls.ca, cls.other, cls.cluster = (mcs.Authority(cls.keys, name) for name in ("mcs-ca", "other-ca", "cluster-ca"))
        cls.leaf = cls.ca.leaf()

    def setUp(self):
        self.server = self.serve(*self.leaf)
        self.server.pools["worker"] = mcs.config(PROXY, [self.cluster])

    def serve(self, *identity):
        server = mcs.Server(*identity)
        self.addCleanup(server.close)
        return server

    def run_program(self, *words, environment=None):
        done = run(PROVISIONER, *words, env={"PATH": os.environ["PATH"], **(environment or {})}, timeout=60)
        self.assertNotIn("BOOTSTRAP-TOKEN-CANARY", done.stdout + done.stderr)
        return done

    def extract(self, source, *words, ca=None, **options):
        done = self.run_program("extract", source, *(["--ca", ca] if ca else []), *words, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def refused(self, exit, code, source, *words, ca=None, **options):
        done = self.run_program("extract", source, *(["--ca", ca] if ca else []), *words, **options)
        self.assertEqual(done.returncode, exit, done.stdout + done.stderr)
        error = json.loads(done.stdout)["error"]
        self.assertEqual(error["code"], code, error)
        return error["message"]

    def test_gives_the_settings_of_a_pool(self):
        said = self.extract(self.server.mcs(), ca=self.ca.pem)
        self.assertEqual(said["proxy"], {"HTTP_PROXY": PROXY, "HTTPS_PROXY": PROXY, "NO_PROXY": "localhost,.svc"})
        self.assertEqual(said["source"]["ignitionVersion"], "3.5.0")
        self.assertEqual([c["subject"] for c in said["trustBundle"]["certificates"]], ["CN=cluster-ca"])
        path, headers = self.server.requests[0]
        self.assertEqual((path, len(self.server.requests)), ("/config/worker", 1))
        self.assertEqual(headers["Accept"], "application/vnd.coreos.ignition+json;version=3.5.0, */*;q=0.1")
        self.assertNotIn("decoy", json.dumps(said))
        done = self.run_program("check", self.server.mcs(), "--ca", self.ca.pem)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_is_baked(self):
        out = self.keys / "payload"
        done = self.run_program("bake", self.server.mcs(), "--ca", self.ca.pem, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        for file in out.rglob("*"):
            if file.is_file():
                self.assertNotIn(b"BOOTSTRAP-TOKEN-CANARY", file.read_bytes(), file)

    def test_is_verified(self):
        self.assertIn("the CAs that were named", self.refused(14, "tls", self.server.mcs(), ca=self.other.pem))
        wrong_name = self.serve(*self.ca.leaf("DNS:other.example.test", label="name"))
        self.refused(14, "tls", wrong_name.mcs(), ca=self.ca.pem)
        expired = self.serve(*self.ca.leaf(expired=True, label="expired"))
        self.assertIn("expired", self.refused(14, "tls", expired.mcs(), ca=self.ca.pem))
        weak = [self.serve(*self.ca.leaf(label="short", bits=1024)), self.serve(*self.ca.leaf(label="sha1", digest="sha1"))]
        for server in weak:
            self.refused(14, "tls", server.mcs(), ca=self.ca.pem)
        for server in (self.server, wrong_name, expired, *weak):
            self.assertEqual(server.requests, [])

    def test_keys_of_tls_are_kept(self):
        """Where a library would write them for whoever can set a variable or read the file."""
        log = self.keys / "keys.log"
        environment = {"SSLKEYLOGFILE": str(log)}
        self.extract(self.server.mcs(), ca=self.ca.pem, environment=environment)
        done = self.run_program("check", SAMPLE, "--probe", self.server.url("/doc"), environment=environment)
        self.assertIn(done.returncode, (11, 14), done.stderr)
        self.assertEqual(len(self.server.requests), 1)
        self.assertFalse(log.exists(), "the keys of a connection were written")
        # Another client of the same server shows that they could have been.
        if shutil.which("curl"):
            run("curl", "-s", "--cacert", self.ca.pem, self.server.url("/doc"), env={"PATH": os.environ["PATH"], **environment})
        if not log.exists():
            print("SKIPPED: no curl here writes keys: nobody showed that this server's connections have any to write", flush=True)

    def test_through_a_proxy(self):
        proxy = Tunnel()
        self.extract(self.server.mcs(), "--source-proxy", f"http://127.0.0.1:{proxy.port}", ca=self.ca.pem)
        self.assertTrue(proxy.heads[0].startswith(f"CONNECT localhost:{self.server.port} "), proxy.heads)

    def test_a_document_is_read_as_a_file_is(self):
        self.server.documents["/doc"] = SAMPLE.read_bytes()
        self.assertEqual(self.extract(self.server.url("/doc"), ca=self.ca.pem), self.extract(SAMPLE))


if __name__ == "__main__":
    unittest.main(verbosity=2)
