#!/usr/bin/env python3
"""A node with a payload that was delivered once, beside a stand-in of the Windows Machine Config Operator's daemon, under Wine. The
stand-in does to the machine variables what the daemon does (docs/operator.md): it writes its three as REG_SZ and deletes those that
it has no value for. It is not a service that runs: its key is there.

usage: operator_e2e.py PROVISIONER_EXE WINDOWS_PROBE_EXE [unittest arguments]"""
import unittest

import node_e2e

ENVIRONMENT = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment"
NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
OURS = "http://ours.example.test:3128"


class BesideTheOperator(node_e2e.Node):
    def setUp(self):
        super().setUp()
        self.write(OURS, [self.a])
        payload = self.work / "wine/drive_c/windows/Setup/Scripts/Provisioner"
        payload.parent.mkdir(parents=True)
        self.program("bake", "C:\\egress\\worker.json", "--out", "C:\\windows\\Setup\\Scripts\\Provisioner", "--service", "containerd",
                     "--with-wmco", "--exe", "Z:" + node_e2e.PROGRAM)
        self.source.unlink()
        self.program("first-boot", "C:\\windows\\Setup\\Scripts\\Provisioner")

    def daemon_sets(self, **values):
        self.probe("service", "windows-instance-config-daemon")
        for name in NAMES:
            if name in values:
                self.wine("reg", "add", ENVIRONMENT, "/v", name, "/t", "REG_SZ", "/d", values[name], "/f", check=True)
            else:
                self.wine("reg", "delete", ENVIRONMENT, "/v", name, "/f")

    def containerd(self):
        return self.state()["serviceEnv"].get("containerd")

    def expect_followed(self, proxy, no_proxy):
        self.assertEqual(self.containerd(), ["FOREIGN=1", f"HTTP_PROXY={proxy}", f"HTTPS_PROXY={proxy}", f"NO_PROXY={no_proxy}"])

    def test_services_follow_three_changes_and_the_end_of_the_proxy(self):
        self.expect_followed(OURS, "localhost,.svc")  # before the daemon: the first start of containerd
        self.assertEqual(self.json("status", exits=(0, 4))["machineVariables"], [])

        self.daemon_sets(HTTP_PROXY="http://one.example.test:1", HTTPS_PROXY="http://one.example.test:1", NO_PROXY=".svc,.cluster.local")
        self.await_state(lambda: self.expect_followed("http://one.example.test:1", ".svc,.cluster.local"), 120)  # the service does it
        self.program("service", "uninstall")
        for proxy in ("http://two.example.test:2", "http://user:c4nary@three.example.test:3"):
            self.daemon_sets(HTTP_PROXY=proxy, HTTPS_PROXY=proxy, NO_PROXY=".svc")
            self.json("reconcile", "--once")
            self.expect_followed(proxy, ".svc")
            self.assertEqual(self.json("reconcile", "--once")["writes"], 0)
            status = self.json("status", exits=(0, 4))
            self.assertEqual([(v["name"], v["owner"], v["services"]) for v in status["machineVariables"]],
                             [(name, "operator", ["containerd"]) for name in NAMES])
            self.assertNotIn("c4nary", str(status))
            state = self.state()
            self.assertEqual(state["env"], {"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy, "NO_PROXY": ".svc"}, "the daemon's own stay")
            self.assertEqual({state["types"][name] for name in NAMES}, {1})

        self.daemon_sets()
        report = self.json("reconcile", "--once")
        self.assertIn("removed the proxy", str(report["changes"]))
        self.assertEqual(self.containerd(), ["FOREIGN=1"])
        self.assertEqual(self.state()["env"], {})

        self.daemon_sets(HTTP_PROXY="http://four.example.test:4", HTTPS_PROXY="http://four.example.test:4", NO_PROXY=".svc")
        self.json("reconcile", "--once")
        self.expect_followed("http://four.example.test:4", ".svc")
        self.program("remove", "--all")
        self.assertEqual(self.containerd(), ["FOREIGN=1"])
        self.assertEqual(self.state()["env"]["HTTP_PROXY"], "http://four.example.test:4")


if __name__ == "__main__":
    unittest.main(verbosity=2)
