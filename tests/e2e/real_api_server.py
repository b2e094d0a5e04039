"""A real kube-apiserver with etcd and kube-controller-manager, as scripts/kube-api-server builds them or as the environment names them, on
loopback, with RBAC, bound tokens and what OpenShift would define; and its API in a few words.

  KUBE_APISERVER, ETCD, KUBE_CONTROLLER_MANAGER: programs in the place of those that the script builds"""
import base64
import json
import os
import pathlib
import re
import ssl
import subprocess
import time
import urllib.error
import urllib.request

from authority import openssl
from harness import ROOT, end_unrun, run
from kube_api_server import Authority, kubeconfig
from probe_servers import free_port
from rendered import ignition, variables

ADMIN = "c4nary-admin"
PLURALS = {"Namespace": "namespaces", "ServiceAccount": "serviceaccounts", "ClusterRole": "clusterroles", "Role": "roles",
           "ClusterRoleBinding": "clusterrolebindings", "RoleBinding": "rolebindings", "DaemonSet": "daemonsets", "Node": "nodes",
           "CustomResourceDefinition": "customresourcedefinitions", "MachineConfig": "machineconfigs",
           "MachineConfigPool": "machineconfigpools", "Deployment": "deployments", "Pod": "pods", "Secret": "secrets", "ConfigMap": "configmaps",
           "Lease": "leases", "MachineSet": "machinesets", "ClusterTrustBundle": "clustertrustbundles"}


def custom(group, plural, kind, scope="Cluster", version="v1"):
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"{plural}.{group}"},
            "spec": {"group": group, "scope": scope, "names": {"plural": plural, "singular": kind.lower(), "kind": kind,
                                                                   "listKind": kind + "List"},
                     "versions": [{"name": version, "served": True, "storage": True, "schema": schema}]}}


class Refused(Exception):
    def __init__(self, code, text):
        super().__init__(f"{code} {text}")
        self.code = code


class RealApiServer:
    def __init__(self, programs, work, address="127.0.0.1", words=(), tokens=()):
        """`programs`: {name: path}; `address`: where the API server listens; `words`: more of its options; `tokens`: of more users, each its
        token, its name and its group."""
        self.programs, self.work, self.address, self.words = programs, pathlib.Path(work), address, words
        self.authority = Authority(self.work, "cluster-ca")
        self.leaf = self.authority.sign("api", "serverAuth", f"IP:{address}")
        self.key = self.work / "accounts.key"
        openssl("genrsa", "-out", self.key, "2048")
        (self.work / "tokens.csv").write_text("".join(f'{token},{name},{name},"{group}"\n' for token, name, group in [(ADMIN, "admin", "system:masters"), *tokens]))
        self.port, self.etcd_port, self.processes = free_port(), free_port(), []
        self.start_etcd()
        self.start()
        for plural, kind in (("machineconfigs", "MachineConfig"), ("machineconfigpools", "MachineConfigPool")):
            self.apply(custom("machineconfiguration.openshift.io", plural, kind))
        self.until(lambda: self.ask("GET", "/apis/machineconfiguration.openshift.io/v1/machineconfigpools"))

    def minor(self):
        """Of its version: 36 of Kubernetes 1.36."""
        return int(re.match(r"\d+", self.ask("GET", "/version")["minor"])[0])

    def launch(self, name, *words):
        log = open(self.work / f"{name}.log", "ab")
        process = subprocess.Popen([self.programs[name], *map(str, words)], stdout=log, stderr=log, cwd=self.work)
        log.close()
        self.processes.append(process)
        return process

    def start_etcd(self):
        peer = free_port()
        url = f"http://127.0.0.1:{self.etcd_port}"
        self.etcd = self.launch("etcd", "--data-dir", self.work / "etcd", "--listen-client-urls", url, "--advertise-client-urls", url,
                                "--listen-peer-urls", f"http://127.0.0.1:{peer}", "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
                                "--initial-cluster", f"default=http://127.0.0.1:{peer}")

    def start(self):
        chain, key = self.leaf[:2]
        self.api = self.launch(
            "kube-apiserver", f"--etcd-servers=http://127.0.0.1:{self.etcd_port}", f"--bind-address={self.address}", f"--secure-port={self.port}",
            f"--tls-cert-file={chain}", f"--tls-private-key-file={key}", f"--token-auth-file={self.work}/tokens.csv",
            "--service-account-issuer=https://cluster.example.test", "--api-audiences=https://cluster.example.test",
            f"--service-account-key-file={self.key}", f"--service-account-signing-key-file={self.key}", "--authorization-mode=Node,RBAC",
            "--service-cluster-ip-range=10.0.0.0/24", "--allow-privileged=true", f"--cert-dir={self.work}/certs",
            "--etcd-compaction-interval=0", *self.words)
        self.until(lambda: self.ask("GET", "/readyz"))

    def start_controllers(self, *controllers):
        """The controller-manager with the rights of an administrator, on a port of its own; with `controllers`, these alone."""
        config = self.work / "controllers"
        config.write_text(self.kubeconfig())
        words = [f"--controllers={','.join(controllers)}"] if controllers else []
        if self.minor() < 24:
            words.append("--port=0")  # it would listen without TLS, too
        self.launch("kube-controller-manager", f"--kubeconfig={config}", f"--service-account-private-key-file={self.key}", "--leader-elect=false",
                    "--bind-address=127.0.0.1", f"--secure-port={free_port()}", *words)

    def stop(self):
        """It waits for a minute and longer for whoever watches; then it goes as in a crash."""
        self.api.terminate()
        try:
            self.api.wait(10)
        except subprocess.TimeoutExpired:
            self.api.kill()
            self.api.wait(30)

    def close(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait(30)

    def compact(self):
        """etcd forgets what was before now; a watch from there is told 410."""
        def call(path, body):
            request = urllib.request.Request(f"http://127.0.0.1:{self.etcd_port}/v3/kv/{path}", json.dumps(body).encode())
            return json.loads(urllib.request.urlopen(request, timeout=30).read())

        revision = call("range", {"key": base64.b64encode(b"x").decode()})["header"]["revision"]
        call("compaction", {"revision": revision, "physical": True})

    def until(self, attempt, seconds=120):
        end = time.monotonic() + seconds
        while True:
            try:
                return attempt()
            except (Refused, OSError):
                if time.monotonic() > end or self.etcd.poll() is not None:
                    raise
                time.sleep(0.3)

    def ask(self, method, path, body=None, kind="application/json", token=ADMIN):
        context = ssl.create_default_context(cafile=self.authority.pem)
        request = urllib.request.Request(f"https://{self.address}:{self.port}{path}", None if body is None else json.dumps(body).encode(),
                                         {"Authorization": f"Bearer {token}", "Content-Type": kind}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60, context=context) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise Refused(error.code, error.read().decode(errors="replace")) from None
        return json.loads(text) if text.startswith(b"{") else text

    def collection(self, item):
        version = item["apiVersion"]
        base = "/api/v1" if version == "v1" else f"/apis/{version}"
        space = item["metadata"].get("namespace")
        return base + (f"/namespaces/{space}" if space else "") + "/" + PLURALS[item["kind"]]

    def apply(self, item):
        """Makes it, or puts it in the place of what is there."""
        path = f"{self.collection(item)}/{item['metadata']['name']}"
        try:
            return self.ask("POST", self.collection(item), item)
        except Refused as refused:
            if refused.code != 409:
                raise
        there = self.ask("GET", path)
        item = {**item, "metadata": {**item["metadata"], "resourceVersion": there["metadata"]["resourceVersion"]}}
        return self.ask("PUT", path, item)

    def put_config(self, name, proxy, bundle=None):
        """With a bundle (PEM) where there is one; the pool has this config then."""
        group = "machineconfiguration.openshift.io/v1"
        self.apply({"apiVersion": group, "kind": "MachineConfig", "metadata": {"name": name},
                    "spec": {"config": ignition(variables(proxy), bundle)}})
        self.apply({"apiVersion": group, "kind": "MachineConfigPool", "metadata": {"name": "worker"},
                    "spec": {"configuration": {"name": name}}, "status": {"configuration": {"name": name}}})

    def put_node(self, name, annotations=None):
        self.apply({"apiVersion": "v1", "kind": "Node",
                    "metadata": {"name": name, "labels": {"kubernetes.io/os": "windows"}, "annotations": annotations or {}}})

    def state_of(self, name):
        """What the node told of itself; None: nothing."""
        text = self.ask("GET", f"/api/v1/nodes/{name}")["metadata"].get("annotations", {}).get("egress-provisioner/state")
        return text and json.loads(text)

    def events_of(self, name):
        """The reasons of the Events of a node."""
        items = self.ask("GET", "/api/v1/namespaces/default/events")["items"]
        return [item["reason"] for item in items if item["involvedObject"]["name"] == name]

    def put_pod(self, name, node, account="egress-provisioner", space="egress-provisioner"):
        """A pod of the account, which a token can be bound to; nothing runs it."""
        spec = {"serviceAccountName": account, "nodeName": node, "containers": [{"name": "c", "image": "i"}]}
        self.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": space}, "spec": spec})

    def token(self, account="egress-provisioner", space="egress-provisioner", pod=None):
        """A token as a pod gets one; where `pod` is named, it is good for as long as that is there."""
        spec = {"expirationSeconds": 3600}
        if pod is not None:
            uid = self.ask("GET", f"/api/v1/namespaces/{space}/pods/{pod}")["metadata"]["uid"]
            spec["boundObjectRef"] = {"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": uid}
        answer = self.ask("POST", f"/api/v1/namespaces/{space}/serviceaccounts/{account}/token",
                          {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": spec})
        return answer["status"]["token"]

    def kubeconfig(self, token=ADMIN):
        return kubeconfig(self.port, self.authority.pem, user=f"    token: {token}\n", host=self.address)


def documents(text):
    """The objects of a stream of YAML."""
    done = run("python3", "-c", "import json,sys,yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))", input=text)
    if done.returncode != 0:
        end_unrun("python3-yaml is missing")
    return json.loads(done.stdout)


def named_programs():
    """{name: path} of what the environment names; {}: not both an API server and etcd."""
    names = {"kube-apiserver": "KUBE_APISERVER", "etcd": "ETCD", "kube-controller-manager": "KUBE_CONTROLLER_MANAGER"}
    found = {name: pathlib.Path(path).resolve() for name, variable in names.items() if (path := os.environ.get(variable))}
    return found if "kube-apiserver" in found and "etcd" in found else {}


def cluster_programs():
    """Those that the environment names, else those that scripts/kube-api-server made."""
    if os.environ.get("PROVISIONER_CLUSTER") != "1":
        end_unrun("takes minutes and a kube-apiserver; scripts/test --cluster runs it, and PROVISIONER_CLUSTER=1 asks for it")
    if programs := named_programs():
        return programs
    done = run(ROOT / "scripts/kube-api-server", "--prefix")
    if done.returncode != 0:
        end_unrun("there is no kube-apiserver; scripts/kube-api-server builds one (ten minutes)")
    return {name: pathlib.Path(done.stdout.strip()) / name for name in ("kube-apiserver", "etcd", "kube-controller-manager")}
