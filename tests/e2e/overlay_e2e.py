#!/usr/bin/env python3
"""The Kustomize base with its components: each builds what `deploy --print` prints. In overlays that rename what they make, what belongs
together stays together. And what the admission policies then let a pod do, asked of a real API server.

usage: overlay_e2e.py PROVISIONER [unittest arguments]
  KUBE_APISERVER, ETCD, KUBE_CONTROLLER_MANAGER: programs of Kubernetes 1.30 or later, which no script here builds"""
import copy
import os
import time
import unittest

from harness import ROOT, argument, end_unrun, folder, must, run, skip
import real_api_server
from real_api_server import RealApiServer, Refused, documents, named_programs

PROGRAM = argument()
KUBECTL = run(ROOT / "scripts/kubectl").stdout.strip()
OVERLAYS = {"the base": "", "a namespace": "namespace: windows-egress\n", "a prefix": "namePrefix: prod-\n",
            "all at once": "namespace: windows-egress\nnamePrefix: prod-\nnameSuffix: -blue\n"}
POLICIES = ("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")
NODES = ("openshift", "nodes")
IMAGE, KEEPER = "registry.example.com/provisioner:0.1.0", "registry.example.com/provisioner-controller:0.1.0"
IMAGES = """images:
- {name: provisioner, newName: registry.example.com/provisioner, newTag: 0.1.0}
- {name: provisioner-controller, newName: registry.example.com/provisioner-controller, newTag: 0.1.0}
"""
# What each choice of components prints.
PRINTED = {
    NODES: [["--platform", "openshift"]],
    ("nodes",): [["--platform", "aks", "--source", "kube:///worker"]],
    ("gke", "nodes"): [["--platform", "gke", "--source", "kube:///worker"]],
    ("controller",): [["--keep-secret", "openshift-machine-api/windows-user-data-kept", "--append-to-secret",
                       "openshift-machine-api/windows-user-data", "--platform", "aws", "--restricted", "--image", KEEPER]],
}
WAITS = ("openshift", "approval", "nodes")
DRAINS = ("openshift", "approval", "reboots", "nodes")
PRINTED[WAITS] = [["--platform", "openshift", "--approval"]]
PRINTED[DRAINS] = [["--platform", "openshift", "--approval", "--reboot", "drain"]]
PRINTED[(*NODES, "controller")] = PRINTED[NODES] + [[word for word in PRINTED[("controller",)][0] if word != "--restricted"]]
PRINTED[("controller", "pods")] = [[*PRINTED[("controller",)][0], "--params", "egress-provisioner/pod-params"]]
# What the overlay patches, as deploy --approval does.
APPROVAL = """patches:
- target: {kind: DaemonSet}
  patch: |-
    - op: add
      path: /spec/template/spec/containers/0/args/-
      value: --approval
"""
DRAIN = APPROVAL + """    - op: add
      path: /spec/template/spec/containers/0/args/-
      value: --reboot=drain
"""
REPORT = ("egress-provisioner", "nodes", "", "report")  # what the policies ask for


def setUpModule():
    if not KUBECTL:
        end_unrun("no kubectl with a Kustomize of 5 or later: scripts/kubectl --install fetches one")


def built(case, settings, components=NODES):
    work = folder(case)
    base = os.path.relpath(ROOT / "templates/kubernetes", work.resolve())
    named = ", ".join(f"{base}/{name}" for name in components)
    (work / "kustomization.yaml").write_text("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
                                             f"resources: [{base}]\ncomponents: [{named}]\n{settings}")
    return documents(must(KUBECTL, "kustomize", work))


def by_name(objects):
    """{(kind, namespace, name): object}; the half that is printed second has the Namespace, too."""
    return {(o["kind"], o["metadata"].get("namespace"), o["metadata"]["name"]): o for o in objects}


def of_kind(objects, kind):
    return [item for item in objects if item["kind"] == kind]


def the(objects, kind):
    (item,) = of_kind(objects, kind)
    return item


def account_of(objects):
    """The namespace and the name of the account that the pods have."""
    pods = the(objects, "DaemonSet")
    return pods["metadata"]["namespace"], pods["spec"]["template"]["spec"]["serviceAccountName"]


def role_with(objects, verb):
    """The ClusterRole of who runs a rollout (approve), or drains nodes (reboot)."""
    (role,) = (r for r in of_kind(objects, "ClusterRole") if any(verb in rule["verbs"] for rule in r["rules"]))
    return role


def rights(objects, account, binding):
    """{(group, resource, name, verb)} that bindings of this kind give the account."""
    found = set()
    for bound in of_kind(objects, binding):
        if account not in [(s["namespace"], s["name"]) for s in bound["subjects"]]:
            continue
        (role,) = (r for r in of_kind(objects, bound["roleRef"]["kind"]) if r["metadata"]["name"] == bound["roleRef"]["name"])
        found |= {(group, resource, name, verb) for rule in role["rules"] for group in rule["apiGroups"] for resource in rule["resources"]
                  for name in rule.get("resourceNames", [""]) for verb in rule["verbs"]}
    return found


class Overlays(unittest.TestCase):
    def test_components_make_what_deploy_prints(self):
        for components, halves in PRINTED.items():
            with self.subTest(components):
                printed = [o for words in halves for o in documents(must(PROGRAM, "deploy", "--print", "--image", IMAGE, *words))]
                if "pods" in components:
                    printed += self.policy()
                settings = IMAGES + (DRAIN if "reboots" in components else APPROVAL if "approval" in components else "")
                self.assertEqual(by_name(built(self, settings, components)), by_name(printed))

    def policy(self):
        """What pod-env prints, less the values, which the controller keeps."""
        source = folder(self) / "proxy.env"
        source.write_text("HTTP_PROXY=http://p.example.test:3128\n")
        objects = documents(must(PROGRAM, "pod-env", source, "--format", "admission-policy"))
        the(objects, "ConfigMap")["data"] = {}
        return objects

    def test_the_policy_alone_has_no_values_and_nothing_that_keeps_them(self):
        objects = built(self, "", ("pods",))
        self.assertEqual(the(objects, "ConfigMap")["data"], {})
        self.assertEqual([o["kind"] for o in objects if o["kind"] in ("Deployment", "ServiceAccount", "Secret")], [])

    def test_the_controller_may_do_to_its_objects_what_it_does_and_no_more(self):
        objects = built(self, "", ("controller", "pods"))
        account = ("egress-provisioner", "egress-provisioner-controller")
        given = {(resource, name): {verb for _, r, n, verb in rights(objects, account, "RoleBinding") if (r, n) == (resource, name)}
                 for _, resource, name, _ in rights(objects, account, "RoleBinding")}
        self.assertEqual(given, {
            ("leases", "egress-provisioner-controller"): {"get", "patch"}, ("events", ""): {"create"},
            ("secrets", "windows-user-data-kept"): {"get", "list", "watch", "patch"}, ("secrets", "windows-user-data"): {"get", "list", "watch"},
            ("configmaps", "pod-params"): {"get", "list", "watch", "patch"}})

    def test_every_object_has_the_recommended_labels(self):
        wanted = {f"app.kubernetes.io/{key}" for key in ("name", "instance", "version", "component", "part-of", "managed-by")}
        for item in built(self, "", (*WAITS, "gke", "controller", "pods", "alerts")):
            self.assertLessEqual(wanted, set(item["metadata"]["labels"]), item["kind"])

    def test_the_alerts_are_a_component(self):
        rules = the(built(self, "", (*NODES, "alerts")), "PrometheusRule")
        self.assertIn("EgressSettingsFail", [rule["alert"] for rule in rules["spec"]["groups"][0]["rules"]])

    def test_what_belongs_together_stays_together(self):
        for name, settings in OVERLAYS.items():
            with self.subTest(name):
                objects = built(self, settings)
                account = account_of(objects)
                made = the(objects, "ServiceAccount")["metadata"]
                self.assertEqual((made["namespace"], made["name"]), account)
                self.assertEqual(the(objects, "Namespace")["metadata"]["name"], account[0])
                given = rights(objects, account, "ClusterRoleBinding")
                self.assertLessEqual({("", "nodes", "", "patch"), ("", "events", "", "create"), REPORT}, given)
                policies = {p["metadata"]["name"]: p for p in of_kind(objects, POLICIES[0])}
                self.assertEqual(len(policies), 2)
                self.assertEqual({b["spec"]["policyName"] for b in of_kind(objects, POLICIES[1])}, set(policies))
                for policy in policies.values():
                    self.assertNotIn("serviceaccount", str(policy["spec"]), "an overlay would not change it")
                (used,) = (right for right in rights(objects, account, "RoleBinding") if right[3] == "use")
                scc = the(objects, "SecurityContextConstraints")
                self.assertEqual(used[2], scc["metadata"]["name"])
                self.assertEqual(scc["users"], [], "an overlay would not change them")

    def test_what_coordinators_need_stays_together(self):
        for name, settings in OVERLAYS.items():
            with self.subTest(name):
                objects = built(self, settings, DRAINS)
                self.assertIn(("", "secrets", "confirmed", "get"), rights(objects, account_of(objects), "RoleBinding"))
                policies = {p["metadata"]["name"] for p in of_kind(objects, POLICIES[0])}
                self.assertEqual(len(policies), 4)
                self.assertEqual({b["spec"]["policyName"] for b in of_kind(objects, POLICIES[1])}, policies)
                for verb, lease in ("approve", "egress-provisioner-rollout"), ("reboot", "egress-provisioner-reboot"):
                    (role,) = (r for r in of_kind(objects, "Role") if r["metadata"]["name"] == role_with(objects, verb)["metadata"]["name"])
                    self.assertEqual(role["metadata"]["namespace"], account_of(objects)[0])
                    names = [name for rule in role["rules"] for name in rule.get("resourceNames", [])]
                    self.assertEqual(names, ["confirmed", lease], "the program has these names")


class Policies(unittest.TestCase):
    def setUp(self):
        self.programs = named_programs()
        if not self.programs:
            skip(self, "the admission policies are NOT tested: KUBE_APISERVER (1.30 or later) and ETCD name no programs")
        real_api_server.PLURALS.update({POLICIES[0]: "validatingadmissionpolicies", POLICIES[1]: "validatingadmissionpolicybindings"})

    def start(self, objects):
        """With these objects, two Nodes, and a pod of the account on the first; returns its account's tokens: the pod's, and one of none."""
        self.server = RealApiServer(self.programs, folder(self))
        self.addCleanup(self.server.close)
        for item in objects:
            if item["kind"] not in real_api_server.PLURALS:
                continue
            item = copy.deepcopy(item)
            if item["kind"] in POLICIES:
                item["metadata"].pop("namespace", None)  # Kustomize takes them for objects of a namespace
            self.server.apply(item)
        for node in ("win-a", "win-b"):
            self.server.put_node(node)
        space, account = account_of(objects)
        self.server.put_pod("one", "win-a", account, space)
        return self.server.token(account, space, "one"), self.server.token(account, space)

    def test_the_servers_own_check_of_types_finds_nothing(self):
        if "kube-controller-manager" not in self.programs:
            skip(self, "the types of the admission policies are NOT checked: KUBE_CONTROLLER_MANAGER names no program")
        objects = built(self, "", DRAINS)
        self.start(objects)
        self.server.start_controllers()
        end = time.monotonic() + 60
        for policy in of_kind(objects, POLICIES[0]):
            path = f"/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/{policy['metadata']['name']}"
            while "typeChecking" not in (status := self.server.ask("GET", path).get("status", {})):
                self.assertLess(time.monotonic(), end)
                time.sleep(0.2)
            self.assertEqual(status["typeChecking"], {}, policy["metadata"]["name"])

    def node(self, token, name, **change):
        return self.server.ask("PATCH", f"/api/v1/nodes/{name}", change, "application/merge-patch+json", token)

    def event(self, token, space="default", node="win-a"):
        about = {"kind": "Node", "name": node, **({} if space == "default" else {"namespace": space})}
        return self.server.ask("POST", f"/api/v1/namespaces/{space}/events", {
            "apiVersion": "v1", "kind": "Event", "metadata": {"generateName": "e-"}, "involvedObject": about, "reason": "EgressSettings",
            "message": "m", "type": "Normal"}, token=token)

    def refuse(self, attempt):
        with self.assertRaises(Refused) as refused:
            attempt()
        self.assertIn(refused.exception.code, (403, 422), str(refused.exception))

    def test_a_pod_changes_its_own_annotations_and_nothing_else(self):
        for name, settings in OVERLAYS.items():
            with self.subTest(name):
                objects = built(self, settings, DRAINS)
                token, of_no_pod = self.start(objects)
                ours = {"metadata": {"annotations": {"egress-provisioner/state": "{}"}}}
                self.await_policy(token)
                self.node(token, "win-a", **ours)
                self.event(token)
                self.node(real_api_server.ADMIN, "win-a", metadata={"annotations": {"theirs": "1"}})
                owner = {"apiVersion": "v1", "kind": "Node", "name": "win-b", "uid": "u"}
                for attempt in (lambda: self.node(token, "win-a", metadata={"labels": {"x": "y"}}),
                                lambda: self.node(token, "win-a", metadata={"annotations": {"x": "y"}}),
                                lambda: self.node(token, "win-a", metadata={"annotations": {"theirs": "2"}}),
                                lambda: self.node(token, "win-a", metadata={"annotations": {"egress-provisioner/approved": "a" * 64}}),
                                lambda: self.node(token, "win-a", metadata={"annotations": {"egress-provisioner/rollout": "{}"}}),
                                lambda: self.node(token, "win-b", metadata={"annotations": {"egress-provisioner/approved": "a" * 64}}),
                                lambda: self.node(token, "win-a", metadata={"annotations": {"egress-provisioner/reboot-approved": "1"}}),
                                lambda: self.node(token, "win-a", metadata={"annotations": {"egress-provisioner/reboot-turn": "{}"}}),
                                lambda: self.node(token, "win-a", spec={"unschedulable": True}),
                                lambda: self.node(token, "win-a", metadata={"annotations": {"theirs": None}}),
                                lambda: self.node(token, "win-a", metadata={"annotations": None}),
                                lambda: self.node(token, "win-a", metadata={"finalizers": ["x.test/y"]}),
                                lambda: self.node(token, "win-a", metadata={"ownerReferences": [owner]}),
                                lambda: self.node(token, "win-a", spec={"taints": [{"key": "x", "effect": "NoSchedule"}]}),
                                lambda: self.node(token, "win-b", **ours), lambda: self.node(of_no_pod, "win-a", **ours),
                                lambda: self.event(token, node="win-b"), lambda: self.event(of_no_pod),
                                lambda: self.event(token, account_of(objects)[0])):
                    self.refuse(attempt)
                self.node(real_api_server.ADMIN, "win-b", metadata={"labels": {"x": "y"}})
                self.event(real_api_server.ADMIN, node="win-b")
                self.server.close()

    def await_policy(self, token):
        """A policy is in force a moment after it was made."""
        end, number = time.monotonic() + 60, 0
        while time.monotonic() < end:
            try:
                self.node(token, "win-a", metadata={"labels": {"n": str(number)}})
            except Refused:
                break
            number += 1
            time.sleep(0.3)

    def test_who_runs_a_rollout_changes_two_annotations_and_nothing_else(self):
        for name, settings in OVERLAYS.items():
            with self.subTest(name):
                objects = built(self, settings, WAITS)
                self.start(objects)
                token = self.coordinator(objects, "approve")
                self.await_policy(token)
                approval = {"egress-provisioner/approved": "a" * 64, "egress-provisioner/rollout": "{}"}
                self.node(real_api_server.ADMIN, "win-a", metadata={"annotations": {"theirs": "1", "egress-provisioner/state": "{}"}})
                for node in "win-a", "win-b":
                    self.node(token, node, metadata={"annotations": approval})
                self.node(token, "win-b", metadata={"annotations": dict.fromkeys(approval)})
                for attempt in (lambda: self.node(token, "win-a", metadata={"labels": {"x": "y"}}),
                                lambda: self.node(token, "win-a", metadata={"annotations": {"x": "y"}}),
                                lambda: self.node(token, "win-a", metadata={"annotations": {"theirs": "2"}}),
                                lambda: self.node(token, "win-a", metadata={"annotations": {"theirs": None}}),
                                lambda: self.node(token, "win-a", metadata={"annotations": {"egress-provisioner/state": "x"}}),
                                lambda: self.node(token, "win-a", metadata={"annotations": {**approval, "egress-provisioner/state": None}}),
                                lambda: self.node(token, "win-a", metadata={"annotations": None}),
                                lambda: self.node(token, "win-a", metadata={"finalizers": ["x.test/y"]}),
                                lambda: self.node(token, "win-a", spec={"taints": [{"key": "x", "effect": "NoSchedule"}]}),
                                lambda: self.node(token, "win-a", spec={"unschedulable": True}),
                                lambda: self.server.ask("DELETE", "/api/v1/nodes/win-a", token=token)):
                    self.refuse(attempt)
                self.server.close()

    def coordinator(self, objects, *verbs, name="ci"):
        """The token of an account with the roles of who has these verbs, bound as provisioner/docs/fleet.md says."""
        space = account_of(objects)[0]
        self.server.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": space}})
        for verb in verbs:
            role = role_with(objects, verb)["metadata"]["name"]
            for kind in "ClusterRole", "Role":
                self.server.apply({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind + "Binding",
                                   "metadata": {"name": f"{name}-{verb}", **({"namespace": space} if kind == "Role" else {})},
                                   "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": role},
                                   "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": space}]})
        return self.server.token(name, space)

    def test_who_drains_nodes_cordons_with_its_mark_and_changes_nothing_else(self):
        turn, approved = "egress-provisioner/reboot-turn", "egress-provisioner/reboot-approved"
        for name, settings in OVERLAYS.items():
            with self.subTest(name):
                objects = built(self, settings, DRAINS)
                self.start(objects)
                both = self.coordinator(objects, "approve", "reboot", name="both")
                for token in self.coordinator(objects, "reboot"), both:
                    self.await_policy(token)
                    self.node(real_api_server.ADMIN, "win-a", metadata={"annotations": {"theirs": "1", "egress-provisioner/state": "{}"}},
                              spec={"taints": [{"key": "k", "effect": "NoSchedule"}]})
                    self.node(token, "win-a", metadata={"annotations": {turn: "{}"}}, spec={"unschedulable": True})
                    self.node(token, "win-a", metadata={"annotations": {approved: "1"}})
                    for attempt in (lambda: self.node(token, "win-a", spec={"unschedulable": None}),
                                    lambda: self.node(token, "win-b", spec={"unschedulable": True}),
                                    lambda: self.node(token, "win-b", metadata={"annotations": {approved: "1"}}, spec={"unschedulable": True}),
                                    lambda: self.node(token, "win-b", metadata={"annotations": {approved: "1"}}),
                                    lambda: self.node(token, "win-b", metadata={"annotations": {turn: "{}", approved: "1"}}),
                                    lambda: self.node(token, "win-a", spec={"taints": None}),
                                    lambda: self.node(token, "win-a", spec={"providerID": "x://y"}),
                                    lambda: self.node(token, "win-a", metadata={"labels": {"x": "y"}}),
                                    lambda: self.node(token, "win-a", metadata={"annotations": {"theirs": None}}),
                                    lambda: self.node(token, "win-a", metadata={"annotations": {"egress-provisioner/state": "x"}}),
                                    lambda: self.server.ask("DELETE", "/api/v1/nodes/win-a", token=token),
                                    lambda: self.server.ask("DELETE", f"/api/v1/namespaces/{account_of(objects)[0]}/pods/one", token=token)):
                        self.refuse(attempt)
                    settings_approved = {"metadata": {"annotations": {"egress-provisioner/approved": "a" * 64}}}
                    if token == both:
                        self.node(token, "win-b", **settings_approved)
                    else:
                        self.refuse(lambda: self.node(token, "win-b", **settings_approved))
                    self.node(token, "win-a", metadata={"annotations": {turn: None, approved: None}}, spec={"unschedulable": None})
                self.server.close()


class Halves(unittest.TestCase):
    """The nodes' half and the controller's on a real server, applied and taken away by kubectl as the pages say."""
    SPACE, MACHINES, KEPT = "egress-provisioner", "openshift-machine-api", "windows-user-data-kept"

    def setUp(self):
        programs = named_programs()
        if not programs:
            skip(self, "what kubectl apply and delete leave is NOT tested: KUBE_APISERVER (1.30 or later) and ETCD name no programs")
        self.work = folder(self)
        self.server = RealApiServer(programs, folder(self))
        self.addCleanup(self.server.close)
        (self.work / "config").write_text(self.server.kubeconfig())
        self.server.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.MACHINES}})
        self.nodes = self.printed("fleet.yaml", "--platform", "kubernetes", "--source", "kube:///worker", "--approval")
        self.controller = self.printed("controller.yaml", "--keep-secret", f"{self.MACHINES}/{self.KEPT}", "--platform", "aws",
                                       "--params", f"{self.SPACE}/pod-params", "--approval")

    def printed(self, name, *words):
        path = self.work / name
        path.write_text(must(PROGRAM, "deploy", "--print", "--image", IMAGE, *words))
        return path

    def kubectl(self, *words):
        return must(KUBECTL, f"--kubeconfig={self.work / 'config'}", *words)

    def test_neither_takes_what_the_other_needs_with_it(self):
        for ours, others in (self.controller, self.nodes), (self.nodes, self.controller):
            label = "app.kubernetes.io/component=" + ("controller" if ours is self.controller else "nodes")
            with self.subTest(label):
                self.kubectl("apply", "-f", ours)
                self.kubectl("apply", "--server-side", "--force-conflicts", "-f", others)
                self.server.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "pod-params", "namespace": self.SPACE}})
                self.kubectl("delete", "--wait=false", "-f", ours, "-l", label)
                self.assertEqual(len(self.kubectl("get", "-o", "name", "-f", others).split()), len(documents(others.read_text())))
                self.kubectl("get", "-n", self.SPACE, "configmap/pod-params")
                left = self.kubectl("get", "--ignore-not-found", "-o", "name", "-f", ours).split()
                self.assertEqual(left, [f"namespace/{self.SPACE}"])
                phase = self.server.ask("GET", f"/api/v1/namespaces/{self.SPACE}")["status"]["phase"]
                self.assertEqual(phase, "Active")

    def test_the_namespace_admits_the_pods_on_nodes_whichever_half_is_last(self):
        for last in self.nodes, self.controller:
            for words in [], ["--server-side", "--force-conflicts"]:
                self.kubectl("apply", *words, "-f", last)
                labels = self.server.ask("GET", f"/api/v1/namespaces/{self.SPACE}")["metadata"]["labels"]
                self.assertEqual(labels["pod-security.kubernetes.io/enforce"], "privileged")

    def test_after_an_apply_by_the_client_one_by_the_server_finds_no_conflict(self):
        later = self.work / "later.yaml"
        for path in self.nodes, self.controller, *self.policy():
            with self.subTest(path.name):
                self.kubectl("apply", "-f", path)
                later.write_text(path.read_text().replace(IMAGE, IMAGE + "-later"))
                self.kubectl("apply", "--server-side", "-f", later)
                self.assertEqual(self.kubectl("diff", "--server-side", "-f", later), "")

    def policy(self):
        """What pod-env prints, where the server knows it."""
        served = [r["name"] for r in self.server.ask("GET", "/apis/admissionregistration.k8s.io/v1")["resources"]]
        if "mutatingadmissionpolicies" not in served:
            return []
        source, path = self.work / "proxy.env", self.work / "pods.yaml"
        source.write_text("HTTP_PROXY=http://p.example.test:3128\n")
        path.write_text(must(PROGRAM, "pod-env", source, "--format", "admission-policy"))
        return [path]

    def test_a_restricted_namespace_admits_the_controllers_pods(self):
        path = self.printed("restricted.yaml", "--params", f"{self.SPACE}/pod-params", "--restricted")
        self.kubectl("apply", "-f", path)
        template = the(documents(path.read_text()), "Deployment")["spec"]["template"]
        pods = f"/api/v1/namespaces/{self.SPACE}/pods?dryRun=All"
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "c-"}, "spec": template["spec"]}
        self.assertTrue(self.server.ask("POST", pods, pod)["spec"]["topologySpreadConstraints"])
        privileged = {**pod, "spec": {**pod["spec"], "hostNetwork": True}}
        with self.assertRaises(Refused) as refused:
            self.server.ask("POST", pods, privileged)
        self.assertEqual(refused.exception.code, 403)

    def test_the_kept_secret_is_not_emptied_when_the_manifests_are_applied_again(self):
        secret = f"/api/v1/namespaces/{self.MACHINES}/secrets/{self.KEPT}"
        self.kubectl("apply", "-f", self.controller)
        self.server.ask("PATCH", f"{secret}?fieldManager=egress-provisioner", {"data": {"userData": "eQ=="}}, "application/merge-patch+json")
        for words in ["--server-side", "--force-conflicts"], []:
            self.kubectl("apply", *words, "-f", self.controller)
            self.assertEqual(self.server.ask("GET", secret).get("data"), {"userData": "eQ=="}, words)


if __name__ == "__main__":
    unittest.main()
