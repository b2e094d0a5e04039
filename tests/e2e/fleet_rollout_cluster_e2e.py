#!/usr/bin/env python3
"""`fleet rollout` against a real kube-apiserver, with many nodes in one process: each is the node's own code with real trials, through squid
and mitmproxy. Settings that break egress stay with the canaries, and good ones reach all, whoever is killed, frozen or restarted
meanwhile. That is read from the API server's audit log (rollout_audit.py).

usage: fleet_rollout_cluster_e2e.py PROVISIONER ROLLOUT_NODES ROLLOUT_STOPPED [unittest arguments]
  PROVISIONER_CLUSTER=1: else nothing is run (scripts/test --cluster sets it)
  PROVISIONER_ROLLOUT_NODES: how many nodes there are (24)
  PROVISIONER_ROLLOUT_INTERVAL: seconds between their rounds (2)
  PROVISIONER_ROLLOUT_STEP: coordinators are killed at each request of so many (32); 1: at every one
  PROVISIONER_ROLLOUT_FIRST: the first of these requests (1)

400 nodes, on two cores:
  PROVISIONER_CLUSTER=1 PROVISIONER_ROLLOUT_NODES=400 PROVISIONER_ROLLOUT_INTERVAL=10 fleet_rollout_cluster_e2e.py … Fleet"""
import collections
import concurrent.futures
import contextlib
import copy
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import rollout_audit
from harness import argument, end_unrun, folder, missing, must, run
from pull_servers import inside
from real_api_server import PLURALS, RealApiServer, Refused, cluster_programs, documents
from rollout_audit import STATE, Rules
from rollout_servers import API, IMAGE, ORIGIN, RolloutServers

PROGRAMS = cluster_programs()
if lacking := missing("squid", "mitmdump", "nginx", "ip", "unshare"):
    end_unrun("missing: " + lacking)
inside()
PROGRAM, NODES, STOPPED = (argument() for _ in range(3))
COUNT = int(os.environ.get("PROVISIONER_ROLLOUT_NODES", "24"))
INTERVAL = int(os.environ.get("PROVISIONER_ROLLOUT_INTERVAL", "2"))
STEP = int(os.environ.get("PROVISIONER_ROLLOUT_STEP", "32"))
FIRST = int(os.environ.get("PROVISIONER_ROLLOUT_FIRST", "1"))
USERS, GROUP = ["coordinator", "one", "two"], "coordinators"  # with the rights that are printed for who runs a rollout
POOLS = "machineconfiguration.openshift.io/v1"
LEASE_SECONDS = 15
SPEED = 10  # of the clock of coordinators that are killed, so that a Lease is over in two seconds
DAY = 86400
# As kubelet reports them, which makes most of a Node object.
IMAGES = [{"names": [f"registry.example.test/team/app-{number}@sha256:{number:064x}", f"registry.example.test/team/app-{number}:v{number}"],
           "sizeBytes": 2_000_000_000 + number} for number in range(50)]
DEFENCES = ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")


def setUpModule():
    global outside
    where = pathlib.Path(tempfile.mkdtemp(prefix="provisioner-e2e-"))
    unittest.addModuleCleanup(shutil.rmtree, where, ignore_errors=True)
    outside = RolloutServers(where)
    unittest.addModuleCleanup(outside.stop)


class Cluster:
    """An API server, `count` nodes, and more that nobody runs."""

    def __init__(self, case, count, interval, ahead=None):
        self.case, self.count, self.pushed, self.work = case, count, 0, folder(case)
        self.server = RealApiServer(PROGRAMS, self.work, API, rollout_audit.options(self.work), [(f"c4nary-{user}", user, GROUP) for user in USERS])
        case.addClassCleanup(self.server.close)
        self.log = rollout_audit.log_of(self.work)
        self.install()
        (self.work / "admin").write_text(self.server.kubeconfig())
        for user in USERS:
            (self.work / user).write_text(self.server.kubeconfig(f"c4nary-{user}"))
        self.epoch = int(time.time())
        names = [f"win-{number:03}" for number in range(count)]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(self.put_node, names))
        self.old = self.push(outside.good(0))
        self.processes = []
        case.addClassCleanup(self.stop)
        self.start(0, count, interval, ahead)
        self.await_all(self.old, 60 + count)

    def install(self):
        printed = documents(must(PROGRAM, "deploy", "--print", "--image", "registry.example.test/provisioner:1", "--approval"))
        for item in printed:
            if item["kind"] in PLURALS:
                self.server.apply(copy.deepcopy(item))
        self.binds = self.server.minor() >= 30
        for item in printed if self.binds else []:
            if item["kind"] in DEFENCES:
                resource = "validatingadmissionpolicies" if item["kind"] == DEFENCES[0] else "validatingadmissionpolicybindings"
                self.server.ask("POST", f"/apis/admissionregistration.k8s.io/v1/{resource}", item)
        self.bind("ClusterRole", "egress-provisioner-source")
        self.bind("ClusterRole", "egress-provisioner-rollout")
        self.bind("Role", "egress-provisioner-rollout")
        self.configs = self.work / "kubeconfigs"
        self.configs.mkdir()

    def bind(self, kind, name):
        space = {} if kind == "ClusterRole" else {"namespace": "egress-provisioner"}
        self.server.apply({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind + "Binding", "metadata": {"name": f"{name}-{GROUP}", **space},
                           "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name},
                           "subjects": [{"kind": "Group", "apiGroup": "rbac.authorization.k8s.io", "name": GROUP}]})

    def put_node(self, name, ready="True", annotations=None):
        """With a pod of its own, where the server binds a token to the pod's node."""
        zone = "abc"[int(name[4:]) % 3]
        self.server.apply({"apiVersion": "v1", "kind": "Node", "metadata": {
            "name": name, "labels": {"kubernetes.io/os": "windows", "topology.kubernetes.io/zone": zone}, "annotations": annotations or {}},
            "status": {"conditions": [{"type": "Ready", "status": ready}], "images": IMAGES}})
        if self.binds:
            self.server.put_pod(f"pod-{name}", name)
        token = self.server.token(pod=f"pod-{name}" if self.binds else None)
        (self.configs / name).write_text(self.server.kubeconfig(token))

    def start(self, first, count, interval, ahead=None):
        said = open(self.work / f"nodes-{first}-{time.monotonic_ns()}.log", "w")
        words = [NODES, self.configs, "kube:///worker", first, count, interval, *(f"{name}={seconds}" for name, seconds in (ahead or {}).items())]
        process = subprocess.Popen([str(word) for word in words], stdout=said, stderr=subprocess.STDOUT)
        said.close()
        self.processes.append(process)
        return process

    def stop(self):
        for process in self.processes:
            process.send_signal(signal.SIGCONT)
            process.terminate()
        for process in self.processes:
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def said(self):
        """{code: names}, of what the rounds of all nodes said."""
        out = collections.defaultdict(set)
        for path in self.work.glob("nodes-*.log"):
            for line in path.read_text().splitlines():
                with contextlib.suppress(ValueError):  # the last one may be under way
                    one = json.loads(line)
                    out[one.get("code")].add(one.get("node"))
        return out

    def push(self, config):
        """The pool's settings; returns their digest."""
        self.pushed += 1
        name = f"rendered-worker-{self.pushed}"
        self.server.apply({"apiVersion": POOLS, "kind": "MachineConfig", "metadata": {"name": name}, "spec": {"config": config}})
        self.server.apply({"apiVersion": POOLS, "kind": "MachineConfigPool", "metadata": {"name": "worker"},
                           "spec": {"configuration": {"name": name}}, "status": {"configuration": {"name": name}}})
        return json.loads(self.program("extract", "kube:///worker").stdout)["digest"]

    def words(self, user, *words):
        return [*map(str, words), "--kubeconfig", str(self.work / user)]

    def program(self, *words, user="admin"):
        return run(PROGRAM, *self.words(user, *words), timeout=3600, env={"PATH": os.environ["PATH"], "HOME": str(self.work)})

    def nodes(self):
        return self.server.ask("GET", "/api/v1/nodes")["items"]

    def states(self):
        """{name: what it said}."""
        out = {}
        for node in self.nodes():
            if text := node["metadata"].get("annotations", {}).get(STATE):
                out[node["metadata"]["name"]] = json.loads(text)
        return out

    def await_all(self, digest, seconds=120):
        end = time.monotonic() + seconds
        while True:
            has = sum(state["digest"] == digest and state["drift"] == 0 for state in self.states().values())
            if has >= self.count:
                return
            if time.monotonic() > end:
                raise AssertionError(f"{has} of {self.count} nodes have the settings {digest[:12]}: {list(self.states().items())[:2]}")
            time.sleep(0.5)

    def cpu(self):
        """Seconds that the API server has computed."""
        fields = pathlib.Path(f"/proc/{self.server.api.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Proof(unittest.TestCase):
    def assert_waves(self, cluster, digest, canaries, wave, soak, **more):
        """From the audit log; returns the waves."""
        log = rollout_audit.writes(cluster.log)
        faults, waves = rollout_audit.faults_of_waves(log, Rules(digest, canaries, wave, soak, **more))
        self.assertEqual(faults, [])
        return waves

    def assert_turns(self, cluster, lease):
        self.assertEqual(rollout_audit.faults_of_turns(rollout_audit.writes(cluster.log), lease), [])


class Fleet(Proof):
    CANARIES, SOAK = 4, 3

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(cls, COUNT, INTERVAL)
        cls.percent = 10 if COUNT >= 100 else 25
        cls.wave = -(-COUNT * cls.percent // 100)
        cls.idle = 30 if COUNT >= 100 else 5

    def rollout(self, *words):
        done = self.cluster.program("fleet", "rollout", "kube:///worker", "--canary", self.CANARIES, "--wave", f"{self.percent}%", "--soak", self.SOAK,
                                    "--timeout", 240, "--trial", 30, "--probe", f"https://{ORIGIN}/", "--image", IMAGE, "--output", "json", *words,
                                    user="coordinator")
        self.assertIn(done.returncode, (0, 4), done.stdout + done.stderr)
        return done, json.loads(done.stdout)

    def measured(self, title, act):
        """The row of the table."""
        begin, cpu = time.time(), self.cluster.cpu()
        out = act()
        end, cpu = time.time(), self.cluster.cpu() - cpu
        count = rollout_audit.Requests(self.cluster.log, begin, end, USERS)
        print("%-36s %8.1f %12d %8d %8.1f %6.1f %%" % (title, end - begin, count.count["coordinator"], count.count["nodes"], cpu, 100 * cpu / (end - begin)))
        for whose in "coordinator", "nodes":
            if kinds := [f"{verb} {resource} {number}" for (who, verb, resource), number in count.by_kind.most_common() if who == whose]:
                print(f"    {whose}: {', '.join(kinds)}")
        sys.stdout.flush()
        return out

    def approving(self, waves, digest):
        """How many nodes a second are approved in the largest wave."""
        at = {write.name: write.at for write in rollout_audit.writes(self.cluster.log) if write.kind == "approval" and write.value[0] == digest}
        most = max(waves, key=len)
        took = max(at[name] for name in most) - min(at[name] for name in most)
        print(f"    a wave of {len(most)} nodes was approved in {took:.2f} s")

    def test_what_breaks_egress_stays_with_the_canaries(self):
        cluster = self.cluster
        print("\n%d nodes, rounds every %d s; waves of %d, %d s to soak" % (COUNT, INTERVAL, self.wave, self.SOAK))
        print("%-36s %8s %12s %8s %8s %8s" % ("", "seconds", "coordinator", "nodes", "CPU s", "CPU"))
        done, said = self.measured("the first, which all nodes have", self.rollout)
        self.assertEqual((done.returncode, said["phase"], said["digest"]), (0, "done", cluster.old), said)
        self.measured("nothing", lambda: time.sleep(self.idle))
        tried = set()
        for letter, what, config, reason in outside.cases():
            with self.subTest(letter):
                digest = cluster.push(config)
                done, said = self.measured(f"({letter}) {what}", self.rollout)
                self.assertEqual((done.returncode, said["phase"]), (4, "failed"), said["reason"])
                waves = self.assert_waves(cluster, digest, self.CANARIES, self.wave, self.SOAK - 1)
                self.assertEqual(len(waves), 1)  # of less than it may have, where one of them took back before all were approved
                approved, had = rollout_audit.tried(rollout_audit.writes(cluster.log), digest)
                self.assertLessEqual(had, approved)
                back = {node["name"]: node["reason"] for node in said["nodes"] if node["standing"] == "tookBack"}
                self.assertTrue(back)
                self.assertLessEqual(set(back), approved)
                for name, why in back.items():
                    self.assertIn(reason, why, name)
                print("    " + next(iter(back.values())))
                cluster.await_all(cluster.old, 90)
                tried |= approved
                self.assertLessEqual(cluster.said()["approval-taken-back"], tried)
                self.assertNotIn("approval-confirmed", cluster.said())
        self.measured("nothing, and settings wait", lambda: time.sleep(self.idle))
        digest = cluster.push(outside.rotated())
        done, said = self.measured("(e) good settings", self.rollout)
        self.assertEqual((done.returncode, said["phase"]), (0, "done"), said["reason"])
        waves = self.assert_waves(cluster, digest, self.CANARIES, self.wave, self.SOAK - 1)
        self.approving(waves, digest)
        self.assertEqual(sum(map(len, waves)), COUNT)
        self.assertEqual(sum(state["digest"] == digest for state in cluster.states().values()), COUNT)
        self.assertEqual(cluster.program("fleet", "status", "kube:///worker").returncode, 0)
        self.assert_turns(cluster, LEASE_SECONDS)
        codes = cluster.said()
        self.assertEqual(len(codes["approval-confirmed"]), COUNT)
        self.assertLessEqual(set(codes), {"approval-pending", "approval-taken-back", "approval-confirmed"})
        self.assert_a_hand_is_seen()

    def assert_a_hand_is_seen(self):
        """That the log would show it: somebody approves two nodes at once, without the Lease."""
        digest = "f" * 64
        for name in "win-000", "win-001":
            order = {"schema": 1, "probes": [], "images": [], "trialSeconds": 30, "attempt": 1}
            self.cluster.server.ask("PATCH", f"/api/v1/nodes/{name}", {"metadata": {"annotations": {
                rollout_audit.APPROVED: digest, rollout_audit.ORDER: json.dumps(order)}}}, "application/merge-patch+json")
        log = rollout_audit.writes(self.cluster.log)
        self.assertEqual(len(rollout_audit.faults_of_waves(log, Rules(digest, 1, 1))[0]), 1)
        self.assertEqual(len(rollout_audit.faults_of_turns(log, LEASE_SECONDS)), 2)


class Interruptions(Proof):
    """Twelve nodes, of which the clocks of two are a day wrong."""
    COUNT, CANARIES, WAVE, SOAK = 12, 1, 4, 5
    ORDER = ["rollout", "kube:///worker", "--canary", CANARIES, "--wave", WAVE, "--soak", SOAK, "--timeout", 1800, "--trial", 30,
             "--probe", f"https://{ORIGIN}/"]

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(cls, cls.COUNT, 1, {"win-001": DAY, "win-002": -DAY})
        cls.number = 0

    def push(self):
        type(self).number += 1
        return self.cluster.push(outside.good(self.number))

    def start(self, user, *words, at=0):
        """A coordinator with a clock that runs faster, which ends before request `at`."""
        words = [STOPPED, at, SPEED, self.cluster.epoch, *self.cluster.words(user, *self.ORDER, *words)]
        process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def end():
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.communicate()
        self.addCleanup(end)
        return process

    def finish(self, process, seconds=120):
        process.said = "".join(process.communicate(timeout=seconds))
        return process.returncode

    def assert_proven(self, digest, count=COUNT, **more):
        real = self.SOAK / SPEED
        waves = self.assert_waves(self.cluster, digest, self.CANARIES, self.WAVE, real - 1.5 / SPEED, **more)
        self.assertEqual(sum(map(len, waves)), count, waves)
        self.assert_turns(self.cluster, (LEASE_SECONDS - 1.5) / SPEED)
        return waves

    def test_killed_at_every_request(self):
        requests, at = 0, FIRST
        while not requests:
            digest = self.push()
            first = self.start("one", at=at)
            code = self.finish(first)
            if code == 0:
                requests = at
            else:
                self.assertEqual(code, 9, first.said)
                second = self.start("two")
                self.assertEqual(self.finish(second), 0, second.said)
            self.assert_proven(digest)
            self.cluster.await_all(digest, 5)
            at += STEP
        print(f"killed at requests {FIRST}, {FIRST + STEP}, … before {requests}")
        self.assertGreater(requests, 20)

    def test_killed_again_and_again(self):
        seed = 20261129
        print(f"seed {seed}")
        chance = random.Random(seed)
        digest = self.push()
        for number in range(40):
            process = self.start(USERS[1 + number % 2], at=chance.randrange(3, 25))
            if self.finish(process) == 0:
                break
        self.assertEqual(process.returncode, 0, process.said)
        self.assertGreater(number, 2)
        self.assert_proven(digest)

    def test_two_at_once(self):
        digest = self.push()
        both = [self.start(user) for user in USERS[1:]]
        codes = [self.finish(process) for process in both]
        self.assertIn(0, codes, [process.said for process in both])
        self.assert_proven(digest)

    def test_one_that_was_frozen_writes_nothing_any_more(self):
        seed = 20261130
        print(f"seed {seed}")
        chance = random.Random(seed)
        for _ in range(max(2, 64 // STEP)):
            digest = self.push()
            frozen = self.start("one")
            time.sleep(0.3 + chance.random() * 2)
            frozen.send_signal(signal.SIGSTOP)
            other = self.start("two")
            time.sleep(2 + chance.random())
            frozen.send_signal(signal.SIGCONT)
            codes = [self.finish(process) for process in (frozen, other)]
            self.assertIn(0, codes, frozen.said + other.said)
            self.assert_proven(digest)

    def test_the_api_server_is_restarted(self):
        digest = self.push()
        process = self.start("one")
        for _ in range(2):
            time.sleep(2)
            self.cluster.server.stop()
            time.sleep(1)
            self.cluster.server.start()
        self.assertEqual(self.finish(process, 240), 0, process.said)
        self.assert_proven(digest)
        self.cluster.await_all(digest, 30)

    def test_nodes_that_are_out_of_reach(self):
        """They are not waited for, and get the settings when they return."""
        cluster = self.cluster
        old = cluster.states()["win-000"]
        names = ["win-012", "win-013"]
        for name in names:
            cluster.put_node(name, "Unknown", {STATE: json.dumps(old)})
            self.addCleanup(cluster.server.ask, "DELETE", f"/api/v1/nodes/{name}")
        digest = self.push()
        process = self.start("one")
        self.assertEqual(self.finish(process), 0, process.said)
        self.assert_proven(digest)
        approved, _ = rollout_audit.tried(rollout_audit.writes(cluster.log), digest)
        self.assertLessEqual(set(names), approved)

    def test_nodes_that_are_lost_after_they_were_approved(self):
        cluster, names = self.cluster, ["win-012", "win-013"]
        for name in names:
            cluster.put_node(name)
        lost = cluster.start(12, 2, 1)
        try:
            for name in names:
                cluster.server.until(lambda name=name: self.assert_reports(name), 30)
            confirmed = None
            for most, failure, code in ((2, "hold", 0), (1, "hold", 4), (1, "rollback", 4)):
                with self.subTest(most=most, failure=failure):
                    digest = self.push()
                    for name in names:  # only who has read the settings is approved
                        cluster.server.until(lambda name=name, digest=digest: self.assert_pending(name, digest), 30)
                    lost.send_signal(signal.SIGSTOP)
                    self.addCleanup(lost.send_signal, signal.SIGCONT)
                    process = self.start("one", "--max-unreachable", most, "--timeout", 100, "--on-failure", failure)
                    self.lose(process, digest, names)
                    self.assertEqual(self.finish(process), code, process.said)
                    self.assert_proven(digest, sum(map(len, self.assert_waves(
                        cluster, digest, self.CANARIES, self.WAVE, 0, most_unreachable=most))), most_unreachable=most)
                    lost.send_signal(signal.SIGCONT)
                    if code == 0:
                        confirmed = digest
                        continue
                    self.assertIn("can't be reached", process.said)
                    if failure == "rollback":
                        self.await_return(digest, confirmed)
        finally:
            for name in names:
                cluster.server.ask("DELETE", f"/api/v1/nodes/{name}")
            lost.send_signal(signal.SIGCONT)
            lost.terminate()
            lost.wait(60)

    def await_return(self, digest, confirmed):
        """Who was approved has the settings again that were confirmed before, and nobody has the new ones."""
        _, had = rollout_audit.tried(rollout_audit.writes(self.cluster.log), digest)
        self.assertTrue(had)
        end = time.monotonic() + 30
        while True:
            now = {name: state["digest"] for name, state in self.cluster.states().items() if name in had}
            if set(now.values()) == {confirmed}:
                return
            self.assertLess(time.monotonic(), end, now)
            time.sleep(0.3)

    def assert_reports(self, name):
        if name not in self.cluster.states():
            raise Refused(404, f"{name} has said nothing")

    def assert_pending(self, name, digest):
        if self.cluster.states().get(name, {}).get("pending") != digest:
            raise Refused(404, f"{name} has not read the settings")

    def lose(self, process, digest, names):
        """Each one once it is approved."""
        path, ready, left = "/api/v1/nodes/", "Unknown", set(names)
        for name in names:
            self.cluster.server.ask("PATCH", path + name + "/status", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}},
                                    "application/merge-patch+json")
        while left and process.poll() is None:
            for name in sorted(left):
                annotations = self.cluster.server.ask("GET", path + name)["metadata"].get("annotations", {})
                if annotations.get(rollout_audit.APPROVED) == digest:
                    self.cluster.server.ask("PATCH", path + name + "/status", {"status": {"conditions": [{"type": "Ready", "status": ready}]}},
                                            "application/merge-patch+json")
                    left.discard(name)
            time.sleep(0.05)

    def test_nodes_with_a_wrong_clock_try_and_take_back(self):
        cluster = self.cluster
        for name in "win-001", "win-002":
            with self.subTest(name):
                path = f"/api/v1/nodes/{name}"
                cluster.server.ask("PATCH", path, {"metadata": {"labels": {"egress-provisioner/canary": ""}}}, "application/merge-patch+json")
                try:
                    before = {state["digest"] for state in cluster.states().values()}
                    digest = cluster.push(outside.cases()[1][2])
                    process = self.start("one")
                    self.assertEqual(self.finish(process), 4, process.said)
                    self.assertIn(f"{name} took", process.said)
                    waves = self.assert_waves(cluster, digest, 1, self.WAVE, 0)
                    self.assertEqual(waves[-1], [name])
                    self.assertEqual({state["digest"] for state in cluster.states().values()}, before)
                    digest = self.push()
                    process = self.start("one")
                    self.assertEqual(self.finish(process), 0, process.said)
                    self.assertEqual(self.assert_proven(digest)[0], [name])
                finally:
                    with contextlib.suppress(Refused):
                        cluster.server.ask("PATCH", path, {"metadata": {"labels": {"egress-provisioner/canary": None}}}, "application/merge-patch+json")


if __name__ == "__main__":
    unittest.main(verbosity=2)
