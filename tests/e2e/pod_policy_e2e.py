#!/usr/bin/env python3
"""What the admission policy that pod-env prints makes of 60 pods of every shape equals what pod-env's patches say of them. Its expressions
are evaluated by cel.py, and by a real kube-apiserver where there is one that knows such policies.

usage: pod_policy_e2e.py PROVISIONER [unittest arguments]
  KUBE_APISERVER, ETCD: programs; the API server is of Kubernetes 1.36 or later, which no script here builds
  KUBE_CONTROLLER_MANAGER: of the same version; makes pods of Deployments, StatefulSets, DaemonSets and Jobs
  PROVISIONER_SEED: of the pods (7)"""
import base64
import contextlib
import copy
import json
import os
import random
import ssl
import subprocess
import threading
import time
import unittest

from cel import CelError, Evaluator, admit
from harness import Handler, argument, folder, must, run, serve, skip
import real_api_server
from real_api_server import RealApiServer, Refused, documents, named_programs

PROGRAM = argument()
SEED = int(os.environ.get("PROVISIONER_SEED", "7"))
SPACE, PARAMS = "shop", ("egress-provisioner", "pod-params")
OPT_OUT = "kubernetes.azure.com/no-http-proxy-vars"
DIGEST = "egress-provisioner/pod-params"
PROXY = "HTTP_PROXY=http://u:c4nAry$(X)$$@p.example.test:3128\nHTTPS_PROXY=http://p.example.test:3129\nNO_PROXY=localhost,.svc,10.0.0.0/8\n"
SIX = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy")
TRUST = ["--trust", "configmap/user-ca:all.pem"]
POLICIES = {"MutatingAdmissionPolicy": "mutatingadmissionpolicies", "MutatingAdmissionPolicyBinding": "mutatingadmissionpolicybindings",
            "ConfigMap": "configmaps", "RuntimeClass": "runtimeclasses", "StatefulSet": "statefulsets", "Job": "jobs",
            "MutatingWebhookConfiguration": "mutatingwebhookconfigurations", "ValidatingAdmissionPolicy": "validatingadmissionpolicies"}
RUNTIME_CLASS = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "win"}, "handler": "runhcs",
                 "scheduling": {"nodeSelector": {"kubernetes.io/os": "windows"}}}


def affinity(*terms):
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [dict(zip(("key", "operator", "values"), one)) for one in term]} for term in terms]}}}}


WINDOWS, LINUX = ("kubernetes.io/os", "In", ["windows"]), ("kubernetes.io/os", "NotIn", ["windows"])
SYSTEMS = [
    {}, {"os": {"name": "windows"}}, {"os": {"name": "linux"}}, {"runtimeClassName": "win"},
    {"nodeSelector": {"kubernetes.io/os": "windows"}}, {"nodeSelector": {"beta.kubernetes.io/os": "windows"}},
    {"nodeSelector": {"node.kubernetes.io/windows-build": "10.0.20348"}}, {"nodeSelector": {"node-role.kubernetes.io/infra": ""}},
    {"nodeSelector": {"disk": "fast"}}, affinity([WINDOWS]), affinity([LINUX]), affinity([WINDOWS], [LINUX]),
    affinity([("disk", "Exists"), WINDOWS], [("node.kubernetes.io/windows-build", "Exists")]), affinity([("disk", "In", ["fast"])]),
    affinity([("node.kubernetes.io/windows-build", "DoesNotExist")]), affinity([("kubernetes.io/os", "NotIn", ["linux", "x"])]),
    affinity([("node-role.kubernetes.io/master", "Exists")]), affinity([("kubernetes.io/os", "In", ["windows", "linux"])]),
    {**affinity([WINDOWS]), "nodeSelector": {"kubernetes.io/os": "windows"}},
]
FROM = {"secretKeyRef": {"name": "s", "key": "k"}}
ENVIRONMENTS = [
    {}, {"env": [{"name": "HTTP_PROXY", "value": "http://mine:1"}]}, {"env": [{"name": "http_proxy", "value": "http://mine:1"}]},
    {"env": [{"name": "Http_Proxy", "value": "http://mine:1"}, {"name": "no_PROXY", "value": "mine"}]}, {"env": [{"name": "NO_PROXY"}]},
    {"env": [{"name": "HTTPS_PROXY", "valueFrom": FROM}, {"name": "A", "value": "b"}]},
    {"env": [{"name": "A", "value": "b"}, {"name": "https_proxy", "value": "$(A)"}]},
    {"env": [{"name": name, "value": ""} for name in SIX]}, {"env": [{"name": "SSL_CERT_FILE", "value": "/mine"}]},
    {"env": [{"name": "ssl_cert_file", "value": "/mine"}, {"name": "Curl_CA_Bundle", "value": "x"}]},
    {"envFrom": [{"configMapRef": {"name": "unknown"}}]}, {"env": []},
    {"env": [{"name": "HTTPS_PROXY", "value": "http://p.example.test:3129"}, {"name": "NO_PROXY", "value": "other"}]},
]
MOUNTS = [
    [], [], [{"name": "own", "mountPath": "/data"}], [{"name": "own", "mountPath": "/etc/egress-trust"}],
    [{"name": "own", "mountPath": "c:\\Egress-Trust"}], [{"name": "egress-trust", "mountPath": "/certificates"}],
    [{"name": "own", "mountPath": "/etc//egress-trust/"}], [{"name": "own", "mountPath": "C:/./egress-trust/"}],
    [{"name": "own", "mountPath": "/egress-trust"}], [{"name": "same", "mountPath": "/etc/./egress-trust"}],
    [{"name": "same", "mountPath": "\\egress-trust\\"}], [{"name": "own", "mountPath": "/etc/egress-trust/more"}],
    [{"name": "egress-trust", "mountPath": "/etc/egress-trust/"}],
    [{"name": "same", "mountPath": "/etc/egress-trust"}, {"name": "own", "mountPath": "/etc/egress-trust/"}],
]
# What the pod's volume of the policy's name is; the user's ConfigMap is that of TRUST.
VOLUMES = [{"configMap": {"name": "user-ca"}}] * 4 + [{"emptyDir": {}}, {"configMap": {"name": "another"}}]
ANNOTATIONS = [{}, {}, {}, {OPT_OUT: "true"}, {OPT_OUT: "yes"}, {"x": "y"}]


def container(name, environment, mounts):
    return {"name": name, "image": "registry.example.test/app:1", **copy.deepcopy(environment), **({"volumeMounts": copy.deepcopy(mounts)} if mounts else {})}


def pods():
    """Each item of each list is in some pod; the rest is by chance."""
    chance, out = random.Random(SEED), []

    def take(items, index):
        return items[index] if index < len(items) else chance.choice(items)

    for index in range(60):
        lists = {"containers": [container(f"c{n}", take(ENVIRONMENTS, index + 7 * n) if n == 0 else chance.choice(ENVIRONMENTS),
                                          take(MOUNTS, index) if n == 0 else chance.choice(MOUNTS)) for n in range(1 + index % 3)]}
        if index % 2:
            lists["initContainers"] = [container(f"i{n}", chance.choice(ENVIRONMENTS), chance.choice(MOUNTS)) for n in range(1 + index % 2)]
        spec = {**copy.deepcopy(take(SYSTEMS, index)), **lists}
        names = {m["name"] for each in lists.values() for c in each for m in c.get("volumeMounts", [])}
        volumes = [{"name": "own", "emptyDir": {}}] if "own" in names else []
        if "same" in names:
            volumes.append({"name": "same", "configMap": {"name": "user-ca"}})
        if "egress-trust" in names or index % 8 == 5:
            volumes.append({"name": "egress-trust", **copy.deepcopy(chance.choice(VOLUMES))})
        if volumes:
            spec["volumes"] = volumes
        metadata = {"name": f"pod-{index:02}", "namespace": SPACE}
        if annotations := take(ANNOTATIONS, index):
            metadata["annotations"] = dict(annotations)
        out.append({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    return out


def unusual_pods():
    """What has entries twice where a merge has a key for them, and what is large: an API server limits what expressions may cost."""
    def many(count, **more):
        return [{"name": f"c{n}", "image": "i", **copy.deepcopy(more)} for n in range(count)]

    def variables(count):
        return [{"name": f"V{n}", "value": "x"} for n in range(count)]

    twice = {"env": [{"name": name, "value": value} for name, value in (("A", "1"), ("HTTP_PROXY", "$(A)"), ("A", "2"), ("HTTP_PROXY", "x"))],
             "ports": [{"containerPort": 53, "protocol": protocol, "name": name}
                       for protocol, name in (("TCP", "a"), ("UDP", "b"), ("TCP", "c"))]}
    specs = [
        {"containers": many(2, **twice), "initContainers": [{"name": "sidecar", "image": "i", "restartPolicy": "Always", **copy.deepcopy(twice)}],
         "imagePullSecrets": [{"name": "s"}, {"name": "s"}], "tolerations": 2 * [{"key": "k", "operator": "Exists"}],
         "hostAliases": [{"ip": "192.0.2.1", "hostnames": [name]} for name in "ab"]},
        {"containers": many(1, env=variables(1000))},
        {"containers": many(30, env=variables(100)), "os": {"name": "windows"}},
        {"containers": many(300)},
        {"containers": many(1), **affinity(*50 * [20 * [WINDOWS]])},
    ]
    return [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"unusual-{n}", "namespace": SPACE}, "spec": spec} for n, spec in enumerate(specs)]


def scheduled(pod):
    """The API server's own admission adds the RuntimeClass' selector before the policies."""
    pod = copy.deepcopy(pod)
    if pod["spec"].get("runtimeClassName") == "win":
        pod["spec"].setdefault("nodeSelector", {}).update(RUNTIME_CLASS["scheduling"]["nodeSelector"])
    return pod


def patched(pod, operations):
    """The pod with what a JSON patch adds. A policy replaces no value and imports nothing; and its volume is optional."""
    pod = copy.deepcopy(pod)
    for operation in operations or []:
        parts = operation["path"].split("/")[1:]
        if operation["op"] != "add" or "lifecycle" in parts:
            continue
        at = pod
        for part in parts[:-1]:
            at = at[int(part)] if isinstance(at, list) else at[part]
        value = copy.deepcopy(operation["value"])
        if parts[1] == "volumes":
            for volume in value if isinstance(value, list) else [value]:
                volume["configMap"]["optional"] = True
        if parts[-1] == "-":
            at.append(value)
        else:
            at[parts[-1]] = value
    return pod


def shape(pod, theirs=()):
    """What is compared: the variables and mounts of each container, in order, and the volumes; without `theirs`."""
    spec = pod["spec"]

    def mounts(one):
        return [{key: value for key, value in mount.items() if key != "recursiveReadOnly"} for mount in one.get("volumeMounts", []) if mount["name"] not in theirs]

    # A server leaves out an empty value.
    lists = {name: [(c["name"], [{key: value for key, value in v.items() if value != ""} for v in c.get("env") or []], mounts(c)) for c in spec.get(name, [])]
             for name in ("containers", "initContainers")}
    volumes = []
    for volume in spec.get("volumes", []):
        if volume["name"] not in theirs:
            if "configMap" in volume:
                volume = {**volume, "configMap": {key: value for key, value in volume["configMap"].items() if key != "defaultMode"}}
            volumes.append(volume)
    return {**lists, "volumes": volumes}


class Base(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        print(f"PROVISIONER_SEED={SEED}", flush=True)
        cls.work = folder(cls)
        (cls.work / "proxy.env").write_text(PROXY)
        cls.pods = pods()
        (cls.work / "pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": cls.pods + [RUNTIME_CLASS]}))

    def program(self, *words, **options):
        return must(PROGRAM, "pod-env", self.work / "proxy.env", *words, **options)

    def printed(self, *words):
        return documents(self.program("--format", "admission-policy", *words))

    def wanted(self, *words):
        """{name: the pod as pod-env's patch makes it}, and which of them the patch leaves as they are."""
        document = json.loads(self.program("--pod", self.work / "pods.json", "--patch", "json", "--show-secrets", *words))
        self.assertEqual([o["name"] for o in document["objects"]], [p["metadata"]["name"] for p in self.pods])
        self.assertEqual(len(self.pods), 60)
        self.assertGreater(sum(o["os"] == "windows" for o in document["objects"]), 10)
        self.assertGreater(sum(o["optedOut"] for o in document["objects"]), 1)
        self.assertEqual(any(c["untrusted"] for o in document["objects"] for c in o["containers"]), bool(words))
        return {pod["metadata"]["name"]: patched(pod, o["patch"]) for pod, o in zip(self.pods, document["objects"])}

    def check_unusual_pods(self, params, make):
        """`make`: what becomes of a pod."""
        pods = unusual_pods()
        (self.work / "unusual.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
        document = json.loads(self.program("--pod", self.work / "unusual.json", "--patch", "json", "--show-secrets", *TRUST))
        for pod, told in zip(pods, document["objects"]):
            with self.subTest(pod=pod["metadata"]["name"]):
                made = make(pod)
                self.assertEqual(made["metadata"]["annotations"], {DIGEST: params["data"]["digest"]})
                self.assertEqual(shape(made), shape(patched(pod, told["patch"])))


class Evaluated(Base):
    def test_unusual_pods(self):
        policy, _, params = self.printed(*TRUST)
        self.check_unusual_pods(params, lambda pod: admit(policy, params, pod, SPACE)[0])

    def test_sixty_pods_get_what_the_patches_say(self):
        for words in [], TRUST:
            policy, _, params = self.printed(*words)
            wanted = self.wanted(*words)
            for pod in self.pods:
                with self.subTest(pod=pod["metadata"]["name"], words=words):
                    made, left_by = admit(policy, params, scheduled(pod), SPACE)
                    self.assertEqual(shape(made), shape(wanted[pod["metadata"]["name"]]))
                    opted_out = pod["metadata"].get("annotations", {}).get(OPT_OUT) == "true"
                    self.assertEqual(left_by, "has-not-opted-out" if opted_out and not words else None)
                    marked = made["metadata"].get("annotations", {}).get(DIGEST)
                    self.assertEqual(marked, None if left_by else params["data"]["digest"])
                    again, _ = admit(policy, params, made, SPACE)
                    self.assertEqual(again, made, "a second time adds nothing")

    def test_pods_that_the_policy_leaves_alone(self):
        policy, _, params = self.printed()
        pod = {"metadata": {}, "spec": {"containers": [{"name": "c"}]}}
        for space in "kube-system", "openshift-dns":
            self.assertEqual(admit(policy, params, pod, space)[1], "not-of-the-platform")
        static = {**pod, "metadata": {"annotations": {"kubernetes.io/config.mirror": "x"}}}
        self.assertEqual(admit(policy, params, static, SPACE)[1], "not-a-static-pod")
        for empty in {}, {"data": {}}, {"data": {"other": "x"}}:
            self.assertEqual(admit(policy, empty, pod, SPACE), (pod, "values-are-there"), "the controller has not written yet")

    def test_the_check_names_what_the_policy_can_not_give(self):
        """Those of which a patch says so, and no others."""
        policy, _, params = self.printed(*TRUST)
        document = json.loads(self.program("--pod", self.work / "pods.json", "--patch", "json", *TRUST))
        for pod, told in zip(self.pods, document["objects"]):
            made, _ = admit(policy, params, scheduled(pod), SPACE)
            for one in told["containers"]:
                (container,) = (c for kind in ("containers", "initContainers") for c in made["spec"].get(kind, []) if c["name"] == one["name"])
                names = [v["name"] for v in container.get("env", []) if "egress-trust" in v.get("value", "")]
                with self.subTest(pod=told["name"], container=one["name"]):
                    self.assertEqual(bool(one["untrusted"]), not names)

    def test_a_volume_of_another_kind_is_left_as_it_is(self):
        policy, _, params = self.printed(*TRUST)
        pod = {"metadata": {}, "spec": {"containers": [{"name": "c"}], "volumes": [{"name": "egress-trust", "emptyDir": {}}]}}
        made, _ = admit(policy, params, pod, SPACE)
        self.assertEqual(made["spec"]["volumes"], pod["spec"]["volumes"])
        self.assertEqual([v["name"] for v in made["spec"]["containers"][0]["env"]], list(SIX))
        self.assertEqual(made["spec"]["containers"][0]["volumeMounts"], [])

    def test_the_evaluator_refuses_what_a_server_does(self):
        """It would else show nothing about expressions that no server takes."""
        for text in ("['a', object.x]", "{'a': 'b', 'c': object.x}", "object.missing", "unknown", "'a' + 1", "object.x ? 1 : 2", "[1].map(i, j)"):
            with self.subTest(text), self.assertRaises(CelError):
                Evaluator(object={"x": "text"}).run(text)
        for text, value in (("object.?missing.?more.orValue('x')", "x"), ("object[?'x'].hasValue()", True), ("false && object.missing", False),
                            ("object.missing || true", True), ("'C:\\\\a'", "C:\\a"), ("[['a'], []].filter(l, l.size() > 0)[0][0].upperAscii()", "A")):
            self.assertEqual(Evaluator(object={"x": "text"}).run(text), value, text)
        policy = {"spec": {"matchConditions": [], "variables": [], "mutations": [{"applyConfiguration": {"expression": ""}}]}}
        for text in ("Object{spec: Object.specx{}}", "Object{spec: Object.spec{tolerations: []}}", "Object{spec: Object.spec{containers: [Object.spec{}]}}"):
            policy["spec"]["mutations"][0]["applyConfiguration"]["expression"] = text
            with self.subTest(text), self.assertRaises(CelError):
                admit(policy, {}, {}, SPACE)


class Real(Base):
    def setUp(self):
        self.programs = named_programs()
        if not self.programs:
            skip(self, "the admission policy is NOT tested by a real server: KUBE_APISERVER (1.36 or later) and ETCD name no programs")
        real_api_server.PLURALS.update(POLICIES)
        self.server = RealApiServer(self.programs, folder(self))
        self.addCleanup(self.server.close)
        served = [r["name"] for r in self.server.ask("GET", "/apis/admissionregistration.k8s.io/v1")["resources"]]
        if "mutatingadmissionpolicies" not in served:
            skip(self, "the admission policy is NOT tested by a real server: KUBE_APISERVER is older than Kubernetes 1.36")
        for space in (SPACE, PARAMS[0], "kube-shop", "canary"):
            self.server.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space, "labels": {"space": space}}})
            self.server.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": space},
                               "automountServiceAccountToken": False})
        self.server.apply(RUNTIME_CLASS)
        self.config = self.work / "config"
        self.config.write_text(self.server.kubeconfig())

    def install(self, *words):
        for item in self.printed(*words):
            self.server.apply(item)
        params = self.printed(*words)[-1]
        self.wait(lambda: self.made(self.probe())["metadata"].get("annotations", {}).get(DIGEST) == params["data"]["digest"])
        return params

    def wait(self, ready, seconds=60):
        end = time.monotonic() + seconds
        while not ready():
            self.assertLess(time.monotonic(), end, "it does not become so")
            time.sleep(0.2)

    @staticmethod
    def probe(space=SPACE):
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "probe-", "namespace": space}, "spec": {"containers": [{"name": "c", "image": "i"}]}}

    def made(self, pod, query=""):
        """As the server would make it."""
        return self.server.ask("POST", f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods{query or '?dryRun=All'}", pod)

    def test_sixty_pods_get_what_the_patches_say(self):
        for words in [], TRUST:
            params = self.install(*words)
            wanted = self.wanted(*words)
            for pod in self.pods:
                with self.subTest(pod=pod["metadata"]["name"], words=words):
                    made = self.made(pod)
                    self.assertEqual(shape(made), shape(wanted[pod["metadata"]["name"]]))
                    left = pod["metadata"].get("annotations", {}).get(OPT_OUT) == "true" and not words
                    self.assertEqual(made["metadata"].get("annotations", {}).get(DIGEST), None if left else params["data"]["digest"])

    def test_unusual_pods(self):
        def make(pod):
            made = self.made(pod)
            without = self.made({**pod, "metadata": {**pod["metadata"], "namespace": "kube-shop"}})
            self.assertEqual(rest(made), rest(without), "the policy changes nothing else")
            return made

        def rest(pod):
            ours = {"containers", "initContainers", "volumes"}
            lists = {name: [{key: value for key, value in c.items() if key not in ("env", "volumeMounts")} for c in pod["spec"].get(name, [])]
                     for name in ours - {"volumes"}}
            return {**{key: value for key, value in pod["spec"].items() if key not in ours}, **lists}

        self.check_unusual_pods(self.install(*TRUST), make)

    def test_a_container_that_a_webhook_adds_gets_them_too(self):
        """Webhooks are asked after the policies."""
        self.install()
        added = json.dumps([{"op": "add", "path": "/spec/containers/-", "value": {"name": "added", "image": "i"}}]).encode()

        class Webhook(Handler):
            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["request"]
                answer = {"uid": request["uid"], "allowed": True, "patchType": "JSONPatch", "patch": base64.b64encode(added).decode()}
                self.reply(200, json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": answer}).encode(),
                           Content_Type="application/json")

        webhook, authority = serve(self, Webhook), self.server.authority
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*authority.sign("webhook", "serverAuth", "IP:127.0.0.1"))
        webhook.socket = context.wrap_socket(webhook.socket, server_side=True)
        self.server.apply({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration", "metadata": {"name": "adds"}, "webhooks": [{
                "name": "adds.example.test", "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Fail",
                "clientConfig": {"url": f"https://127.0.0.1:{webhook.server_port}/", "caBundle": base64.b64encode(authority.pem.read_bytes()).decode()},
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]}]})
        self.wait(lambda: len(self.made(self.probe())["spec"]["containers"]) == 2)
        for one in self.made(self.probe())["spec"]["containers"]:
            self.assertEqual([variable["name"] for variable in one["env"]], list(SIX), one["name"])

    def test_what_the_controller_keeps_reaches_new_pods(self):
        """With the rights that are printed."""
        printed = documents(must(PROGRAM, "deploy", "--print", "--image", "registry.example.test/c:1", "--params", "/".join(PARAMS)))
        for item in printed:
            self.server.apply(item)
        for item in self.printed():
            self.server.apply({**item, "data": {}} if item["kind"] == "ConfigMap" else item)
        self.server.put_config("rendered-worker-first", "http://first.example.test:3128")
        (deployment,) = (item for item in printed if item["kind"] == "Deployment")
        account = deployment["spec"]["template"]["spec"]["serviceAccountName"]
        (self.work / "controller").write_text(self.server.kubeconfig(self.server.token(account)))
        words = [f"--kubeconfig={self.work / 'controller'}" if word.startswith("--kubeconfig=") else word
                 for word in deployment["spec"]["template"]["spec"]["containers"][0]["args"]]
        with open(self.work / "controller.log", "w") as log:
            process = subprocess.Popen([PROGRAM, *words], stdout=log, stderr=log, env={"PATH": os.environ["PATH"], "HOME": str(self.work)})
        self.addCleanup(lambda: (process.kill(), process.wait()))

        def proxy():
            """A new pod's."""
            variables = self.made(self.probe())["spec"]["containers"][0].get("env", [])
            return variables and variables[0]["value"]

        self.wait(lambda: proxy() == "http://first.example.test:3128")
        for number in range(5):
            begin, proxy_then = time.monotonic(), f"http://p{number}.example.test:3128"
            self.server.put_config(f"rendered-worker-{number}", proxy_then)
            self.wait(lambda proxy_then=proxy_then: proxy() == proxy_then, 2.5)
            print(f"a new pod has a change after {time.monotonic() - begin:.2f} s", flush=True)
        self.assertNotIn("pod-policy-server", (self.work / "controller.log").read_text())

    def test_the_selector_and_the_platform(self):
        self.install("--namespace-selector", "space!=canary")
        for space in "kube-shop", "canary":
            self.assertNotIn(DIGEST, self.made(self.probe(space))["metadata"].get("annotations", {}), space)

    def test_a_change_reaches_new_pods_and_the_check_names_the_others(self):
        self.install()
        self.made(self.probe(), "?fieldManager=test")
        check = [PROGRAM, "pod-env", self.work / "proxy.env", "--check", "--pod", "kube://", "--kubeconfig", self.config]
        done = run(*check)
        self.assertEqual((done.returncode, json.loads(done.stdout)["outdated"]), (0, 0), done.stdout)
        (self.work / "proxy.env").write_text(PROXY.replace(":3129", ":3130"))
        self.addCleanup((self.work / "proxy.env").write_text, PROXY)
        self.assertIn("pod-params", run(*check).stdout, "the ConfigMap has the former values")
        self.server.apply(self.printed()[-1])
        end = time.monotonic() + 2
        while self.made(self.probe())["spec"]["containers"][0]["env"][2]["value"] != "http://p.example.test:3130":
            self.assertLess(time.monotonic(), end)
        done = run(*check)
        self.assertEqual(done.returncode, 4)
        (workload,) = json.loads(done.stdout)["workloads"]
        self.assertEqual((workload["kind"], workload["pods"], workload["outdatedPods"]), ("Pod", 1, 1))

    def test_the_check_names_namespaces_without_the_bundle(self):
        self.install(*TRUST, "--namespace-selector", f"space,space!={PARAMS[0]}")
        check = [PROGRAM, "pod-env", self.work / "proxy.env", "--check", "--pod", "kube://", "--kubeconfig", self.config]

        def missing():
            return [f["message"] for f in json.loads(run(*check).stdout)["findings"] if f["code"] == "pod-trust-missing"]

        (message,) = missing()
        self.assertIn(f"to pods of canary, {SPACE}, which have no ConfigMap", message)
        for space in SPACE, "canary", "default":
            self.server.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "user-ca", "namespace": space}, "data": {"all.pem": "x"}})
            if space == SPACE:
                self.assertIn("to pods of canary, which", missing()[0])
        self.assertEqual(missing(), [])

    def start_controllers(self):
        if "kube-controller-manager" not in self.programs:
            skip(self, "pods of controllers are NOT tested: KUBE_CONTROLLER_MANAGER names no program")
        self.server.start_controllers()

    def test_the_servers_own_check_of_types_finds_nothing(self):
        """The controller-manager checks the validations of a ValidatingAdmissionPolicy. So the expressions are made such; the last is wrong."""
        self.start_controllers()
        policy = self.printed(*TRUST)[0]
        spec = policy["spec"]
        expressions = [one["expression"] for one in spec["matchConditions"] + spec["variables"]] + ["object.spec.missing"]
        typed = {**{key: spec[key] for key in ("paramKind", "matchConstraints", "variables")},
                 "validations": [{"expression": f"[({expression})].size() == 1"} for expression in expressions]}
        self.server.apply({**policy, "kind": "ValidatingAdmissionPolicy", "spec": typed})

        def status():
            path = f"/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/{policy['metadata']['name']}"
            return self.server.ask("GET", path).get("status", {})

        self.wait(lambda: "typeChecking" in status())
        (warning,) = status()["typeChecking"]["expressionWarnings"]
        self.assertEqual(warning["fieldRef"], f"spec.validations[{len(expressions) - 1}].expression", warning)

    def test_restart_rolls_what_was_made_before_a_change(self):
        """This test stands in for kubelet: pods are ready as soon as they are there, but for those of the broken one. It and what is of another
        API keep nothing else from its restart."""
        self.start_controllers()
        self.install()
        for name, kind, more in ("deployment", "Deployment", {}), ("statefulset", "StatefulSet", {"serviceName": "x"}), ("broken", "Deployment", {}):
            self.server.apply({"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "namespace": SPACE}, "spec": {
                "replicas": 2, "selector": {"matchLabels": {"app": name}}, **more,
                "template": {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}})
        owner = {"apiVersion": "apps.kruise.io/v1beta1", "kind": "StatefulSet", "name": "statefulset", "uid": "u", "controller": True}
        pod = self.probe()
        self.server.ask("POST", f"/api/v1/namespaces/{SPACE}/pods", {**pod, "metadata": {**pod["metadata"], "ownerReferences": [owner]}})
        ended = threading.Event()
        self.addCleanup(ended.set)

        def pods():
            return self.server.ask("GET", f"/api/v1/namespaces/{SPACE}/pods")["items"]

        def is_ready(pod):
            return any(one["type"] == "Ready" and one["status"] == "True" for one in pod["status"].get("conditions", []))

        def make_ready():
            while not ended.wait(0.1):
                for pod in pods():
                    if not is_ready(pod) and not pod["metadata"]["name"].startswith("broken"):
                        change = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
                        with contextlib.suppress(Refused):  # one that is gone
                            self.server.ask("PATCH", f"/api/v1/namespaces/{SPACE}/pods/{pod['metadata']['name']}/status", change, "application/merge-patch+json")

        kubelet = threading.Thread(target=make_ready, daemon=True)
        kubelet.start()
        self.wait(lambda: sum(map(is_ready, pods())) == 5 and len(pods()) == 7)
        (self.work / "proxy.env").write_text(PROXY.replace(":3129", ":3130"))
        self.addCleanup((self.work / "proxy.env").write_text, PROXY)
        params = self.printed()[-1]
        self.server.apply(params)
        words = [PROGRAM, "pod-env", self.work / "proxy.env", "--check", "--pod", "kube://", "--kubeconfig", self.config]
        self.assertEqual({(w["group"], w["kind"], w["name"], w["outdatedPods"]) for w in json.loads(run(*words).stdout)["workloads"]},
                         {("apps", "Deployment", "broken", 2), ("apps", "Deployment", "deployment", 2), ("apps", "StatefulSet", "statefulset", 2),
                          ("apps.kruise.io", "StatefulSet", "statefulset", 1)})
        done = run(*words, "--restart", "--wait", "60", timeout=150)
        ended.set()
        kubelet.join()
        self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
        results = {(w["group"], w["name"]): (w["restart"], w["message"]) for w in json.loads(done.stdout)["workloads"]}
        self.assertEqual({name: result for name, (result, _) in results.items()}, {
            ("apps", "broken"): "left", ("apps", "deployment"): "done", ("apps", "statefulset"): "done", ("apps.kruise.io", "statefulset"): "left"}, done.stdout)
        self.assertIn("not complete before", results["apps", "broken"][1])
        there = [pod for pod in pods() if "deletionTimestamp" not in pod["metadata"]]
        self.assertEqual(sum(pod["metadata"]["annotations"][DIGEST] == params["data"]["digest"] for pod in there), 4)
        self.assertEqual([w["name"] for w in json.loads(run(*words).stdout)["workloads"]], ["broken", "statefulset"])

    def test_pods_that_controllers_make(self):
        self.start_controllers()
        self.install(*TRUST)
        wanted = self.wanted(*TRUST)
        for pod in self.pods[:20]:
            name = pod["metadata"]["name"]
            template = {"metadata": {"labels": {"app": name}, "annotations": pod["metadata"].get("annotations", {})}, "spec": copy.deepcopy(pod["spec"])}
            for kind, more in ("Deployment", {"replicas": 1}), ("StatefulSet", {"replicas": 1, "serviceName": name}), ("Job", {}):
                with self.subTest(kind=kind, pod=name):
                    made = copy.deepcopy(template)
                    if kind == "Job":
                        made["spec"]["restartPolicy"] = "Never"
                    else:
                        more = {**more, "selector": {"matchLabels": {"app": name}}}
                    group = "batch/v1" if kind == "Job" else "apps/v1"
                    owner = {"apiVersion": group, "kind": kind, "metadata": {"name": name, "namespace": SPACE}, "spec": {"template": made, **more}}
                    self.server.apply(owner)

                    def found(owner_kind="ReplicaSet" if kind == "Deployment" else kind, name=name):
                        items = self.server.ask("GET", f"/api/v1/namespaces/{SPACE}/pods?labelSelector=app%3D{name}")["items"]
                        return [p for p in items if p["metadata"].get("ownerReferences", [{}])[0].get("kind") == owner_kind]

                    self.wait(found)
                    self.assertEqual(shape(found()[0]), shape(wanted[name]))


if __name__ == "__main__":
    unittest.main()
