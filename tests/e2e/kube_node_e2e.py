#!/usr/bin/env python3
"""A node that follows a cluster, under Wine: two changes in a row reach registry and stores within one poll, and the
service stops at once while its watch is silent. The process of the DaemonSet does the same, tells
the cluster what its node has, and stands aside where the service runs.

usage: kube_node_e2e.py PROVISIONER_EXE WINDOWS_PROBE_EXE [unittest arguments]"""
import shutil
import subprocess
import time
import unittest

from kube_api_server import POOLS, TOKEN, ApiServer, Authority, kubeconfig
from node_e2e import PROGRAM, WINE, Node

ONE, TWO, THREE = (f"http://{name}.example.test:3128" for name in ("one", "two", "three"))


class Following(Node):
    def setUp(self):
        super().setUp()
        self.authority = Authority(self.work, "cluster-ca")
        self.server = self.make_server()
        self.addCleanup(lambda: self.server.close())
        (self.work / "wine/drive_c/egress/kubeconfig").write_text(kubeconfig(self.server.port, self.authority.pem))

    def make_server(self):
        self.leaf = self.authority.sign("api", "serverAuth", "IP:127.0.0.1")
        return ApiServer(self.leaf)

    def say(self, name, proxy, authorities):
        self.server.put_config(name, proxy, "".join(authority.pem.read_text() for authority in authorities))


class Cluster(Following):
    def join(self):
        self.say("rendered-worker-1", ONE, [self.a])
        self.json("first-boot", "kube:///worker", "--kubeconfig", "C:\\egress\\kubeconfig", "--service", "containerd")
        self.expect(ONE, [self.a])
        self.await_state(lambda: self.assertTrue(self.server.watches(), "the service does not watch"))

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

    def test_the_service_stops_while_it_watches(self):
        self.join()
        begin = time.monotonic()
        self.program("service", "uninstall")
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(self.probe("query", "Provisioner").strip(), "none")


class Pod(Following):
    """The process of the DaemonSet, with what a HostProcess container has."""

    def setUp(self):
        super().setUp()
        account = self.work / "wine/drive_c/hpc/var/run/secrets/kubernetes.io/serviceaccount"
        account.mkdir(parents=True)
        (account / "token").write_text(TOKEN)
        shutil.copy(self.authority.pem, account / "ca.crt")
        self.env.update(KUBERNETES_SERVICE_HOST="127.0.0.1", KUBERNETES_SERVICE_PORT=str(self.server.port),
                        CONTAINER_SANDBOX_MOUNT_POINT="C:\\hpc")
        self.server.put_node("win-1")
        self.say("rendered-worker-1", ONE, [self.a])

    def start(self, *words):
        pod = subprocess.Popen([WINE, PROGRAM, "pod", *words, "--node", "win-1", "--interval", "5"], env=self.env, cwd=self.work,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.addCleanup(self.end, pod)
        return pod

    def follow(self):
        return self.start("kube:///worker", "--kubeconfig", "in-cluster", "--service", "containerd")

    def expect_told(self, exit_code):
        status = self.json("fleet", "status", "kube://", "--kubeconfig", "C:\\egress\\kubeconfig", exits=(exit_code,))
        return status["nodes"][0]

    def test_it_follows_two_changes_and_the_fleet_sees_it(self):
        self.follow()
        self.await_state(lambda: self.expect(ONE, [self.a]))
        self.await_state(lambda: self.expect_told(0))
        self.say("rendered-worker-2", TWO, [self.b])
        self.await_state(lambda: self.expect(TWO, [self.b]), 30)
        self.say("rendered-worker-3", THREE, [self.a, self.b])
        self.await_state(lambda: self.expect(THREE, [self.a, self.b]), 30)
        node = self.await_state(lambda: self.expect_told(0))
        self.assertTrue(node["rebootRequired"])
        self.assertIsNone(node["failure"])
        self.assertEqual(self.server.state_of("win-1")["options"]["services"], ["containerd"])
        # An event comes after the state that it is of.
        self.await_state(lambda: self.assertEqual(self.server.events_of("win-1").count("EgressSettings"), 2))
        self.assertEqual(self.probe("query", "Provisioner").strip(), "none", "a pod installs no service")

    def rollout(self, exit_code, *words):
        return self.json("fleet", "rollout", "kube://", "--kubeconfig", "C:\\egress\\kubeconfig", "--soak", "0", "--trial", "60", *words,
                         exits=(exit_code,))

    def pending(self):
        return (self.server.state_of("win-1") or {}).get("pending")

    def test_a_rollout_is_tried_on_the_node_and_taken_back(self):
        self.start("kube:///worker", "--kubeconfig", "in-cluster", "--service", "containerd", "--approval")
        self.await_state(lambda: self.expect(ONE, [self.a]))
        self.await_state(lambda: self.expect_told(0))
        self.assertEqual(self.rollout(0)["wave"], 0, "the node has these settings")
        self.say("rendered-worker-2", TWO, [self.b])
        self.await_state(lambda: self.assertTrue(self.pending()))
        self.expect(ONE, [self.a])
        self.assertEqual(self.rollout(0)["nodes"][0]["standing"], "confirmed")
        self.expect(TWO, [self.b])
        self.say("rendered-worker-3", THREE, [self.a])
        self.await_state(lambda: self.assertTrue(self.pending()))
        failed = self.rollout(4, "--probe", "https://quay.example.test/")
        self.assertEqual((failed["phase"], failed["nodes"][0]["standing"]), ("failed", "tookBack"))
        self.assertIn("three.example.test", failed["nodes"][0]["reason"])
        self.expect(TWO, [self.b])
        self.await_state(lambda: self.assertLessEqual({"EgressPending", "EgressConfirmed", "EgressTakenBack"}, set(self.server.events_of("win-1"))))

    def test_it_stands_aside_where_the_service_runs_and_tells_for_it(self):
        self.json("first-boot", "kube:///worker", "--kubeconfig", "C:\\egress\\kubeconfig", "--service", "containerd")
        self.follow()
        self.await_state(lambda: self.expect_told(0))
        self.say("rendered-worker-2", TWO, [self.b])
        self.await_state(lambda: self.expect(TWO, [self.b]))
        self.await_state(lambda: self.expect_told(0))
        self.assertEqual(self.json("status", exits=(0, 4))["source"]["location"].split()[0], "kube:///worker")

    def test_it_takes_everything_off_its_node(self):
        pod = self.follow()
        self.await_state(lambda: self.expect(ONE, [self.a]))
        self.await_state(lambda: self.expect_told(0))
        self.end(pod)
        self.start("--remove", "--node-kubeconfig", "in-cluster")
        self.await_state(lambda: self.assertIsNone(self.server.state_of("win-1")))
        self.expect("", [])


if __name__ == "__main__":
    unittest.main()
