#!/usr/bin/env python3
"""What a real kube-controller-manager makes of the DaemonSet and the Deployment that `deploy --print` prints: their pods, and how far it
rolls a release whose pods fail. The test stands in for the scheduler and for kubelet; no pod runs.

usage: rollout_cluster_e2e.py PROVISIONER [unittest arguments]
  PROVISIONER_CLUSTER=1: else nothing is run (scripts/test --cluster sets it)

Kubernetes 1.20 drops what it does not know of a pod (`hostProcess`, `os`), and rolls the rest; 1.36 keeps them."""
import contextlib
import datetime
import threading
import time
import unittest
import unittest.mock

from harness import argument, end_unrun, folder, must
from real_api_server import PLURALS, RealApiServer, Refused, cluster_programs, documents

PROGRAM = argument()
PODS = "/api/v1/namespaces/egress-provisioner/pods"
DAEMON_SET = "/apis/apps/v1/namespaces/egress-provisioner/daemonsets/egress-provisioner"
DEPLOYMENT = "/apis/apps/v1/namespaces/egress-provisioner/deployments/egress-provisioner-controller"
KEEP = ["--keep-secret", "openshift-machine-api/windows-user-data-kept", "--append-to-secret", "openshift-machine-api/windows-user-data",
        "--platform", "aws", "--machine-sets"]
WINDOWS = [f"win-{number:02}" for number in range(12)]
FIRST, NEVER_READY, JUST_READY, GOOD = (f"registry.example.test/provisioner:{tag}" for tag in ("1", "never-ready", "just-ready", "2"))
READY_FOR = {FIRST: 600, JUST_READY: 0, GOOD: 600}  # seconds; pods of no other image are ready
TENTH = 2  # of the twelve, rounded up as Kubernetes does


def node(name, system, **labels):
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/os": system, **labels}},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]}}


def is_ready(pod):
    return any(one["type"] == "Ready" and one["status"] == "True" for one in pod["status"].get("conditions", []))


def image_of(pod):
    return pod["spec"]["containers"][0]["image"]


def wanted_node(pod):
    """The one that the DaemonSet controller made it for; a Deployment's goes to the Linux node."""
    needed = pod["spec"].get("affinity", {}).get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
    for term in needed.get("nodeSelectorTerms", []):
        for field in term.get("matchFields", []):
            if field["key"] == "metadata.name":
                return field["values"][0]
    return "linux"


class StandIn:
    """Binds pods, ends those that are deleted, and makes those ready that READY_FOR names."""

    def __init__(self, server):
        self.server, self.ended = server, threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def close(self):
        self.ended.set()
        self.thread.join()

    def work(self):
        while not self.ended.wait(0.1):
            for pod in self.server.ask("GET", PODS)["items"]:
                with contextlib.suppress(Refused):  # of one that changed meanwhile
                    self.step(pod, f"{PODS}/{pod['metadata']['name']}")

    def step(self, pod, path):
        if "deletionTimestamp" in pod["metadata"]:
            self.server.ask("DELETE", path + "?gracePeriodSeconds=0")
        elif "nodeName" not in pod["spec"]:
            self.server.ask("POST", path + "/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod["metadata"]["name"]},
                                                         "target": {"kind": "Node", "name": wanted_node(pod)}})
        elif is_ready(pod) != (image_of(pod) in READY_FOR):
            since = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=READY_FOR.get(image_of(pod), 0))
            ready = {"type": "Ready", "status": str(not is_ready(pod)), "lastTransitionTime": since.strftime("%Y-%m-%dT%H:%M:%SZ")}
            self.server.ask("PATCH", path + "/status", {"status": {"phase": "Running", "conditions": [ready]}}, "application/merge-patch+json")


class Rollouts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        programs = cluster_programs()
        if "kube-controller-manager" not in programs:
            end_unrun("KUBE_CONTROLLER_MANAGER names no program")
        cls.server = RealApiServer(programs, folder(cls))
        cls.addClassCleanup(cls.server.close)
        for item in (*(node(name, "windows") for name in WINDOWS), node("linux", "linux"), node("virtual", "windows", type="virtual-kubelet"),
                     {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "openshift-machine-api"}}):
            cls.server.apply(item)
        # Without the one that takes nodes for lost whose kubelet is silent.
        cls.server.start_controllers("deployment", "replicaset", "daemonset", "serviceaccount-token")
        stand_in = StandIn(cls.server)
        cls.addClassCleanup(stand_in.close)

    def deploy(self, image, *words):
        """Applies what is printed for this image, and returns it."""
        printed = [d for d in documents(must(PROGRAM, "deploy", "--print", "--image", image, *words)) if d["kind"] in PLURALS]
        for item in printed:
            self.server.until(lambda item=item: self.server.apply(item))  # the controller-manager writes the same objects
        return printed

    def pods(self, component):
        items = self.server.ask("GET", f"{PODS}?labelSelector=app.kubernetes.io/component={component}")["items"]
        return [pod for pod in items if "deletionTimestamp" not in pod["metadata"]]

    def ready(self, component, image):
        return [pod for pod in self.pods(component) if image_of(pod) == image and is_ready(pod)]

    def await_all(self, component, image, count):
        """All pods are ready ones of this image."""
        end = time.monotonic() + 120
        while not len(self.pods(component)) == len(self.ready(component, image)) == count:
            self.assertLess(time.monotonic(), end, [(pod["metadata"]["name"], image_of(pod), is_ready(pod)) for pod in self.pods(component)])
            time.sleep(0.2)

    def await_status(self, path, **wanted):
        end, status = time.monotonic() + 60, {}
        while not wanted.items() <= status.items():
            self.assertLess(time.monotonic(), end, status)
            time.sleep(0.2)
            status = {key: value for key, value in self.server.ask("GET", path)["status"].items() if key in wanted}

    def stays(self, component, image, count, former, least, seconds=15):
        """`count` pods of the image come and no more, and `least` of the former one stay ready all the time."""
        end, most = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            most = max(most, sum(image_of(pod) == image for pod in self.pods(component)))
            self.assertGreaterEqual(len(self.ready(component, former)), least)
            time.sleep(0.2)
        self.assertEqual(most, count)
        self.assertEqual(sum(image_of(pod) == image for pod in self.pods(component)), count)

    def install_nodes(self):
        """The first release on all nodes."""
        self.deploy(FIRST)
        self.await_all("nodes", FIRST, len(WINDOWS))

    def test_each_windows_node_has_a_pod(self):
        self.install_nodes()
        pods = self.pods("nodes")
        self.assertEqual(sorted(pod["spec"]["nodeName"] for pod in pods), WINDOWS, "none on Linux, none on a virtual node")
        for pod in pods:
            options = pod["spec"]["securityContext"]["windowsOptions"]
            self.assertEqual(options["runAsUserName"], r"NT AUTHORITY\SYSTEM")
            self.assertEqual(options.get("hostProcess", False), self.server.minor() >= 23)
            self.assertEqual(pod["spec"]["serviceAccountName"], "egress-provisioner")

    def test_a_release_that_fails_stops_at_the_first_nodes(self):
        for failing in NEVER_READY, JUST_READY:  # that is, for less than minReadySeconds
            with self.subTest(failing):
                self.install_nodes()
                self.deploy(failing)
                self.stays("nodes", failing, TENTH, FIRST, len(WINDOWS) - TENTH)
                self.deploy(GOOD)
                self.await_all("nodes", GOOD, len(WINDOWS))
                self.await_status(DAEMON_SET, updatedNumberScheduled=len(WINDOWS), numberAvailable=len(WINDOWS))

    def test_where_all_nodes_fail_the_next_release_reaches_them(self):
        """A pod that is not ready is replaced at once."""
        self.install_nodes()
        with unittest.mock.patch.dict(READY_FOR):
            del READY_FOR[FIRST]
            self.await_status(DAEMON_SET, numberUnavailable=len(WINDOWS))
            self.deploy(GOOD)
            self.await_all("nodes", GOOD, len(WINDOWS))

    def install_controller(self):
        """The first release; returns its Deployment as printed."""
        (deployment,) = (d for d in self.deploy(FIRST, *KEEP) if d["kind"] == "Deployment")
        self.await_all("controller", FIRST, 2)
        return deployment

    def test_the_controller_has_two_pods_as_printed(self):
        printed = self.install_controller()["spec"]["template"]["spec"]
        for pod in self.pods("controller"):
            self.assertEqual(pod["spec"]["serviceAccountName"], "egress-provisioner-controller")
            for key in "serviceAccountName", "automountServiceAccountToken", "nodeSelector", "topologySpreadConstraints":
                self.assertEqual(pod["spec"].get(key), printed[key], key)
            for key in "image", "command", "args", "securityContext":
                self.assertEqual(pod["spec"]["containers"][0][key], printed["containers"][0][key], key)

    def test_a_controller_that_fails_leaves_the_former_ones(self):
        for failing in NEVER_READY, JUST_READY:
            with self.subTest(failing):
                self.install_controller()
                self.deploy(failing, *KEEP)
                self.stays("controller", failing, 1, FIRST, 2)
                self.deploy(GOOD, *KEEP)
                self.await_all("controller", GOOD, 2)
                self.await_status(DEPLOYMENT, updatedReplicas=2, availableReplicas=2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
