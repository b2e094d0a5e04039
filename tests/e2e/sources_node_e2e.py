#!/usr/bin/env python3
"""A node under Wine that follows a Machine Config Server: what changes there reaches the registry and the stores with the next
poll, and what goes wrong there changes nothing.

usage: sources_node_e2e.py PROVISIONER_EXE WINDOWS_PROBE_EXE [unittest arguments]"""
import shutil
import subprocess
import time
import unittest

import machine_config_server as mcs
import node_e2e

CA = "C:\\egress\\mcs-ca.pem"
INTERVAL = 3


class FollowingAServer(node_e2e.Node):
    def setUp(self):
        super().setUp()
        self.ca = mcs.Authority(self.work, "mcs-ca")
        self.leaf = self.ca.leaf()
        shutil.copy(self.ca.pem, self.source.parent / "mcs-ca.pem")
        self.server = mcs.Server(*self.leaf)
        self.addCleanup(lambda: self.server.close())
        self.say("http://one.example.test:1", [self.a])

    def say(self, proxy, authorities):
        self.server.pools["worker"] = mcs.config(proxy, authorities)

    def uri(self):
        return self.server.mcs(host="127.0.0.1")

    def first_boot(self):
        report = self.json("first-boot", self.uri(), "--ca", CA, "--service", "containerd", "--source-timeout", "10")
        self.assertGreater(report["writes"], 0)
        self.expect("http://one.example.test:1", [self.a])

    def end_service(self):
        """What first-boot started: it would have the machine now and then, and say so to the runs of a test."""
        self.program("service", "uninstall")

    def watch(self):
        self.end_service()
        watcher = subprocess.Popen([node_e2e.WINE, node_e2e.PROGRAM, "reconcile", "--watch", "--interval", str(INTERVAL)], env=self.env,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.addCleanup(self.end, watcher)
        return watcher

    def await_polls(self, count):
        """Until so many more polls have begun."""
        end, until = time.monotonic() + 60, len(self.server.requests) + count
        while len(self.server.requests) < until:
            self.assertLess(time.monotonic(), end, "the server is not asked any more")
            time.sleep(0.2)

    def test_changes_arrive_with_the_next_poll(self):
        self.first_boot()
        self.watch()
        self.await_polls(1)
        for proxy, authorities in (("http://two.example.test:2", [self.a, self.b]), ("http://three.example.test:3", [self.b])):
            self.say(proxy, authorities)
            self.await_polls(2)  # the first may have begun before the change; the second begins when that one is done
            self.expect(proxy, authorities)

    def test_what_goes_wrong_changes_nothing(self):
        self.first_boot()
        self.end_service()
        for fault, code in ((500, 14), (404, 11)):
            with self.subTest(fault):
                self.server.fault = fault
                report = self.json("reconcile", "--once", exits=(code,))
                self.assertEqual(report["writes"], 0)
                self.assertIn("source-unavailable", [f["code"] for f in report["findings"]])
        self.server.fault = None
        # Another server answers in its place.
        port = self.server.port
        self.server.close()
        other = mcs.Authority(self.work, "other-ca")
        self.server = mcs.Server(*other.leaf(), port=port)
        self.say("http://evil.example.test:1", [other])
        self.assertEqual(self.json("reconcile", "--once", exits=(14,))["writes"], 0)
        self.server.close()
        self.assertEqual(self.json("reconcile", "--once", exits=(14,))["writes"], 0)
        self.expect("http://one.example.test:1", [self.a])
        # It comes back, and says something else.
        self.server = mcs.Server(*self.leaf, port=port)
        self.say("http://two.example.test:2", [self.b])
        self.assertGreater(self.json("reconcile", "--once")["writes"], 0)
        self.expect("http://two.example.test:2", [self.b])

    def test_weak_certificates_are_refused_as_on_linux(self):
        for label, options in (("short", {"bits": 1024}), ("sha1", {"digest": "sha1"})):
            with self.subTest(label):
                server = mcs.Server(*self.ca.leaf(label=label, **options))
                self.addCleanup(server.close)
                server.pools["worker"] = mcs.config("http://one.example.test:1", [self.a])
                report = self.json("extract", server.mcs(host="127.0.0.1"), "--ca", CA, exits=(14,))
                self.assertEqual(report["error"]["code"], "tls")
                self.assertEqual(server.requests, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
