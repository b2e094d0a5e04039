#!/usr/bin/env python3
"""The controller against a real kube-apiserver, with exactly the rights that `deploy --print --keep-secret --params` prints: the user
data and the parameters of pods are current within two seconds, each right that is taken away is named, and two of them that are killed in turn leave it whole.

usage: controller_cluster_e2e.py PROVISIONER [unittest arguments]
  PROVISIONER_CLUSTER=1: else nothing is run (scripts/test --cluster sets it)"""
import base64
import contextlib
import copy
import json
import os
import random
import re
import signal
import subprocess
import threading
import time
import unittest
import unittest.mock

from harness import argument, folder, must, run
from real_api_server import PLURALS, RealApiServer, Refused, cluster_programs, custom, documents

PROGRAM = argument()
SPACE, NAME, THEIRS = "openshift-machine-api", "windows-user-data-kept", "windows-user-data"
ACCOUNT = "egress-provisioner-controller"
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/egress-provisioner/leases/{ACCOUNT}"
SECRET = f"/api/v1/namespaces/{SPACE}/secrets/{NAME}"
PARAMS = "/api/v1/namespaces/egress-provisioner/configmaps/pod-params"
SCRIPT = "<powershell>\n# %s\nNew-Item -ItemType Directory -Force C:\\ProgramData\\ssh\n</powershell>\n<persist>true</persist>\n"


class ControllerCluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = folder(cls)
        cls.server = RealApiServer(cluster_programs(), cls.work)
        cls.addClassCleanup(cls.server.close)
        printed = must(PROGRAM, "deploy", "--print", "--image", "registry.example.test/provisioner:1", "--keep-secret", f"{SPACE}/{NAME}",
                       "--append-to-secret", f"{SPACE}/{THEIRS}", "--platform", "aws", "--machine-sets", "--params", "egress-provisioner/pod-params")
        cls.manifests = [d for d in documents(printed) if d["kind"] in PLURALS]
        # Without the policy, which few servers know. Its parameters are an object as any other.
        cls.params = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pod-params", "namespace": "egress-provisioner",
                                                                            "labels": {"egress-provisioner/keeps": "pod-params"}}}
        (deployment,) = (d for d in cls.manifests if d["kind"] == "Deployment")
        cls.args = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
        cls.server.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}})
        cls.server.apply(custom("machine.openshift.io", "machinesets", "MachineSet", "Namespaced", "v1beta1"))
        spec = {"template": {"metadata": {"labels": {"machine.openshift.io/os-id": "Windows"}},
                             "spec": {"providerSpec": {"value": {"userDataSecret": {"name": NAME}}}}}}
        sets = {"apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineSet", "metadata": {"name": "winworker", "namespace": SPACE}, "spec": spec}
        cls.server.until(lambda: cls.server.apply(sets))

    def setUp(self):
        for item in self.manifests:
            self.server.apply(copy.deepcopy(item))
        self.server.apply(copy.deepcopy(self.params))
        self.proxy, self.key = "http://one.example.test:3128", "key one"
        self.say()
        self.operator()
        (self.work / "config").write_text(self.server.kubeconfig(self.server.token(ACCOUNT)))
        (self.work / "admin").write_text(self.server.kubeconfig())

    def say(self, proxy=None):
        self.proxy = proxy or self.proxy
        self.server.put_config("rendered-worker-" + self.proxy.split("//")[1].split(".")[0], self.proxy, self.server.authority.pem.read_text())

    def operator(self, key=None):
        self.key = key or self.key
        self.server.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": THEIRS, "namespace": SPACE},
                           "data": {"userData": base64.b64encode((SCRIPT % self.key).encode()).decode()}})

    def words(self, *more):
        """Those of the Deployment, with a kubeconfig of the account in the place of what a pod has."""
        args = [f"--kubeconfig={self.work / 'config'}" if arg.startswith("--kubeconfig=") else arg for arg in self.args]
        return [PROGRAM, *args, *more]

    def start(self):
        log = open(self.work / f"log{time.monotonic_ns()}", "w")
        process = subprocess.Popen(self.words(), stdout=log, stderr=log, env={"PATH": os.environ["PATH"], "HOME": str(self.work)})

        def end():
            if process.poll() is None:
                process.kill()
            process.wait()
            log.close()
        self.addCleanup(end)
        return process

    def secret(self):
        return self.server.ask("GET", SECRET)

    def is_current(self):
        ours = self.secret()
        script = base64.b64decode(ours.get("data", {}).get("userData", "")).decode()
        if self.key not in script:
            return False
        if self.server.ask("GET", PARAMS).get("data", {}).get("HTTP_PROXY") != self.proxy:
            return False
        (self.work / "ours.json").write_text(json.dumps(ours))
        (self.work / "theirs.json").write_text(json.dumps(self.server.ask("GET", f"/api/v1/namespaces/{SPACE}/secrets/{THEIRS}")))
        return run(PROGRAM, "check", "kube:///worker", "--kubeconfig", self.work / "admin", "--secret", self.work / "ours.json",
                   "--append-to", self.work / "theirs.json").returncode == 0

    def await_current(self, seconds):
        begin = time.monotonic()
        while not self.is_current():
            self.assertLess(time.monotonic() - begin, seconds, "the user data is not current")
            time.sleep(0.05)
        return time.monotonic() - begin

    def test_changes_arrive_within_two_seconds(self):
        self.start()
        self.await_current(30)
        time.sleep(1)
        for number in range(5):
            self.say(f"http://q{number}.example.test:3128")
            self.assertLess(self.await_current(10), 2.5)
            self.operator(f"key q{number}")
            self.assertLess(self.await_current(10), 2.5)
        text = "".join(path.read_text() for path in self.work.glob("log*"))
        self.assertEqual("pod-policy-server" in text, self.server.minor() < 36, text)

    def test_the_account_may_do_nothing_else(self):
        token = self.server.token(ACCOUNT)
        other = f"/api/v1/namespaces/{SPACE}/secrets"
        for method, path, body in (("GET", other, None), ("POST", other, {"metadata": {"name": "x"}}), ("DELETE", SECRET, None),
                                   ("PATCH", f"{other}/{THEIRS}", {"data": {}}), ("GET", "/api/v1/nodes", None), ("DELETE", PARAMS, None),
                                   ("GET", PARAMS.rsplit("/", 1)[0], None)):
            with self.assertRaises(Refused) as refused:
                self.server.ask(method, path, body, kind="application/merge-patch+json" if method == "PATCH" else "application/json", token=token)
            self.assertEqual(refused.exception.code, 403, (method, path))

    def test_each_right_that_is_taken_away_is_named(self):
        roles = [d for d in self.manifests if d["kind"] in ("Role", "ClusterRole")]
        asked = 0
        for role in roles:
            for number, rule in enumerate(role["rules"]):
                for verb in rule["verbs"]:
                    with self.subTest(role=role["metadata"], resource=rule["resources"], verb=verb):
                        less = copy.deepcopy(role)
                        less["rules"][number]["verbs"].remove(verb)
                        less["rules"] = [one for one in less["rules"] if one["verbs"]]
                        self.server.apply(less)
                        self.addCleanup(self.server.apply, copy.deepcopy(role))
                        self.server.apply({**copy.deepcopy(next(d for d in self.manifests if d["kind"] == "Secret"))})
                        self.server.apply(copy.deepcopy(self.params))
                        text = self.refusal(rule["resources"][0], verb)
                        self.server.apply(copy.deepcopy(role))
                        self.assertIn(f'resources ["{rule["resources"][0]}"]', text)
                        self.assertIn(f'verbs ["{verb}"]', text)
                        asked += 1
        self.assertGreaterEqual(asked, 20)

    def refusal(self, resource, verb):
        """What a controller says that lacks a right; the server's own view of rights follows a moment later."""
        end = time.monotonic() + 30
        said = re.compile(r'resources \["%s"\].*verbs \["%s"\]' % (resource, verb))
        while True:
            process = self.start()
            text, enough = "", time.monotonic() + 6
            while not said.search(text) and time.monotonic() < enough:
                time.sleep(0.2)
                text = "".join(path.read_text() for path in self.work.glob("log*"))
            process.terminate()  # so that the next one need not wait for the Lease
            process.wait(20)
            for path in self.work.glob("log*"):
                path.unlink()
            if said.search(text) or time.monotonic() > end:
                return text

    def test_who_is_stopped_gives_the_lease_back(self):
        first = self.start()
        self.await_current(30)
        self.assertTrue(self.server.ask("GET", LEASE)["spec"]["holderIdentity"])
        first.terminate()
        self.assertEqual(first.wait(20), 0)
        self.assertFalse(self.server.ask("GET", LEASE)["spec"].get("holderIdentity"))
        self.say("http://two.example.test:3128")
        self.start()
        self.await_current(5)  # less than a Lease lasts

    def test_data_that_the_server_refuses_are_said(self):
        self.start()
        self.await_current(30)
        self.server.ask("PATCH", SECRET, {"immutable": True}, "application/merge-patch+json")
        self.say("http://two.example.test:3128")
        end, state = time.monotonic() + 20, {}
        while not state.get("failure"):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.2)
            state = json.loads(self.secret()["metadata"]["annotations"]["egress-provisioner/state"])
        self.assertIn("immutable", state["failure"]["message"])
        self.server.ask("DELETE", SECRET)
        self.server.apply(copy.deepcopy(next(d for d in self.manifests if d["kind"] == "Secret")))
        self.await_current(15)

    def test_a_missing_secret_and_its_machine_sets_are_named(self):
        fleet = [PROGRAM, "fleet", "status", "kube:///worker", "--kubeconfig", self.work / "admin"]
        self.start()
        self.await_current(30)
        self.assertEqual(run(*fleet).returncode, 0)
        self.server.ask("DELETE", SECRET)
        end, reasons = time.monotonic() + 20, {}
        while set(reasons) != {"Secret", "MachineSet"}:
            self.assertLess(time.monotonic(), end, reasons)
            time.sleep(0.2)
            items = self.server.ask("GET", f"/api/v1/namespaces/{SPACE}/events")["items"]
            reasons = {one["involvedObject"]["kind"]: one for one in items if "not among the secrets" in one["message"]}
        made = self.server.ask("GET", f"/apis/machine.openshift.io/v1beta1/namespaces/{SPACE}/machinesets/winworker")
        self.assertEqual(reasons["MachineSet"]["involvedObject"]["uid"], made["metadata"]["uid"])
        done = run(*fleet)
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertIn("[not-found]", done.stdout)
        self.server.apply(copy.deepcopy(next(d for d in self.manifests if d["kind"] == "Secret")))
        self.await_current(15)
        uid = self.secret()["metadata"]["uid"]
        items = self.server.ask("GET", f"/api/v1/namespaces/{SPACE}/events")["items"]
        self.assertIn(uid, [one["involvedObject"].get("uid") for one in items], "as kubectl describe looks for it")
        self.assertEqual(run(*fleet).returncode, 0)

    def test_two_of_them_killed_at_random(self):
        seed = 20261129
        print(f"seed {seed}")
        chance = random.Random(seed)
        running = [self.start(), self.start()]
        self.await_current(40)
        keys, proxies = [], []
        for number in range(50):
            self.operator(f"key {number}") if number % 2 else self.say(f"http://p{number}.example.test:3128")
            time.sleep(chance.random() * 0.6)
            script = base64.b64decode(self.secret()["data"]["userData"]).decode()
            self.assertEqual((script.count("<powershell>"), script.count("</powershell>")), (1, 1), "half of one")
            keys += [int(found) for found in re.findall(r"# key (\d+)", script)]
            proxies += [int(found) for found in re.findall(r"//p(\d+)\.", self.server.ask("GET", PARAMS)["data"]["HTTP_PROXY"])]
            if chance.random() < 0.3:
                which = chance.randrange(2)
                running[which].send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM]))
                running[which].wait()
                running[which] = self.start()
        self.await_current(40)
        self.assertEqual((keys, proxies), (sorted(keys), sorted(proxies)), "it never goes back to an older one")


class RolloutsOfTheController(unittest.TestCase):
    """With exactly the rights of `deploy --approval` for both halves. The nodes are this test's: they do what a node with --approval
    does, and nothing behind them runs."""
    WINDOWS = [f"win-{number}" for number in range(6)]
    CONFIRMED = "/api/v1/namespaces/egress-provisioner/secrets/confirmed"

    def setUp(self):
        self.work = folder(self)
        self.server = RealApiServer(cluster_programs(), self.work)
        self.addCleanup(self.server.close)
        self.has_policies = self.server.minor() >= 30
        kinds = {**PLURALS, **({"ValidatingAdmissionPolicy": "validatingadmissionpolicies",
                                "ValidatingAdmissionPolicyBinding": "validatingadmissionpolicybindings"} if self.has_policies else {})}
        self.enterContext(unittest.mock.patch.dict(PLURALS, kinds))
        keep = ["--keep-secret", f"{SPACE}/{NAME}", "--platform", "aws"]
        self.server.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": SPACE}})
        for words in ["--platform", "kubernetes", "--source", "kube:///worker"], keep:
            printed = documents(must(PROGRAM, "deploy", "--print", "--image", "registry.example.test/provisioner:1", "--approval", *words))
            for item in printed:
                if item["kind"] in kinds:
                    self.server.apply(item)
        (deployment,) = (d for d in printed if d["kind"] == "Deployment")
        self.args = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
        (self.work / "config").write_text(self.server.kubeconfig(self.server.token(ACCOUNT)))
        (self.work / "admin").write_text(self.server.kubeconfig())
        self.bad, self.stop = set(), threading.Event()
        self.second, self.first = self.say("two"), self.say("one")
        for name in self.WINDOWS:
            self.server.put_node(name)
            self.server.ask("PATCH", f"/api/v1/nodes/{name}/status", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}},
                            "application/merge-patch+json")
            self.tell(name, self.first)
        thread = threading.Thread(target=self.be_nodes, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.stop.set)

    def say(self, proxy):
        """Puts these settings into the source; returns their digest."""
        self.server.put_config(f"rendered-worker-{proxy}", f"http://{proxy}.example.test:3128", self.server.authority.pem.read_text())
        self.source = json.loads(must(PROGRAM, "extract", "kube:///worker", "--kubeconfig", self.work / "admin", "--output", "json"))["digest"]
        return self.source

    def tell(self, name, digest, trial=None):
        state = {"schema": 1, "digest": digest, "pending": None if digest == self.source else self.source, "trial": trial}
        self.server.ask("PATCH", f"/api/v1/nodes/{name}", {"metadata": {"annotations": {"egress-provisioner/state": json.dumps(state)}}},
                        "application/merge-patch+json")

    def nodes(self):
        """{name: (state, approved digest)}"""
        found = {}
        for item in self.server.ask("GET", "/api/v1/nodes")["items"]:
            notes = item["metadata"]["annotations"]
            found[item["metadata"]["name"]] = json.loads(notes["egress-provisioner/state"]), notes.get("egress-provisioner/approved")
        return found

    def be_nodes(self):
        while not self.stop.wait(0.2):
            with contextlib.suppress(OSError):
                for name, (state, approved) in self.nodes().items():
                    self.step(name, state, approved)

    def step(self, name, state, approved):
        trial = state["trial"] or {}
        if approved != self.source or state["digest"] == approved or trial.get("digest") == approved:
            return
        if approved in self.bad:
            self.tell(name, state["digest"], {"digest": approved, "attempt": 9, "result": "rolledBack", "reason": "no answer"})
        else:
            self.tell(name, approved, {"digest": approved, "attempt": 9, "result": "confirmed"})

    def launch(self, name="log"):
        words = [f"--kubeconfig={self.work / 'config'}" if arg.startswith("--kubeconfig=") else arg for arg in self.args]
        with open(self.work / name, "w") as out:
            process = subprocess.Popen([PROGRAM, *words], stdout=out, stderr=out,
                                       env={"PATH": os.environ["PATH"], "HOME": str(self.work), "POD_NAME": name})
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def start(self):
        self.launch()
        return self.work / "log"

    def wish(self, **data):
        self.server.apply({"apiVersion": "v1", "kind": "ConfigMap",
                           "metadata": {"name": "egress-provisioner-rollout", "namespace": "egress-provisioner"}, "data": data})

    def await_that(self, what, seconds=60):
        end = time.monotonic() + seconds
        while not (found := what()):
            self.assertLess(time.monotonic(), end, (self.work / "log").read_text())
            time.sleep(0.2)
        return found

    def record(self):
        try:
            note = self.server.ask("GET", self.CONFIRMED)["metadata"].get("annotations", {}).get("egress-provisioner/rollout")
        except Refused:
            return None
        return note and json.loads(note)

    def ended(self, digest, phase):
        record = self.record()
        return record and (record["order"]["digest"], record["progress"]["phase"]) == (digest, phase)

    def kept_digest(self):
        note = self.server.ask("GET", SECRET)["metadata"].get("annotations", {}).get("egress-provisioner/state")
        return note and json.loads(note)["digest"]

    def test_it_rolls_out_what_is_new_and_keeps_what_is_proven(self):
        log = self.start()
        self.await_that(lambda: self.kept_digest() == self.first)
        self.assertIsNone(self.record(), "nobody has asked for rollouts")
        self.wish(canary="2", wave="2", soak="1", trial="60", timeout="60")
        self.await_that(lambda: self.ended(self.first, "done"))
        self.say("two")
        self.await_that(lambda: self.ended(self.second, "open"))
        self.assertEqual(self.kept_digest(), self.first, "new machines get what is proven")
        self.await_that(lambda: self.ended(self.second, "done"))
        self.assertEqual({state["digest"] for state, _ in self.nodes().values()}, {self.second})
        self.await_that(lambda: self.kept_digest() == self.second, 5)
        bad = self.say("three")
        self.bad.add(bad)
        self.await_that(lambda: self.ended(bad, "failed"))
        self.assertEqual({state["digest"] for state, _ in self.nodes().values()}, {self.second})
        canaries = {name for name, (state, _) in self.nodes().items() if state["trial"]["digest"] == bad}
        self.assertEqual(len(canaries), 2)
        self.assertEqual({name for name, (_, approved) in self.nodes().items() if approved == bad}, canaries)
        self.assertEqual(self.kept_digest(), self.second)
        text = self.await_that(lambda: "does not try these settings again" in log.read_text() and log.read_text())
        self.assertIn("[approval-first]", text)
        time.sleep(3)
        self.assertTrue(self.ended(bad, "failed"), "it is not tried again")
        good = self.say("four")
        self.await_that(lambda: self.ended(good, "done"))

    def coordinator(self):
        """A kubeconfig of an account that is bound as provisioner/docs/fleet.md says."""
        space, group = "egress-provisioner", "rbac.authorization.k8s.io"
        self.server.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "ci", "namespace": space}})
        for kind, role in ("ClusterRole", "egress-provisioner-rollout"), ("ClusterRole", "egress-provisioner-source"), ("Role", "egress-provisioner-rollout"):
            self.server.apply({"apiVersion": f"{group}/v1", "kind": kind + "Binding",
                               "metadata": {"name": "ci-" + role, **({"namespace": space} if kind == "Role" else {})},
                               "roleRef": {"apiGroup": group, "kind": kind, "name": role},
                               "subjects": [{"kind": "ServiceAccount", "name": "ci", "namespace": space}]})
        (self.work / "ci").write_text(self.server.kubeconfig(self.server.token("ci")))

    def roll(self):
        return run(PROGRAM, "fleet", "rollout", "kube:///worker", "--kubeconfig", self.work / "ci", "--soak", "0", "--wave", "100%")

    def test_who_runs_it_elsewhere_needs_each_right_and_no_more(self):
        self.coordinator()
        done = self.roll()
        self.assertEqual(done.returncode, 0, done.stderr)
        asked = 0
        for path in "/clusterroles", "/namespaces/egress-provisioner/roles":
            path = f"/apis/rbac.authorization.k8s.io/v1{path}/egress-provisioner-rollout"
            role = self.server.ask("GET", path)
            for number, rule in enumerate(role["rules"]):
                for verb in set(rule["verbs"]) - {"approve"}:  # by which the policy finds the account
                    less = copy.deepcopy(role["rules"])
                    less[number]["verbs"].remove(verb)
                    less = [one for one in less if one["verbs"]]
                    with self.subTest(resource=rule["resources"], verb=verb):
                        self.server.ask("PATCH", path, {"rules": less}, "application/merge-patch+json")
                        time.sleep(2)  # the server's own view of rights follows
                        self.server.ask("DELETE", self.CONFIRMED)
                        self.server.ask("DELETE", "/apis/coordination.k8s.io/v1/namespaces/egress-provisioner/leases/egress-provisioner-rollout")
                        self.say(f"n{asked}")
                        done = self.roll()
                        self.server.ask("PATCH", path, {"rules": role["rules"]}, "application/merge-patch+json")
                        time.sleep(2)
                        self.assertIn(f'resources ["{rule["resources"][0]}"]', done.stderr)
                        self.assertIn(f'verbs ["{verb}"]', done.stderr)
                        self.assertEqual(self.roll().returncode, 0)
                        asked += 1
        self.assertEqual(asked, 8)

    def test_after_a_crash_the_other_one_goes_on(self):
        running = {"log": self.launch()}
        self.await_that(lambda: self.kept_digest() == self.first)
        running["other"] = self.launch("other")
        self.wish(canary="1", wave="1", soak="2")
        self.await_that(lambda: self.ended(self.first, "done"))
        self.say("two")
        self.await_that(lambda: self.ended(self.second, "open") and self.record()["progress"]["wave"] == 2)
        attempt = self.record()["order"]["attempt"]
        running["log"].kill()
        self.assertNotIn("rollout", (self.work / "other").read_text(), "it does not lead")
        self.await_that(lambda: self.ended(self.second, "done"), 120)
        self.assertEqual(self.record()["order"]["attempt"], attempt, "the same one")
        self.assertIn("rollout of", (self.work / "other").read_text())

    def test_without_the_right_to_the_confirmed_settings_nothing_new_is_kept(self):
        log = self.start()
        self.await_that(lambda: self.kept_digest() == self.first)
        before = self.server.ask("GET", SECRET)["data"]
        for kind in "waits", "rollout":
            self.server.ask("DELETE", f"/apis/rbac.authorization.k8s.io/v1/namespaces/egress-provisioner/rolebindings/{ACCOUNT}-{kind}")
        time.sleep(1)
        self.say("two")
        self.await_that(lambda: "secrets" in log.read_text() and "confirmed" in log.read_text())
        self.assertEqual(self.server.ask("GET", SECRET)["data"], before)


if __name__ == "__main__":
    unittest.main(verbosity=2)
