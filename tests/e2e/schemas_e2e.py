#!/usr/bin/env python3
"""Whether each document that the program prints is as its JSON Schema says (provisioner/docs/schemas), and each command has one.

usage: schemas_e2e.py PROVISIONER [unittest arguments]"""
import json
import os
import re
import shutil
import sys
import unittest

import output_schemas
from harness import SAMPLE, argument, folder, must, run
from output_schemas import FOLDER, published
from program_file import make_program
from windows_image import put_hives

PROVISIONER = argument()
# Printed on a Windows node only: node_e2e.py and hns_e2e.py hold real ones against their schemas, under Wine. Here their examples are.
# kube_e2e.py does it with fleet-status and fleet-reboot, fleet_rollout_cluster_e2e.py with fleet-rollout, controller_e2e.py with controller, image_e2e.py with what is printed of several images.
ON_WINDOWS = {"service", "hns-proxy", "hns-proxy-lookup", "hns-proxy-support"}
API = {"apiVersion": "config.openshift.io/v1", "metadata": {"name": "cluster"}}
FILES = {
    "proxy.env": "HTTP_PROXY=http://user:secret@10.0.0.9:8080\nHTTPS_PROXY=http://user:secret@10.0.0.9:8080\nNO_PROXY=.svc,10.0.0.0/8,bad name\n",
    "bare.env": "NO_PROXY=\n",
    "hosts": "quay.io\n10.1.2.3\n",
    "router.txt": "!cdn.quay.io\n*.quay.io\n192.0.2.0/24\n",
    "redirect.txt": "80 tcp 203.0.113.25\n8080 tcp 203.0.113.26 80\n",
    "required": "https://quay.io/ proxy\nhttp://10.1.2.3/ direct\nhttps://other.example/\n",
    "operators.ps1": "<powershell>\nWrite-Output theirs\n</powershell>\n",
    "proxy.yaml": {**API, "kind": "Proxy", "spec": {"httpProxy": "http://u:secret@10.0.0.9:8080", "httpsProxy": "http://10.0.0.9:8080", "noProxy": "a.example",
                                                    "readinessEndpoints": ["http://127.0.0.1:9/"]}},
    "probed-proxy.yaml": {**API, "kind": "Proxy", "spec": {"httpProxy": "http://127.0.0.1:9", "readinessEndpoints": ["http://127.0.0.1:9/"]}},
    "bad-proxy.yaml": {**API, "kind": "Proxy", "spec": {"httpProxy": "http://u:secret@h:x"}},
    "infrastructure.yaml": {**API, "kind": "Infrastructure", "status": {"apiServerInternalURI": "https://api-int.example.com:6443"}},
    "network.yaml": {**API, "kind": "Network", "status": {"serviceNetwork": ["172.30.0.0/16"], "clusterNetwork": [{"cidr": "10.128.0.0/14"}]}},
    "egress.json": {"kind": "List", "apiVersion": "v1", "items": [
        {"apiVersion": "network.openshift.io/v1", "kind": "NetNamespace", "metadata": {"name": "shop"}, "netid": 7, "egressIPs": ["10.0.0.100"]},
        {"apiVersion": "network.openshift.io/v1", "kind": "NetNamespace", "metadata": {"name": "lost"}, "netid": 9, "egressIPs": ["10.0.0.101"]},
        {"apiVersion": "network.openshift.io/v1", "kind": "NetNamespace", "metadata": {"name": "plain"}, "netid": 8},
        {"apiVersion": "network.openshift.io/v1", "kind": "HostSubnet", "metadata": {"name": "node-1"}, "hostIP": "10.0.0.1", "egressIPs": ["10.0.0.100"]}]},
    "policy.json": {"Type": "L4WFPPROXY", "Settings": {"InboundProxyPort": "15003", "UserSID": "S-1-5-32-556"}},
    "bad-policy.json": {"Type": "L4WFPPROXY", "Settings": {"InboundProxyPort": "0"}},
    "hosts.toml": 'server = "https://m.example"\ncapabilities = ["pull"]\n',
    "nodes.csv": "name,address\nwin-1,10.0.0.5/24\nwin-2,10.0.0.6/24\n",
}
# schema | exit code | command line; {sample}, {pods} and {exe} are files. What is no name of a schema prints a report.
ROWS = """
help-program     |  0 | --help
version          |  0 | --version
help             |  0 | bake --help
extract          |  0 | extract {sample}
extract          |  0 | extract proxy.env
extract          |  0 | extract bare.env --show-secrets
check            |  0 | check {sample}
check            | 14 | check proxy.env --probe http://127.0.0.1:9/ --probe-timeout 1
check            | 11 | check proxy.env --strict
check            | 14 | check proxy.env --image 127.0.0.1:9/a --probe-timeout 1
explain          |  0 | explain {sample} --url https://quay.io/ http://172.30.0.1/
explain          | 10 | explain proxy.env --url quay.io https://quay.io/
explain          |  4 | explain proxy.env --hosts hosts --required required --through router.txt --augment --html page.html
explain          |  0 | explain proxy.env --required required --for dotnet11,go
explain          |  0 | explain proxy.env --image nginx quay.io/org/app:v1 --through router.txt
explain          |  0 | explain proxy.env --url http://a/ --image quay.io/org/app:v1 --registries hosts.toml
explain-code     |  0 | explain-code
explain-code     |  0 | explain-code no-proxy 407
bake             |  0 | bake {sample} --out payload
bake             |  0 | bake {sample} --out payload.zip --format zip
bake             |  0 | bake {sample} --out drives --format iso --nodes nodes.csv
bake-userdata    |  0 | bake {sample} --out user-data --format userdata --platform aws --secret windows --credentials none
bake-userdata    |  0 | bake {sample} --out guestinfo --format userdata --platform vsphere
bake-userdata    |  0 | bake {sample} --out appended.txt --format userdata --platform aws --append-to operators.ps1
check-secret     |  0 | check {sample} --secret appended.txt --append-to operators.ps1
check-secret     |  4 | check --secret appended.txt --append-to hosts
bake-oci         |  0 | bake --out image.tar --format oci --exe {exe}
plan             |  4 | plan {sample} --root image
apply            |  0 | apply {sample} --root image --service containerd
apply            |  0 | apply {sample} --root image --service containerd
status           |  0 | status --root image
doctor           |  0 | doctor --root image
explain          |  0 | explain --root image --url https://quay.io/ --for go
check            |  0 | check --root image
rollback         |  0 | rollback --root image
status           |  4 | status --root image
doctor           |  4 | doctor --root image
remove           |  0 | remove --all --root image
reconcile        | 13 | reconcile --once
first-boot       | 13 | first-boot {sample}
confirm          | 13 | confirm
pod              | 13 | pod {sample}
service          | 13 | service install --source {sample}
deploy           |  0 | deploy --print --image registry.example.com/provisioner:1
completion       |  0 | completion bash
man              |  0 | man
publish          |  0 | publish --proxy proxy.yaml --infrastructure infrastructure.yaml --network network.yaml --out published
publish          | 11 | publish --proxy probed-proxy.yaml --infrastructure infrastructure.yaml --network network.yaml --probe
publish          | 11 | publish --proxy bad-proxy.yaml --infrastructure infrastructure.yaml --network network.yaml
pod-env          |  0 | pod-env {sample} --pod {pods}
pod-env          |  0 | pod-env {sample} --pod {pods} --patch json --trust configmap/ca
pod-env          |  4 | pod-env {sample} --pod {pods} --check
hns-proxy-check  |  0 | hns-proxy check --policy policy.json
hns-proxy-check  | 11 | hns-proxy check --policy bad-policy.json
hns-proxy        | 13 | hns-proxy list --all
router-render    |  0 | router render --kind http-proxy --destination router.txt --format squid
router-check     |  0 | router check router.txt
router-explain   |  0 | router explain --kind http-proxy --destination router.txt https://quay.io/ https://cdn.quay.io/ 192.0.2.1 https://other.example/
router-explain   |  0 | router explain --kind redirect --destination redirect.txt --source 10.42.253.45/24 --gateway 10.42.253.1 80 81
egress-ip        |  0 | egress-ip egress.json
error            | 11 | extract missing.json
error            | 10 | extract
error            | 11 | extract broken.json
"""
REPORTS = {"plan", "apply", "confirm", "rollback", "remove", "first-boot", "reconcile", "pod"}


def commands_of_the_table():
    """{command: its schemas}, by the table of the page."""
    table = (FOLDER / "README.md").read_text().split("| document |")[0]
    out = {}
    for left, right in re.findall(r"(?m)^\| (`.*?) \| (.*) \|$", table):
        for command in re.findall(r"`([a-z-]+)`", left):
            out[command] = {command} if right == "`COMMAND.schema.json`" else set(re.findall(r"\]\(([a-z-]+)\.schema\.json\)", right))
    return out


class Schemas(unittest.TestCase):
    """The files themselves."""

    def parts(self, part, place):
        """Every object that describes members, with its place."""
        if isinstance(part, list):
            for at, one in enumerate(part):
                yield from self.parts(one, "%s[%d]" % (place, at))
        elif isinstance(part, dict):
            if isinstance(part.get("properties"), dict) and "type" in part:
                yield place, part
            for key, value in part.items():
                if key not in ("examples", "enum", "const"):
                    yield from self.parts(value, "%s.%s" % (place, key))

    def test_each_is_sound(self):
        self.assertGreater(len(published()), 25)
        for name, schema in published().items():
            with self.subTest(name):
                output_schemas.jsonschema.Draft202012Validator.check_schema(schema)
                self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
                self.assertEqual(schema["$id"], "https://provisioner.example/schemas/1/%s.schema.json" % name)
                self.assertTrue(schema["title"])
                for place, part in self.parts(schema, name):
                    self.assertLessEqual(set(part["required"]), set(part["properties"]), place)
                    self.assertNotIn("additionalProperties", part, place + ": objects may gain members")
                    for key, value in part["properties"].items():
                        self.assertTrue("description" in value or "$ref" in value, "%s.%s is not described" % (place, key))

    def test_examples_are_as_their_schemas_say(self):
        seen = set()
        for name, schema in published().items():
            for example in schema.get("examples", []):
                self.assertEqual(output_schemas.faults(name, example), [])
                seen.add(name)
                self.assertNotEqual(output_schemas.faults(name, {**example, "more": 1}), [], "the check finds nothing")
        self.assertLessEqual(ON_WINDOWS, seen)

    def test_no_member_may_be_anything(self):
        """Neither any value nor any members, but where a document holds another one: HNS' policies and Kubernetes' patches."""
        other = {"hns-proxy-check.policies[]", "hns-proxy.endpoints[].policies[]", "pod-env.objects[].patch"}
        found = {place for name in published() if name != "common" for place in output_schemas.loose(output_schemas.strict(name), name)}
        self.assertEqual({place for place in found if not place.endswith(("valuesBefore{}[]", "valuesAfter{}[]"))}, other)

    def test_the_page_has_each(self):
        linked = set(re.findall(r"\]\(([a-z-]+)\.schema\.json\)", (FOLDER / "README.md").read_text()))
        self.assertEqual(linked.union(*commands_of_the_table().values()), set(published()))


class Outputs(unittest.TestCase):
    """What the program prints. The rows run in their order, in one folder."""

    @classmethod
    def setUpClass(cls):
        cls.work = folder(cls)
        for name, content in FILES.items():
            (cls.work / name).write_text(content if isinstance(content, str) else json.dumps(content))
        (cls.work / "broken.json").write_text('{"kind": x}')
        (cls.work / "provisioner.exe").write_bytes(make_program(os.urandom(1000)))
        must(PROVISIONER, "bake", SAMPLE, "--scope", "winhttp", "--out", cls.work / "bare")
        put_hives(cls.work / "image", cls.work / "bare/registry")
        (cls.work / "image/ProgramData").mkdir()

    @classmethod
    def run_program(cls, *words, **env):
        return run(PROVISIONER, *words, cwd=cls.work, timeout=120, input="",
                   env={"PATH": os.environ["PATH"], "HOME": str(cls.work), "KUBECONFIG": "/dev/null", **env})

    def document(self, name, exit, *words, **env):
        done = self.run_program(*words, "--output", "json", **env)
        self.assertEqual(done.returncode, exit, done.stdout[:500] + done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document["schema"], 1)
        output_schemas.check(name, document)
        return document

    def test_each_document_is_as_its_schema_says(self):
        values = {"sample": SAMPLE, "pods": SAMPLE.with_name("deployment.yaml"), "exe": self.work / "provisioner.exe"}
        met = set()
        for row in ROWS.strip().splitlines():
            name, exit, words = (part.strip() for part in row.split("|", 2))
            with self.subTest(words):
                schema = "report" if name in REPORTS else name
                document = self.document(schema, int(exit), *words.format(**values).split())
                failed = set(document) == {"schema", "error"}
                self.assertEqual(failed, name == "error" or (int(exit) == 13), document)
                met.add("error" if failed else schema)
        self.assertEqual(set(published()) - met - ON_WINDOWS, {"common", "fleet-status", "fleet-rollout", "fleet-reboot", "controller"}, "no document was held against these")

    def test_each_command_has_a_schema_and_rows(self):
        commands = {one["name"] for one in self.document("help-program", 0, "--help")["commands"]}
        table = commands_of_the_table()
        self.assertEqual(set(table), commands, "provisioner/docs/schemas/README.md")
        rows = {row.split("|", 2)[2].split()[0] for row in ROWS.strip().splitlines()}
        self.assertEqual(commands - rows, {"fleet", "controller"}, "has no row")
        for command in commands:
            self.assertTrue(table[command] <= set(published()) and table[command], command)
            self.document("help", 0, command, "--help")

    def test_an_image_that_somebody_changed(self):
        image = self.work / "changed"
        shutil.copytree(self.work / "image", image)
        done = self.run_program("apply", SAMPLE, "--root", image)
        self.assertEqual(done.returncode, 0, done.stderr)
        shutil.copy(self.work / "bare/registry/SYSTEM.hiv", image / "Windows/System32/config/SYSTEM")
        (image / "ProgramData/Provisioner/state.json").write_text("{")
        document = self.document("status", 4, "status", "--root", image)
        for member in ("drift", "damage", "ledger", "findings"):
            self.assertTrue(document[member], member)

    def test_the_pages_own_example(self):
        (self.work / "worker.json").write_bytes(SAMPLE.read_bytes())
        (self.work / "schemas").symlink_to(FOLDER)
        script = re.search(r"(?ms)^\$ python3 - <<'EOF'\n(.*?)^EOF$", (FOLDER / "README.md").read_text())[1]
        (self.work / "settings.json").write_text(self.run_program("extract", "worker.json").stdout)
        path = os.pathsep.join([*sys.path, os.environ.get("PYTHONPATH", "")])
        done = run(sys.executable, "-W", "ignore", "-c", script, cwd=self.work, env={**os.environ, "PYTHONPATH": path})
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
