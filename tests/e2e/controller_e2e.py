#!/usr/bin/env python3
"""The controller against an API server in this process: user data is current a moment after its source or the operator's script
has changed, and so are the parameters of pods, whoever is killed meanwhile; and neither is ever somebody else's.

usage: controller_e2e.py PROVISIONER [unittest arguments]"""
import base64
import json
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import output_schemas
from canary_words import SIMPLE, holds
from kube_api_server import POLICIES, STATE, ApiServer, Authority, kubeconfig

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
MACHINES = "/api/v1/namespaces/openshift-machine-api"
OURS, THEIRS = f"{MACHINES}/secrets/windows-user-data-kept", f"{MACHINES}/secrets/windows-user-data"
KEEPER = "/apis/apps/v1/namespaces/egress-provisioner/deployments/egress-provisioner-controller"
CONFIRMED = "/api/v1/namespaces/egress-provisioner/secrets/confirmed"
PARAMS = "/api/v1/namespaces/egress-provisioner/configmaps/pod-params"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/openshift-machine-api/leases/egress-provisioner-controller"
SCRIPT = """<powershell>
# %s
New-Item -ItemType Directory -Force C:\\ProgramData\\ssh
</powershell>
<persist>true</persist>
"""


class Controller(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="provisioner-e2e-")))
        self.authority = Authority(self.work, "cluster-ca")
        self.server = ApiServer(self.authority.sign("api", "serverAuth", "IP:127.0.0.1"))
        self.addCleanup(self.server.close)
        (self.work / "config").write_text(kubeconfig(self.server.port, self.authority.pem))
        self.server.put(OURS, labels={"egress-provisioner/keeps": "user-data"})
        self.server.put(LEASE, spec={})
        self.proxy, self.key = "http://one.example.test:3128", "key one"
        self.say()
        self.operator()

    def say(self, proxy=None):
        self.proxy = proxy or self.proxy
        self.server.put_config("rendered-worker-" + re.split("//|@", self.proxy)[-1].split(".")[0], self.proxy, self.authority.pem.read_text())

    def operator(self, key=None):
        self.key = key or self.key
        self.server.put(THEIRS, data={"userData": base64.b64encode((SCRIPT % self.key).encode()).decode()})

    def words(self, *more):
        return [str(PROGRAM), "controller", "--source", "kube:///worker", "--kubeconfig", str(self.work / "config"), "--secret",
                "openshift-machine-api/windows-user-data-kept", "--append-to-secret", "openshift-machine-api/windows-user-data",
                "--platform", "aws", *more]

    def logs(self):
        return "".join(path.read_text() for path in self.work.glob("log*"))

    def start(self, *more):
        return self.launch(self.words(*more))

    def launch(self, words):
        log = open(self.work / f"log{time.monotonic_ns()}", "w")
        process = subprocess.Popen(words, stdout=log, stderr=log)

        def end():
            if process.poll() is None:
                process.kill()
            process.wait()
            log.close()
        self.addCleanup(end)
        return process

    def once(self, *more):
        return subprocess.run(self.words("--once", *more), capture_output=True, text=True, timeout=60)

    def pod_env(self, *words):
        return subprocess.run([str(PROGRAM), "pod-env", "kube:///worker", "--kubeconfig", str(self.work / "config"), *words], capture_output=True, text=True,
                              timeout=60)

    def params(self):
        with self.server.changed:
            return dict(self.server.objects[PARAMS].get("data", {}))

    def wanted_params(self, *words):
        """As pod-env prints them."""
        return json.loads(self.pod_env("--format", "admission-policy", "--output", "json", *words).stdout)["items"][2]["data"]

    def await_params(self, seconds, *trust):
        wanted, end = self.wanted_params(*trust), time.monotonic() + seconds
        while self.params() != wanted:
            self.assertLess(time.monotonic(), end, self.params())
            time.sleep(0.05)

    def put_params(self, **data):
        self.server.put(PARAMS, labels={"egress-provisioner/keeps": "pod-params"}, data=data)

    def state_of_params(self):
        return json.loads(self.server.objects[PARAMS]["metadata"]["annotations"][STATE])

    def user_data(self):
        with self.server.changed:
            data = self.server.objects[OURS].get("data", {})
        return base64.b64decode(data.get("userData", "")).decode()

    def state(self):
        return json.loads(self.server.objects[OURS]["metadata"]["annotations"][STATE])

    def is_current(self):
        """The container is compressed, so `check` compares it with the source; the operator's script is there as it is."""
        (self.work / "secret.json").write_text(json.dumps({**self.server.objects[OURS], "kind": "Secret", "apiVersion": "v1"}))
        (self.work / "theirs.json").write_text(json.dumps({**self.server.objects[THEIRS], "kind": "Secret", "apiVersion": "v1"}))
        done = subprocess.run([str(PROGRAM), "check", "kube:///worker", "--kubeconfig", str(self.work / "config"), "--secret",
                               str(self.work / "secret.json"), "--append-to", str(self.work / "theirs.json")], capture_output=True, text=True)
        return done.returncode == 0

    def await_current(self, seconds):
        end = time.monotonic() + seconds
        while not (self.key in self.user_data() and self.is_current()):
            self.assertLess(time.monotonic(), end, "the user data is not current: " + self.user_data()[-300:])
            time.sleep(0.05)

    def test_once_writes_and_then_there_is_nothing_to_write(self):
        done = self.once()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("windows-user-data-kept: written", done.stdout)
        self.await_current(0)
        version = self.server.version
        self.assertIn(": current", self.once().stdout)
        self.assertEqual(self.server.version, version)
        self.assertEqual(self.state()["version"], subprocess.run([str(PROGRAM), "--version"], capture_output=True, text=True).stdout.split()[1])
        self.assertEqual([o["involvedObject"]["kind"] for at, o in self.server.objects.items() if "/events/" in at], ["Secret"])

    def test_changes_of_both_are_there_within_two_seconds(self):
        self.start()
        self.await_current(20)
        time.sleep(1)  # until it watches
        self.say("http://two.example.test:3128")
        self.await_current(2.5)
        self.operator("key two")
        self.await_current(2.5)
        ours = self.server.objects[OURS]["metadata"]
        self.server.put(OURS, labels=ours["labels"], annotations=ours["annotations"], data={"userData": "eA=="})
        self.await_current(2.5)

    def test_the_one_that_waits_goes_on_after_the_other_stopped(self):
        """It looks at the Lease every five seconds; else it would wait 15 for its end. The password costs a derived key, slow under sanitizers."""
        lease = ("--lease", "openshift-machine-api/egress-provisioner-controller")
        first = self.start(*lease)
        self.await_current(20)
        waits = self.start(*lease)
        time.sleep(1)
        first.terminate()
        self.assertEqual(first.wait(20), 0)
        self.say("http://user:c4nary-word@two.example.test:3128")
        self.await_current(14)
        self.assertIsNone(waits.poll())
        self.say("http://user:c4nary-word@three.example.test:3128")
        self.await_current(14)

    def test_the_parameters_of_pods_are_what_pod_env_prints(self):
        keep = ("--params", "egress-provisioner/pod-params")
        self.put_params()
        done = self.once(*keep)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("egress-provisioner/pod-params: written", done.stdout)
        self.assertIn("windows-user-data-kept: written", done.stdout)
        self.assertEqual(self.params(), self.wanted_params())
        self.assertIn("HTTP_PROXY", self.params())
        state = json.loads(self.server.objects[PARAMS]["metadata"]["annotations"][STATE])
        self.assertEqual((state["digest"], set(state)), (self.state()["digest"], set(self.state())), "the same keys as a Secret's")
        self.put_params(**{"trust-config-map": "user-ca", "trust-key": "all.pem"})
        document = self.once(*keep, "--output", "json")
        output_schemas.check("controller", json.loads(document.stdout))
        self.assertNotIn("error", json.loads(document.stdout))
        self.assertEqual([(one["kind"], one["result"]) for one in json.loads(document.stdout)["kept"]], [("Secret", "current"), ("ConfigMap", "written")])
        self.assertEqual(self.params(), self.wanted_params("--trust", "configmap/user-ca:all.pem"), "what pods trust is a person's choice")
        version = self.server.version
        self.once(*keep)
        self.assertEqual(self.server.version, version)

    def test_a_rotation_reaches_the_parameters_within_two_seconds(self):
        self.put_params(**{"trust-config-map": "user-ca", "trust-key": "all.pem"})
        self.start("--params", "egress-provisioner/pod-params")
        trust = ("--trust", "configmap/user-ca:all.pem")
        self.await_params(20, *trust)
        self.await_current(20)
        time.sleep(1)
        self.say("http://two.example.test:3128")
        self.await_params(2.5, *trust)
        authority = Authority(self.work, "another-ca")
        self.server.put_config("rendered-worker-rotated", self.proxy, authority.pem.read_text())
        self.await_params(2.5, *trust)
        self.put_params(**{"trust-config-map": "user-ca", "trust-key": "all.pem", "HTTP_PROXY": "http://theirs"})
        self.await_params(2.5, *trust)

    def test_no_password_is_anywhere_but_in_the_data(self):
        self.put_params()
        for number, proxy in enumerate(("http://u:%s@p.example.test:3128", "http://u:%s@p.example.test:port", "htp://u:%s@p.example.test:1")):
            self.server.put_config(f"rendered-worker-secret{number}", proxy % SIMPLE, self.authority.pem.read_text())
            for more in ([], ["--output", "json"]):
                done = self.once("--params", "egress-provisioner/pod-params", *more)
                self.assertEqual(done.returncode == 0, number == 0, done.stderr)
                self.assertFalse(holds((done.stdout + done.stderr).encode()), done.stdout + done.stderr)
                self.assertEqual(number == 0, "pod-policy-secret" in done.stdout + done.stderr, "who may read it is said")
            for state in (self.state(), self.state_of_params()):
                self.assertEqual((state["failure"] or {}).get("code"), "fail-open" if number else None)
            with self.server.changed:
                for path, one in self.server.objects.items():
                    if "machineconfigs" not in path:
                        self.assertFalse(holds(json.dumps({**one, "data": None}).encode()), path)
                events = [one for path, one in self.server.objects.items() if "/events/" in path]
            self.assertTrue(events)
            self.assertTrue(holds(self.params()["HTTP_PROXY"].encode()), "pods need it")
            self.assertEqual(self.params()["HTTP_PROXY"], "http://u:%s@p.example.test:3128" % SIMPLE, "the last one that clients use")

    def test_what_bake_refuses_never_reaches_pods(self):
        self.put_params()
        keep = ("--params", "egress-provisioner/pod-params")
        self.assertEqual(self.once(*keep).returncode, 0)
        params, user_data = self.params(), self.user_data()
        for number, proxy in enumerate(("http://h:", "http://h:port", "htp://h:1", "http://", "http://u:p%0a@h", "http://h:99999", "http://h:1/a:b")):
            with self.subTest(proxy=proxy):
                self.server.put_config(f"rendered-worker-broken{number}", proxy, self.authority.pem.read_text())
                done = self.once(*keep)
                self.assertEqual(done.returncode, 12, done.stdout + done.stderr)
                self.assertIn("[fail-open]", done.stderr)
                self.assertIn("pod-params: failed; new pods get the last values", done.stdout)
                self.assertIn("kept: failed; new machines get the last user data", done.stdout)
                self.assertEqual((self.params(), self.user_data()), (params, user_data))
                self.assertEqual(self.state_of_params()["failure"]["code"], "fail-open")
                self.assertEqual(self.state_of_params()["digest"], self.state()["digest"], "of what is there")
        reasons = [one["reason"] for path, one in self.server.objects.items() if "/egress-provisioner/events/" in path]
        self.assertIn("EgressPodParamsFailed", reasons)
        self.say("http://two.example.test:3128")
        self.assertEqual(self.once(*keep).returncode, 0)
        self.assertIsNone(self.state_of_params()["failure"])
        self.assertEqual(self.params()["HTTP_PROXY"], "http://two.example.test:3128")

    def test_who_loses_each_race_pauses(self):
        """As beside a program that keeps writing the object."""
        tries = []

        def lost(request, path, query):
            if query.get("method") != "PATCH" or path != OURS:
                return False
            tries.append(time.monotonic())
            request.status(409, "Conflict", "the object has been modified", {"name": "x", "kind": "secrets"})
            return True
        self.server.faults.append(lost)
        self.start()
        end = time.monotonic() + 20
        while len(tries) < 4:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)
        self.assertGreater(tries[3] - tries[0], 1.5, "more and more slowly")
        begin, before = time.monotonic(), self.server.version
        done = self.once()
        self.assertEqual((done.returncode, self.server.version), (14, before))
        self.assertIn("others keep writing this object", done.stderr)
        self.assertGreater(time.monotonic() - begin, 1)
        self.server.faults.clear()
        self.await_current(15)

    def test_two_with_other_sources_pause(self):
        """Each puts the ConfigMap back, and its watch tells the other at once."""
        (self.work / "proxy.env").write_text("HTTP_PROXY=http://other.example.test:3128\nHTTPS_PROXY=http://other.example.test:3128\n")
        self.put_params()
        writes = []

        def written(_, path, query):
            if query.get("method") == "PATCH" and path == PARAMS:
                writes.append(time.monotonic())
            return False
        self.server.faults.append(written)
        for source in "kube:///worker", str(self.work / "proxy.env"):
            self.launch([str(PROGRAM), "controller", "--source", source, "--kubeconfig", str(self.work / "config"), "--params", "egress-provisioner/pod-params"])
        end = time.monotonic() + 40
        while "[controller-contested]" not in self.logs():
            self.assertLess(time.monotonic(), end, self.logs())
            time.sleep(0.2)
        time.sleep(4)
        before = len(writes)
        time.sleep(10)
        self.assertLessEqual(len(writes) - before, 6, "at most every fourth second each")

    def test_parameters_alone_need_no_secret(self):
        self.put_params()
        words = [str(PROGRAM), "controller", "--source", "kube:///worker", "--kubeconfig", str(self.work / "config"), "--params",
                 "egress-provisioner/pod-params", "--once"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, re.findall(r"\[([a-z-]+)\]", done.stderr)), (0, ["cert-expires-soon"]), "what is to be known of the source")
        self.assertEqual(self.user_data(), "")
        self.server.policies = ["validatingadmissionpolicies"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assertIn("[pod-policy-server]", done.stderr, "a server before 1.36 is named")
        done = subprocess.run([*words, "--platform", "aws"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 10)
        self.server.put(PARAMS, data={"HTTP_PROXY": "theirs"})
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 12, done.stderr)
        self.assertEqual(self.params(), {"HTTP_PROXY": "theirs"})

    def test_fleet_status_lists_the_secret_beside_the_nodes(self):
        fleet = [str(PROGRAM), "fleet", "status", "kube:///worker", "--kubeconfig", str(self.work / "config")]

        def status(*more):
            return subprocess.run([*fleet, *more], capture_output=True, text=True, timeout=60)
        self.assertEqual(status().returncode, 4, "nothing was written yet")
        self.once()
        self.server.put_node("win-1", self.state())
        self.server.put_policies()
        done = status("--output", "json")
        document = json.loads(done.stdout)
        output_schemas.check("fleet-status", document)
        self.assertEqual((done.returncode, document["findings"]), (0, []))
        (secret,), (node,) = document["secrets"], document["nodes"]
        self.assertEqual((secret["namespace"], secret["name"], secret["current"]), ("openshift-machine-api", "windows-user-data-kept", True))
        self.assertEqual(set(secret) - set(node), {"namespace"}, "the same keys as a node's")
        self.assertIn("1 of 1 Secrets with user data are current", status().stdout)
        self.server.put(THEIRS, data={})
        self.once()
        done = status("--output", "json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["secrets"][0]["failure"]["code"]), (4, "kind"))
        self.server.denied = {("list", "secrets")}
        done = status()
        self.assertEqual(done.returncode, 0)
        self.assertIn("[fleet-secrets]", done.stderr)
        self.server.denied = set()
        self.operator()
        self.once()
        self.assertEqual(status().returncode, 0)
        old = {**self.state(), "readAt": "2026-01-01T00:00:00Z"}
        with self.server.changed:
            self.server.objects[OURS]["metadata"]["annotations"][STATE] = json.dumps(old)
        done = status()
        self.assertEqual(done.returncode, 0, "--once does not promise to say so again")
        self.assertIn("[fleet-secret-silent]", done.stderr)
        with self.server.changed:
            self.server.objects[OURS]["metadata"]["annotations"][STATE] = json.dumps({**old, "interval": 300})
        self.assertEqual(status().returncode, 4, "whatever is known of its Deployment")
        with self.server.changed:
            del self.server.objects[OURS]
        self.assertEqual(status().returncode, 0, "nothing says that there is to be one")
        args = ["controller", "--source=kube:///worker", "--secret=openshift-machine-api/windows-user-data-kept"]
        self.server.put(KEEPER, labels={"app.kubernetes.io/name": "egress-provisioner-controller"},
                        spec={"template": {"spec": {"containers": [{"name": "controller", "args": args}]}}})
        done = status("--output", "json")
        output_schemas.check("fleet-status", json.loads(done.stdout))
        self.assertEqual((done.returncode, json.loads(done.stdout)["secrets"][0]["failure"]["code"]), (4, "not-found"))
        self.server.put(OURS, labels={"egress-provisioner/keeps": "user-data"})
        self.once()
        self.assertEqual(status().returncode, 0)
        self.server.put(KEEPER, labels={"app.kubernetes.io/name": "egress-provisioner-controller"}, status={"observedGeneration": 1},
                        spec={"template": {"spec": {"containers": [{"name": "controller", "args": args}]}}})
        done = status()
        self.assertEqual(done.returncode, 4, "no pod of it runs")
        self.assertIn("the Deployment egress-provisioner/egress-provisioner-controller", done.stderr)
        self.assertNotIn("[fleet-policies]", status().stderr)
        with self.server.changed:
            del self.server.objects[f"{POLICIES}/validatingadmissionpolicybindings/egress-provisioner-nodes"]
        self.assertRegex(status().stderr, r"\[fleet-policies\]: .*: egress-provisioner-nodes;")
        self.server.policies = []
        self.assertRegex(status().stderr, r"\[fleet-policies\]: .* older than Kubernetes 1\.30")

    def test_a_secret_of_others_stays(self):
        self.server.put(OURS, data={"userData": "eA=="})
        done = self.once()
        self.assertEqual(done.returncode, 12, done.stderr)
        self.assertIn("[owner]", done.stderr)
        self.assertEqual(self.user_data(), "x")
        document = json.loads(self.once("--output", "json").stdout)
        output_schemas.check("controller", document)
        self.assertEqual((document["error"]["code"], document["kept"][0]["result"]), ("owner", "failed"))

    def test_a_broken_source_leaves_the_last_one(self):
        self.once()
        before = self.user_data()
        self.server.put_config("rendered-worker-broken", "nonsense://", "no PEM")
        done = self.once()
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(self.user_data(), before)
        self.assertIn("failure", self.state())
        self.say()
        self.assertEqual(self.once().returncode, 0)
        self.assertIsNone(self.state().get("failure"))

    def confirm(self):
        """What the source says now is what a rollout has confirmed last."""
        subprocess.run([str(PROGRAM), "bake", "kube:///worker", "--kubeconfig", str(self.work / "config"), "--out", str(self.work / "payload")],
                       capture_output=True, check=True, timeout=60)
        payload = next((self.work / "payload").rglob("egress.json")).parent
        files = [{"path": path.relative_to(payload).as_posix(), "data": base64.b64encode(path.read_bytes()).decode()}
                 for path in sorted(payload.rglob("*")) if path.is_file()]
        settings = json.dumps({"schema": 1, "payload": False, "files": files})  # as a node keeps them
        self.server.put(CONFIRMED, data={"egress.json": base64.b64encode(settings.encode()).decode()})

    def test_with_approval_what_no_rollout_has_confirmed_is_not_kept(self):
        self.put_params()
        keep = ("--params", "egress-provisioner/pod-params", "--approval")
        self.assertEqual(self.once(*keep).returncode, 0)
        self.assertTrue(self.is_current(), "there was no rollout yet")
        self.confirm()
        before, params, digest = self.user_data(), self.params(), self.state()["digest"]
        self.say("http://two.example.test:3128")
        done = self.once(*keep)
        self.assertEqual((done.returncode, done.stderr.count("[approval-first]")), (0, 2), done.stderr)
        self.assertEqual((self.user_data(), self.params(), self.state()["digest"]), (before, params, digest))
        self.assertIn("one.example.test", params["HTTP_PROXY"])
        self.server.put(CONFIRMED, data={"egress.json": "e30="})
        done = self.once(*keep)
        self.assertEqual(done.returncode, 11, done.stderr)
        self.assertEqual((self.user_data(), self.params()), (before, params), "what is proven is not known, so it stays")
        self.assertIn("secrets/confirmed", self.state()["failure"]["message"])
        (self.work / "payload").rename(self.work / "former")
        self.confirm()
        done = self.once(*keep)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("approval-first", done.stderr)
        self.assertTrue(self.is_current())
        self.assertEqual(self.params(), self.wanted_params())

    def test_a_confirmed_rollout_reaches_what_is_kept_within_two_seconds(self):
        self.confirm()
        self.start("--approval")
        self.await_current(30)
        self.say("http://two.example.test:3128")
        time.sleep(3)
        self.assertFalse(self.is_current())
        (self.work / "payload").rename(self.work / "former")
        self.confirm()
        self.await_current(2.5)

    def test_a_stop_amid_a_round_is_no_failure(self):
        self.once()
        before, held, ended = self.state(), threading.Event(), threading.Event()
        self.addCleanup(ended.set)

        def hold(_, path, query):
            if "machineconfigs" in path and "method" not in query:
                held.set()
                ended.wait(30)
            return False
        self.server.faults.append(hold)
        self.say("http://two.example.test:3128")
        process = self.start()
        self.assertTrue(held.wait(20))
        process.terminate()
        self.assertEqual(process.wait(10), 0)
        self.assertEqual(self.logs(), "")
        self.assertEqual(self.state(), before)

    def test_changes_and_kills_with_two_of_them(self):
        seed = 20261128
        print(f"seed {seed}")
        chance = random.Random(seed)
        self.put_params()
        lease = ("--lease", "openshift-machine-api/egress-provisioner-controller", "--params", "egress-provisioner/pod-params")
        running = [self.start(*lease), self.start(*lease)]
        self.await_current(20)
        def written():
            with self.server.changed:
                return [o for _, where, o in self.server.events if o["object"]["metadata"]["name"] == "windows-user-data-kept"]
        for number in range(200):
            if number >= 50 and len(written()) > 5:  # on a busy machine they come later
                break
            if number % 2:
                self.operator(f"key {number}")
            else:
                self.say(f"http://p{number}.example.test:3128")
            time.sleep(chance.random())
            if chance.random() < 0.3:
                killed = chance.randrange(2)
                running[killed].send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM]))
                running[killed].wait()
                running[killed] = self.start(*lease)
        self.await_current(40)
        self.await_params(2.5)  # they follow the Secret
        writes = written()
        self.assertGreater(len(writes), 5)
        keys = []
        for one in writes[1:]:
            script = base64.b64decode(one["object"].get("data", {}).get("userData", "")).decode()
            self.assertTrue(not script or (script.count("<powershell>") == 1 and "</powershell>" in script), script[-200:])
            keys += [int(number) for number in re.findall(r"# key (\d+)", script)]
        self.assertEqual(keys, sorted(keys), "it never goes back to an older one")
        values = [o["object"].get("data", {}) for _, _, o in self.server.events if o["object"]["metadata"]["name"] == "pod-params"]
        proxies = [int(number) for one in values for number in re.findall(r"//p(\d+)\.", one.get("HTTP_PROXY", ""))]
        self.assertEqual(proxies, sorted(proxies))


if __name__ == "__main__":
    unittest.main(verbosity=2)
