#!/usr/bin/env python3
"""A real kube-apiserver with etcd: the rights that `deploy` prints are enough and none can be left out; changes, compaction, a restart
and a frozen watcher; 500 nodes; and what many followers cost.

usage: cluster_e2e.py PROVISIONER KUBE_FOLLOW FLEET_FOLLOWERS [unittest arguments]
  PROVISIONER_CLUSTER=1: else nothing is run (scripts/test --cluster sets it)
  PROVISIONER_FOLLOWERS: how many nodes are simulated (60)

The API server that scripts/kube-api-server builds (1.20) knows neither HostProcess pods nor ValidatingAdmissionPolicies; overlay_e2e.py
tests the latter. Another is named by KUBE_APISERVER and ETCD."""
import copy
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from harness import SAMPLE, argument, folder, must, need, run
from real_api_server import PLURALS, RealApiServer, Refused, cluster_programs, documents

PROGRAM, FOLLOW, FOLLOWERS = (argument() for _ in range(3))
ONE, TWO, THREE = (f"http://{name}.example.test:3128" for name in ("one", "two", "three"))
NODES = int(os.environ.get("PROVISIONER_FOLLOWERS", "60"))
STATE = "egress-provisioner/state"
ROOT_PEM, PROXY_PEM = (SAMPLE.with_name(f"{name}.pem").read_text() for name in ("corporate-root", "proxy-root"))
# Kubernetes 1.33 and later has ClusterTrustBundles, until 1.36 only if asked to.
BUNDLES = ["--feature-gates=ClusterTrustBundle=true", "--runtime-config=certificates.k8s.io/v1beta1/clustertrustbundles=true"]


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = folder(cls)
        programs = cluster_programs()
        minor = int(re.search(r"v1\.(\d+)", must(programs["kube-apiserver"], "--version"))[1])
        cls.server = RealApiServer(programs, cls.work, words=BUNDLES if minor >= 33 else ())
        cls.addClassCleanup(cls.server.close)
        printed = must(PROGRAM, "deploy", "--print", "--image", "registry.example.test/provisioner:1")
        cls.manifests = [d for d in documents(printed) if d["kind"] in PLURALS]
        cls.texts = {text: re.search(r"(?m)^kind: (\w+)$", text)[1] for text in printed.split("\n---\n")}

    def setUp(self):
        for item in self.manifests:
            self.server.apply(copy.deepcopy(item))
        self.server.put_config("rendered-worker-1", ONE)
        self.server.put_node("win-0")
        self.config = self.work / "config"
        self.config.write_text(self.server.kubeconfig(self.server.token()))
        self.admin = self.work / "admin"
        self.admin.write_text(self.server.kubeconfig())

    def run_program(self, *words, config=None):
        done = run(PROGRAM, *words, timeout=300, env={"PATH": os.environ["PATH"], "HOME": str(self.work), "KUBECONFIG": str(config or self.config)})
        self.assertNotIn("c4nary", done.stdout + done.stderr)
        return done

    def followers(self, count, seconds, config=None, interval=60000):
        return subprocess.Popen([FOLLOWERS, str(config or self.config), "kube:///worker", str(count), str(seconds), str(interval)],
                                stdout=subprocess.PIPE, text=True)

    def told(self, count):
        nodes = self.server.ask("GET", "/api/v1/nodes")["items"]
        return [json.loads(n["metadata"]["annotations"][STATE])["digest"] for n in nodes
                if int(n["metadata"]["name"].split("-")[1]) < count and STATE in n["metadata"].get("annotations", {})]

    def await_told(self, count, digest, seconds=120):
        begin = time.monotonic()
        while self.told(count) != [digest] * count:
            self.assertLess(time.monotonic() - begin, seconds, "not all nodes have told that they have it")
            time.sleep(0.3)
        return time.monotonic() - begin

    def digest(self):
        return json.loads(self.run_program("extract", "kube:///worker", config=self.admin).stdout)["digest"]

    def test_kubectl_applies_the_manifests(self):
        """Strictly validated by the server's own schema; that of 1.20 lacks two fields of theirs."""
        need(self, "kubectl")
        words = ["kubectl", "--kubeconfig", self.admin, "apply", "--server-side", "--force-conflicts", "--validate=strict", "-f", "-"]
        known = "\n---\n".join(text for text, kind in self.texts.items() if kind in PLURALS)
        done = run(*words, input=known, timeout=120)
        unknown = ["os", "hostProcess"] if self.server.minor() == 20 else []
        self.assertEqual(re.findall(r'unknown field "(\w+)"', done.stderr), unknown, done.stderr)
        without = re.sub(r"(?m)^ +os:\n +name: windows\n|^ +hostProcess: true\n", "", known) if unknown else known
        for _ in range(2):
            done = run(*words, input=without, timeout=120)
            self.assertEqual((done.returncode, done.stderr.strip()), (0, ""), done.stdout)
            self.assertEqual(done.stdout.count("serverside-applied"), len(self.manifests))
        if self.server.minor() < 30:
            return
        # The policies would keep these tests' tokens, which no pod has, from the nodes.
        texts = [text for text, kind in self.texts.items() if kind != "SecurityContextConstraints"]
        done = run(*words, "--dry-run=server", input="\n---\n".join(texts), timeout=120)
        self.assertEqual((done.returncode, done.stderr.strip()), (0, ""), done.stdout)
        self.assertEqual(done.stdout.count("serverside-applied"), len(texts))

    def test_a_pods_token_has_all_the_rights_that_are_needed(self):
        self.assertEqual(self.run_program("extract", "kube:///worker").returncode, 0)
        follower = self.followers(1, 60)
        self.await_told(1, self.digest(), 30)
        self.server.put_config("rendered-worker-2", TWO)
        self.await_told(1, self.digest(), 30)
        report = json.loads(follower.communicate(timeout=180)[0])
        self.assertEqual(report["failures"], 0)
        self.assertIn("EgressSettings", self.server.events_of("win-0"))

    def follow_trust(self, source, item, replacement):
        """The object is read and watched with what is printed for it as a source, and no other object of its kind is."""
        printed = must(PROGRAM, "deploy", "--print", "--image", "registry.example.test/provisioner:1", "--source", source)
        self.server.apply(item)
        for one in documents(printed):
            if one["metadata"]["name"] == "egress-provisioner-source":
                self.server.apply(one)
        end = time.monotonic() + 30
        while (done := self.run_program("extract", source)).returncode and time.monotonic() < end:
            time.sleep(0.2)  # the server's view of rights follows a moment later
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = json.loads(done.stdout)
        self.assertEqual((len(said["trustBundle"]["certificates"]), said["proxyFile"]["present"]), (1, False))
        other = self.run_program("extract", source.replace("corporate", "other"))
        self.assertRegex(other.stderr, "403 Forbidden|is not among")  # every account may read bundles
        with subprocess.Popen([FOLLOW, str(self.config), source, "60000", "1"], stdout=subprocess.PIPE, text=True) as follower:
            self.assertEqual(follower.stdout.readline(), "waits\n")
            self.server.apply(replacement)
            told = follower.communicate(timeout=120)[0]
        self.assertRegex(told, r"^waited \d{1,4}\n$")
        self.assertEqual(len(json.loads(self.run_program("extract", source).stdout)["trustBundle"]["certificates"]), 2)

    def test_a_config_map_with_certificates(self):
        self.server.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "trust"}})
        item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "corporate", "namespace": "trust"}, "data": {"trust-bundle.pem": ROOT_PEM, "note": "x"}}
        self.follow_trust("kube:///configmap/trust/corporate", item, {**item, "data": {"trust-bundle.pem": ROOT_PEM + PROXY_PEM}})

    def test_a_cluster_trust_bundle(self):
        if self.server.minor() < 33:
            done = self.run_program("extract", "kube:///clustertrustbundle/corporate", config=self.admin)
            self.assertIn("serves no clustertrustbundles in certificates.k8s.io (v1, v1beta1, v1alpha1)", done.stderr)
            return
        version = "v1" if self.server.minor() > 36 else "v1beta1"
        item = {"apiVersion": f"certificates.k8s.io/{version}", "kind": "ClusterTrustBundle", "metadata": {"name": "corporate"}, "spec": {"trustBundle": ROOT_PEM}}
        self.follow_trust("kube:///clustertrustbundle/corporate", item, {**item, "spec": {"trustBundle": ROOT_PEM + PROXY_PEM}})

    def test_it_has_no_others(self):
        token = self.server.token()
        for method, path, body in (("GET", "/api/v1/nodes", None), ("GET", "/api/v1/secrets", None), ("DELETE", "/api/v1/nodes/win-0", None),
                                   ("GET", "/apis/machineconfiguration.openshift.io/v1/machineconfigs", None),
                                   ("GET", "/api/v1/namespaces/default/events", None)):
            with self.assertRaises(Refused) as refused:
                self.server.ask(method, path, body, token=token)
            self.assertEqual(refused.exception.code, 403, path)

    def is_in_force(self, role):
        """Whether the server allows the account what the role says, and nothing else of what is printed for it."""
        def rights(rules):
            return {(group, resource, name, verb) for rule in rules for group in rule["apiGroups"] for resource in rule["resources"]
                    for name in rule.get("resourceNames", [""]) for verb in rule["verbs"]}

        printed = next(item for item in self.manifests if (item["kind"], item["metadata"]["name"]) == (role["kind"], role["metadata"]["name"]))
        place = {key: value for key, value in role["metadata"].items() if key == "namespace"}
        for right in rights(printed["rules"]):
            asked = {**dict(zip(("group", "resource", "name", "verb"), right)), **place}
            review = self.server.ask("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
                "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
                "spec": {"user": "system:serviceaccount:egress-provisioner:egress-provisioner", "resourceAttributes": asked}})
            if review["status"]["allowed"] != (right in rights(role["rules"])):
                return False
        return True

    def change(self, role):
        """The server's own view of rights follows a moment later."""
        self.server.apply(role)
        end = time.monotonic() + 30
        while not self.is_in_force(role) and time.monotonic() < end:
            time.sleep(0.1)

    def test_each_rule_that_is_taken_away_is_named(self):
        """Of get, list and watch of the pool each is asked for by another step."""
        roles = {item["metadata"]["name"]: item for item in self.manifests if item["kind"] in ("ClusterRole", "Role")}

        def without(role, rule, verb, ask):
            item = copy.deepcopy(roles[role])
            item["rules"][rule]["verbs"].remove(verb)
            item["rules"] = [one for one in item["rules"] if one["verbs"]]
            self.change(item)
            answer = ask()
            self.change(copy.deepcopy(roles[role]))
            return answer

        for rule, resource in enumerate(("machineconfigpools", "machineconfigs")):
            done = without("egress-provisioner-source", rule, "get", lambda: self.run_program("extract", "kube:///worker"))
            self.assertEqual(done.returncode, 14, done.stdout)
            self.assertIn(f'resources [\\"{resource}\\"]', done.stdout)
            self.assertIn('verbs [\\"get\\"]', done.stdout)
        for verb in ("list", "watch"):
            done = without("egress-provisioner-source", 0, verb, lambda: run(FOLLOW, self.config, "kube:///worker", "3000", "1", timeout=60))
            self.assertIn(f'verbs ["{verb}"]', done.stdout)
        for verb in ("get", "patch"):
            report = without("egress-provisioner-node", 0, verb, lambda: json.loads(self.followers(1, 3).communicate(timeout=60)[0]))
            self.assertEqual(report["told"], 0, verb)

    def test_without_the_right_to_create_events_there_are_none_and_the_annotation_is_told(self):
        (role,) = (item for item in self.manifests if (item["kind"], item["metadata"]["name"]) == ("ClusterRole", "egress-provisioner-node"))
        self.change({**role, "rules": [rule for rule in role["rules"] if rule["resources"] != ["events"]]})
        self.addCleanup(lambda: self.change(role))
        before = self.server.events_of("win-0")
        follower = self.followers(1, 60)
        self.addCleanup(follower.kill)
        self.await_told(1, self.digest(), 30)
        self.server.put_config("rendered-worker-2", TWO)
        self.await_told(1, self.digest(), 30)
        follower.communicate(timeout=180)
        self.assertEqual(self.server.events_of("win-0"), before)

    def test_five_hundred_nodes(self):
        digest = self.digest()
        state = json.dumps({"schema": 1, "digest": digest})
        for number in range(1, 500):
            self.server.put_node(f"win-{number}", {STATE: state})
        begin = time.monotonic()
        done = self.run_program("fleet", "status", "kube://", "--output", "json", config=self.admin)
        print(f"fleet status of 500 nodes: {time.monotonic() - begin:.2f} s", flush=True)
        document = json.loads(done.stdout)
        self.assertEqual(len(document["nodes"]), 500)
        self.assertEqual([n["name"] for n in document["nodes"] if not n["current"]], [n for n in ["win-0"] if digest not in self.told(1)])

    def test_changes_compaction_a_restart_and_a_frozen_watcher(self):
        follower = self.followers(3, 120)
        self.addCleanup(follower.kill)
        for number in range(1, 3):
            self.server.put_node(f"win-{number}")
        self.await_told(3, self.digest())
        self.server.put_config("rendered-worker-2", TWO)
        print(f"a change: {self.await_told(3, self.digest(), 30):.1f} s", flush=True)
        follower.send_signal(signal.SIGSTOP)
        for number in range(30):
            self.server.put_config(f"rendered-worker-{number + 3}", f"http://p{number}.example.test:1")
        self.server.compact()
        follower.send_signal(signal.SIGCONT)
        print(f"after compaction, frozen: {self.await_told(3, self.digest(), 60):.1f} s", flush=True)
        self.server.stop()
        time.sleep(2)
        self.server.start()
        self.server.put_config("rendered-worker-99", THREE)
        print(f"after a restart of the API server: {self.await_told(3, self.digest(), 90):.1f} s", flush=True)

    def test_what_many_followers_cost(self):
        """All of them start at once, see one change, and outlive a restart; per node and hour."""
        for number in range(NODES):
            self.server.put_node(f"win-{number}")
        seconds = 90
        follower = self.followers(NODES, seconds)
        self.addCleanup(follower.kill)
        self.await_told(NODES, self.digest(), seconds)
        self.server.put_config("rendered-worker-2", TWO)
        print(f"{NODES} nodes after a change: {self.await_told(NODES, self.digest(), 60):.1f} s", flush=True)
        self.server.stop()
        time.sleep(1)
        self.server.start()
        self.server.put_config("rendered-worker-3", THREE)
        print(f"{NODES} nodes after a restart: {self.await_told(NODES, self.digest(), 60):.1f} s", flush=True)
        report = json.loads(follower.communicate(timeout=seconds + 60)[0])
        cpu = sum(float(t) for t in pathlib.Path(f"/proc/{self.server.api.pid}/stat").read_text().rpartition(")")[2].split()[11:13]) / 100
        print(json.dumps({**report, "apiServerCpuSecondsSinceRestart": cpu}), flush=True)
        self.assertLess(report["requests"], NODES * 40, "nobody polls while watches hold")


if __name__ == "__main__":
    unittest.main()
