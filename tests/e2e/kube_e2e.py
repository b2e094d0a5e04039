#!/usr/bin/env python3
"""kube:// sources: the program against a loopback API server. What can be wrong with one is tested in tests/source, what follows it in
kube_node_e2e.py and cluster_e2e.py.

usage: kube_e2e.py PROVISIONER [unittest arguments]"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from kube_api_server import POOLS, ApiServer, Authority, kubeconfig  # noqa: E402

PROGRAM = os.path.abspath(sys.argv.pop(1))
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
        self.server = ApiServer(self.leaf, self.authority.pem)
        self.addCleanup(self.server.close)
        self.server.put_config("rendered-worker-1", "http://one.example.test:3128", ROOT_PEM)
        self.config()

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


if __name__ == "__main__":
    unittest.main()
