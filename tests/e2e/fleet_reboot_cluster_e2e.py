#!/usr/bin/env python3
"""`fleet reboot` against a real kube-apiserver and kube-controller-manager: nodes that are simulated (their own code, on machines in memory)
take turns; PodDisruptionBudgets allow or refuse; coordinators are killed, or two at once. Nothing is asked of what the program says: the
API server's audit log shows it (reboot_audit.py). The test stands in for the scheduler and for kubelet; no pod runs.

usage: fleet_reboot_cluster_e2e.py PROVISIONER ROLLOUT_NODES ROLLOUT_STOPPED [unittest arguments]
  PROVISIONER_CLUSTER=1: else nothing is run (scripts/test --cluster sets it)
  PROVISIONER_REBOOT_STEP: coordinators are killed at each request of so many (16); 1: at every one"""
import contextlib
import copy
import json
import os
import subprocess
import threading
import time
import unittest

import reboot_audit
from harness import argument, end_unrun, folder, must, run
from real_api_server import PLURALS, RealApiServer, Refused, cluster_programs, documents
from reboot_audit import APPROVED, TURN
from rollout_audit import STATE, log_of

PROGRAMS = cluster_programs()
if "kube-controller-manager" not in PROGRAMS:
    end_unrun("KUBE_CONTROLLER_MANAGER names no program")
PROGRAM, NODES, STOPPED = (argument() for _ in range(3))
STEP = int(os.environ.get("PROVISIONER_REBOOT_STEP", "16"))
USERS, GROUP = ["one", "two"], "coordinators"  # with the rights that are printed for who drains nodes
NAMES = [f"win-{number:03}" for number in range(3)]
POLICIES = {"ValidatingAdmissionPolicy": "validatingadmissionpolicies", "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings"}
MERGE = "application/merge-patch+json"
PODS = "/api/v1/namespaces/shop/pods"
SPEED = 10  # of the clock of coordinators that are killed, so that a Lease is over in two seconds


def is_ready(pod):
    return any(one["type"] == "Ready" and one["status"] == "True" for one in pod["status"].get("conditions", []))


class StandIn:
    """Binds pods to nodes that are not cordoned, those with the fewest first; makes them ready; ends those that are deleted after a second."""

    def __init__(self, server):
        self.server, self.ended, self.ending = server, threading.Event(), {}
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def close(self):
        self.ended.set()
        self.thread.join()

    def work(self):
        while not self.ended.wait(0.1):
            with contextlib.suppress(OSError):
                pods = self.server.ask("GET", PODS)["items"]
                free = [node["metadata"]["name"] for node in self.server.ask("GET", "/api/v1/nodes")["items"]
                        if not node["spec"].get("unschedulable")]
                for pod in pods:
                    with contextlib.suppress(Refused):  # of one that changed meanwhile
                        self.step(pod, pods, free)

    def step(self, pod, pods, free):
        name = pod["metadata"]["name"]
        path = f"{PODS}/{name}"
        if "deletionTimestamp" in pod["metadata"]:
            if time.monotonic() - self.ending.setdefault(name, time.monotonic()) > 1:
                self.server.ask("DELETE", path + "?gracePeriodSeconds=0")
        elif "nodeName" not in pod["spec"]:
            if free:
                target = min(free, key=lambda node: sum(one["spec"].get("nodeName") == node for one in pods))
                self.server.ask("POST", path + "/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
                                                            "target": {"kind": "Node", "name": target}})
                pod["spec"]["nodeName"] = target
        elif not is_ready(pod):
            self.server.ask("PATCH", path + "/status", {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}, MERGE)


class Reboots(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work, cls.pushed, cls.epoch = folder(cls), 0, int(time.time())
        cls.server = RealApiServer(PROGRAMS, cls.work, words=reboot_audit.options(cls.work),
                                   tokens=[(f"c4nary-{user}", user, GROUP) for user in USERS])
        cls.addClassCleanup(cls.server.close)
        for user in USERS:
            (cls.work / user).write_text(cls.server.kubeconfig(f"c4nary-{user}"))
        cls.install()
        # Without those that would take pods without a node, or nodes without a kubelet, for lost.
        cls.server.start_controllers("deployment", "replicaset", "disruption")
        stand_in = StandIn(cls.server)
        cls.addClassCleanup(stand_in.close)
        cls.push()
        cls.start_nodes()

    @classmethod
    def install(cls):
        for item in documents(must(PROGRAM, "deploy", "--print", "--image", "registry.example.test/provisioner:1", "--reboot", "drain")):
            if item["kind"] in PLURALS:
                cls.server.apply(copy.deepcopy(item))
            elif item["kind"] in POLICIES and cls.server.minor() >= 30:
                cls.server.ask("POST", f"/apis/admissionregistration.k8s.io/v1/{POLICIES[item['kind']]}", item)
        for kind, space in ("ClusterRole", {}), ("Role", {"namespace": "egress-provisioner"}):
            cls.server.apply({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind + "Binding", "metadata": {"name": GROUP, **space},
                              "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": "egress-provisioner-reboot"},
                              "subjects": [{"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": GROUP}]})
        for space in "shop", "bare":
            cls.server.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}})
            cls.server.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": space}})

    @classmethod
    def start_nodes(cls):
        """Each with a pod of the fleet, of a DaemonSet, whose token its process has."""
        configs = cls.work / "kubeconfigs"
        configs.mkdir()
        for name in NAMES:
            cls.server.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/os": "windows"}},
                              "status": {"conditions": [{"type": "Ready", "status": "True"}]}})
            owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "egress-provisioner", "uid": "1", "controller": True}
            cls.server.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"pod-{name}", "namespace": "egress-provisioner", "ownerReferences": [owner]},
                              "spec": {"serviceAccountName": "egress-provisioner", "nodeName": name, "containers": [{"name": "c", "image": "i"}]}})
            (configs / name).write_text(cls.server.kubeconfig(cls.server.token(pod=f"pod-{name}")))
        said = open(cls.work / "nodes.log", "w")
        words = [NODES, configs, "kube:///worker", "0", str(len(NAMES)), "1", "drain"]
        process = subprocess.Popen([str(word) for word in words], stdout=said, stderr=subprocess.STDOUT)
        said.close()

        def stop():
            process.terminate()
            process.wait(60)
        cls.addClassCleanup(stop)

    @classmethod
    def push(cls):
        """Other settings, which need a reboot of each node."""
        cls.pushed += 1
        cls.server.put_config(f"rendered-worker-{cls.pushed}", f"http://proxy-{cls.pushed}.example.test:3128")

    def deploy(self, name, replicas, budget):
        """A Deployment, all pods of it ready, and a PodDisruptionBudget whose status is computed."""
        labels = {"app": name}
        pod = {"containers": [{"name": "c", "image": "i"}], "terminationGracePeriodSeconds": 5}
        self.server.apply({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "shop", "labels": labels},
                           "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                                    "template": {"metadata": {"labels": labels}, "spec": pod}}})
        budgets = "/apis/policy/v1/namespaces/shop/poddisruptionbudgets"
        self.server.ask("POST", budgets, {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name},
                                          "spec": {"selector": {"matchLabels": labels}, **budget}})
        self.addCleanup(self.undeploy, name, budgets)
        self.until(lambda: self.server.ask("GET", f"{budgets}/{name}").get("status", {}).get("currentHealthy") == replicas, name)

    def undeploy(self, name, budgets):
        """Piece by piece, as no garbage collector runs; each pod by itself, so that the log has it."""
        self.server.ask("DELETE", f"{budgets}/{name}")
        for plural in "deployments", "replicasets":
            self.server.ask("DELETE", f"/apis/apps/v1/namespaces/shop/{plural}?labelSelector=app%3D{name}", {"propagationPolicy": "Background"})

        def is_gone():
            pods = self.pods(name)
            for pod in pods:
                with contextlib.suppress(Refused):
                    self.server.ask("DELETE", f"{PODS}/{pod['metadata']['name']}?gracePeriodSeconds=0")
            return not pods
        self.until(is_gone, name)

    def pods(self, name):
        return self.server.ask("GET", f"{PODS}?labelSelector=app%3D{name}")["items"]

    def until(self, is_so, what, seconds=60):
        end = time.monotonic() + seconds
        while not is_so():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.2)

    def node(self, name):
        return self.server.ask("GET", f"/api/v1/nodes/{name}")

    def drains(self):
        """{name: (boot, whether it waits)}."""
        out = {}
        for name in NAMES:
            if text := self.node(name)["metadata"].get("annotations", {}).get(STATE):
                drain = json.loads(text)["drain"]
                out[name] = (drain["boot"], drain["waits"])
        return out

    def await_waiting(self):
        self.until(lambda: len(now := self.drains()) == len(NAMES) and all(waits for _, waits in now.values()), "not all nodes wait")
        return {name: boot for name, (boot, _) in self.drains().items()}

    def words(self, user, *words):
        return [*map(str, words), "--kubeconfig", str(self.work / user)]

    def reboot(self, *words, user="one"):
        return run(PROGRAM, "fleet", *self.words(user, "reboot", "kube://", *words), timeout=600, env={"PATH": os.environ["PATH"], "HOME": str(self.work)})

    def start(self, user, at=0):
        """A coordinator with a clock that runs faster, which ends before request `at`."""
        words = [STOPPED, at, SPEED, self.epoch, *self.words(user, "reboot", "kube://")]
        process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def end():
            process.kill()
            process.communicate()
        self.addCleanup(end)
        return process

    def finish(self, process):
        process.said = "".join(process.communicate(timeout=240))
        return process.returncode

    def assert_turns(self, wave=1):
        out = reboot_audit.turns(log_of(self.work), wave)
        self.assertEqual(out.faults, [])
        return out

    def assert_all_rebooted(self, before, count=1):
        """Each so often, by an approval each, and nothing of ours is left."""
        log = self.assert_turns()
        for name, boot in before.items():
            self.assertEqual(self.drains()[name], (str(int(boot) + count), False), name)
            self.assertEqual(log.approvals.count((name, boot)), 1, name)
            annotations = self.node(name)["metadata"]["annotations"]
            self.assertFalse({TURN, APPROVED} & set(annotations), annotations)
        return log

    def test_1_all_take_turns_where_a_budget_allows_it(self):
        self.deploy("web", 4, {"maxUnavailable": 1})
        self.server.ask("PATCH", f"/api/v1/nodes/{NAMES[1]}", {"spec": {"unschedulable": True}}, MERGE)
        before = self.await_waiting()
        evicted = {pod["metadata"]["name"] for pod in self.pods("web")}
        done = self.reboot()
        self.assertEqual((done.returncode, done.stdout), (0, "done: 3 restarted\n"), done.stderr)
        print("\n" + done.stderr, end="")
        log = self.assert_all_rebooted(before)
        self.assertEqual([name for name, _ in log.approvals], NAMES)
        self.assertTrue(evicted & {name for name, code in log.evicted if code in (200, 201)}, log.evicted)
        self.assertEqual([bool(self.node(name)["spec"].get("unschedulable")) for name in NAMES], [False, True, False])
        self.server.ask("PATCH", f"/api/v1/nodes/{NAMES[1]}", {"spec": {"unschedulable": None}}, MERGE)
        self.assertEqual(len(self.server.ask("GET", "/api/v1/namespaces/egress-provisioner/pods")["items"]), len(NAMES))

    def test_2_a_node_is_given_back_where_a_budget_refuses(self):
        self.deploy("db", 1, {"minAvailable": 1})
        self.push()
        before = self.await_waiting()
        (pod,) = self.pods("db")
        others = [name for name in NAMES if name != pod["spec"]["nodeName"]]
        # So that its node is the first.
        for name in others:
            self.server.ask("PATCH", f"/api/v1/nodes/{name}/status", {"status": {"conditions": [{"type": "Ready", "status": "False"}]}}, MERGE)
        done = self.reboot("--timeout", 8)
        self.assertEqual(done.returncode, 4, done.stderr)
        print("\n" + done.stdout, end="")
        self.assertRegex(done.stdout, f"{pod['spec']['nodeName']} was not drained within 8 seconds: shop/{pod['metadata']['name']} .Cannot evict pod .*The disruption budget db needs 1")
        log = self.assert_turns()
        self.assertGreater(log.evicted.count((pod["metadata"]["name"], 429)), 2)
        self.assertNotIn(pod["metadata"]["name"], log.deleted)
        self.assertEqual(self.pods("db")[0]["metadata"]["uid"], pod["metadata"]["uid"])
        self.assertEqual(self.drains(), {name: (boot, True) for name, boot in before.items()}, "no node restarted")
        for name in NAMES:
            self.assertFalse(self.node(name)["spec"].get("unschedulable"), name)
            self.assertNotIn(TURN, self.node(name)["metadata"]["annotations"])
        for name in others:
            self.server.ask("PATCH", f"/api/v1/nodes/{name}/status", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}, MERGE)

    def test_3_a_pod_that_nothing_makes_again_needs_force(self):
        self.push()
        before = self.await_waiting()
        self.server.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "alone", "namespace": "bare"},
                           "spec": {"nodeName": NAMES[0], "terminationGracePeriodSeconds": 0, "containers": [{"name": "c", "image": "i"}]}})
        done = self.reboot()
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(f"{NAMES[0]} has pods that nothing makes again, which --force evicts: bare/alone", done.stdout)
        self.assertEqual(self.drains()[NAMES[0]], (before[NAMES[0]], True))
        self.assertEqual(self.reboot("--force").returncode, 0)
        self.assert_all_rebooted(before)

    def test_4_killed_at_any_request_the_next_one_goes_on(self):
        self.deploy("web", 4, {"maxUnavailable": 1})
        requests, at = 0, 3
        while not requests:
            self.push()
            before = self.await_waiting()
            first = self.start("one", at)
            if self.finish(first) == 0:
                requests = at
            else:
                self.assertEqual(first.returncode, 9, first.said)
                second = self.start("two")
                self.assertEqual(self.finish(second), 0, second.said)
            self.assert_all_rebooted(before)
            at += STEP
        print(f"killed at requests 3, {3 + STEP}, … before {requests}")
        self.assertGreater(requests, 20)

    def test_5_two_at_once(self):
        self.deploy("web", 4, {"maxUnavailable": 1})
        self.push()
        before = self.await_waiting()
        both = [self.start(user) for user in USERS]
        codes = sorted(self.finish(process) for process in both)
        self.assertEqual(codes[0], 0, [process.said for process in both])
        self.assertIn(codes[1], (0, 15), [process.said for process in both])
        self.assert_all_rebooted(before)

    def test_9_that_the_log_would_show_it(self):
        """Somebody approves a reboot by hand, of a node that nobody drained. It restarts only once it is cordoned, too."""
        self.push()
        boot = self.await_waiting()[NAMES[0]]
        self.server.ask("PATCH", f"/api/v1/nodes/{NAMES[0]}", {"metadata": {"annotations": {APPROVED: boot}}}, MERGE)
        time.sleep(5)  # some rounds
        self.assertEqual(self.drains()[NAMES[0]][0], boot)
        self.server.ask("PATCH", f"/api/v1/nodes/{NAMES[0]}", {"spec": {"unschedulable": True}}, MERGE)
        self.until(lambda: self.drains()[NAMES[0]][0] != boot, "it does not restart")
        self.assertIn(f"{NAMES[0]} was approved without a turn or a cordon", reboot_audit.turns(log_of(self.work), 1).faults)


if __name__ == "__main__":
    unittest.main(verbosity=2)
