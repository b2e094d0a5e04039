#!/usr/bin/env python3
"""A node that follows a cluster, under Wine: two changes in a row reach registry and stores within one poll, a server that is
away changes nothing, and the service stops at once while its watch is silent.

usage: kube_node_e2e.py PROVISIONER_EXE WINDOWS_PROBE_EXE [unittest arguments]"""
import pathlib
import sys
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from kube_api_server import POOLS, ApiServer, Authority, kubeconfig  # noqa: E402
from node_e2e import Node  # noqa: E402

ONE, TWO, THREE = (f"http://{name}.example.test:3128" for name in ("one", "two", "three"))


class Cluster(Node):
    def setUp(self):
        super().setUp()
        self.authority = Authority(self.work, "cluster-ca")
        self.leaf = self.authority.sign("api", "serverAuth", "IP:127.0.0.1")
        self.server = ApiServer(self.leaf)
        self.addCleanup(lambda: self.server.close())
        (self.work / "wine/drive_c/egress/kubeconfig").write_text(kubeconfig(self.server.port, self.authority.pem))

    def say(self, name, proxy, authorities):
        self.server.put_config(name, proxy, "".join(authority.pem.read_text() for authority in authorities))

    def join(self):
        self.say("rendered-worker-1", ONE, [self.a])
        self.json("first-boot", "kube:///worker", "--kubeconfig", "C:\\egress\\kubeconfig", "--service", "containerd")
        self.expect(ONE, [self.a])
        end = time.monotonic() + 60
        while not self.server.watches():
            self.assertLess(time.monotonic(), end, "the service does not watch")
            time.sleep(0.2)

    def test_changes_arrive_at_once(self):
        self.join()
        begin = time.monotonic()
        self.say("rendered-worker-2", TWO, [self.b])
        self.await_state(lambda: self.expect(TWO, [self.b]), 30)
        self.say("rendered-worker-3", THREE, [self.a, self.b])
        self.await_state(lambda: self.expect(THREE, [self.a, self.b]), 30)
        self.assertLess(time.monotonic() - begin, 60, "both within one interval")
        lists = [query for path, query, _ in self.server.seen if path == POOLS and "watch" not in query]
        self.assertEqual(len(lists), 1, "the watch went on from where it was")

    def test_a_server_that_is_away_changes_nothing(self):
        self.join()
        port = self.server.port
        self.server.close()
        report = self.json("reconcile", "--once", exits=(14,))
        self.assertEqual(report.get("writes", 0), 0)
        self.expect(ONE, [self.a])
        objects, version = self.server.objects, self.server.version
        self.server = ApiServer(self.leaf, port=port)
        self.server.objects, self.server.version = objects, version
        self.say("rendered-worker-2", TWO, [self.b])
        self.await_state(lambda: self.expect(TWO, [self.b]), 90)

    def test_the_service_stops_while_it_watches(self):
        self.join()
        begin = time.monotonic()
        self.program("service", "uninstall")
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(self.probe("query", "Provisioner").strip(), "none")


if __name__ == "__main__":
    unittest.main()
