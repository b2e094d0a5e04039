#!/usr/bin/env python3
"""User data of every form, read by other people's readers: kubectl for the Secret, and the grammar of the baked PowerShell scripts
(node). powershell/user-data runs every form, and pinned_e2e.py has the bytes.

usage: user_data_e2e.py PROVISIONER"""
import base64
import json
import os
import unittest

from harness import SAMPLE, SERVICES, SHARED, TESTS, Handler, argument, folder, mode_of, must, need, run, serve, skip
from user_data_reader import parts_of, script_of, scripts_and_container

PROVISIONER = argument()
PASSWORD = b"S3cret%40%23%25%26%27p"
EXE = "https://downloads.example.com/provisioner.exe#sha256=" + "0123456789abcdef" * 4
# No script of the operator's, but of its form: tagged, tabs, line feeds, run again at each boot.
OPERATORS = ("<powershell>function Set-Example {\n\tparam([string]$Name)\n\tWrite-Output \"$Name\"\n}\n\nSet-Example -Name 'x'\n"
             "</powershell>\n<persist>true</persist>\n")

# The options that make each form.
FORMS = {
    "aws.txt": ["--platform", "aws"],
    "aws-exe-url.txt": ["--platform", "aws", "--exe-url", EXE],
    "aws-appended.txt": ["--platform", "aws", "--append-to", "OPERATORS"],
    "aws-appended-exe-url.txt": ["--platform", "aws", "--append-to", "OPERATORS", "--exe-url", EXE],
    "aws-secret.yaml": ["--platform", "aws", "--append-to", "OPERATORS", "--secret", "windows-user-data-egress"],
    "azure.ps1": ["--platform", "azure"],
    "gcp.ps1": ["--platform", "gcp"],
    "vsphere.txt": ["--platform", "vsphere"],
    "nutanix.ps1": ["--platform", "nutanix"],
    "openstack.ps1": ["--platform", "openstack"],
    "none.ps1": ["--platform", "none"],
}


class UserData(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = folder(cls)
        cls.operators = cls.work / "operators.txt"
        cls.operators.write_text(OPERATORS)
        cls.made, cls.results = {}, {}
        for name, options in FORMS.items():
            cls.results[name] = cls.bake(name, *options)
            assert cls.results[name].returncode == 0, (name, cls.results[name].stderr)
            cls.made[name] = (cls.work / name).read_bytes()

    @classmethod
    def bake(cls, out, *options, source=SAMPLE):
        words = [cls.operators if word == "OPERATORS" else word for word in options]
        return run(PROVISIONER, "bake", source, "--format", "userdata", "--out", cls.work / out, *SERVICES, *words)

    def test_each_is_a_source(self):
        wanted = json.loads(must(PROVISIONER, "extract", SAMPLE))
        for name, data in self.made.items():
            with self.subTest(name):
                read = json.loads(must(PROVISIONER, "extract", "-", input=data.decode()))
                self.assertEqual(read["proxy"], wanted["proxy"])
                self.assertEqual(*({one["sha1"] for one in each["trustBundle"]["certificates"]} for each in (read, wanted)))

    def test_secret_manifests_are_taken_and_made(self):
        manifest = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "windows-user-data"}}
        encoded = base64.b64encode(OPERATORS.encode()).decode()
        forms = {"data.json": json.dumps({**manifest, "data": {"userData": encoded}}),
                 "string.json": json.dumps({**manifest, "stringData": {"userData": OPERATORS}}),
                 "data.yaml": "apiVersion: v1\ndata:\n  userData: %s\nkind: Secret\nmetadata:\n  name: windows-user-data\n" % encoded}
        for name, text in forms.items():
            (self.work / name).write_text(text)
            result = self.bake("from-%s.txt" % name, "--platform", "aws", "--append-to", self.work / name)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual((self.work / ("from-%s.txt" % name)).read_bytes(), self.made["aws-appended.txt"], name)

    def test_only_our_own_files_are_replaced(self):
        for name in FORMS:
            self.assertEqual(self.bake("replaced", "--platform", "none").returncode, 0)
            (self.work / "replaced").write_bytes(self.made[name])
            self.assertEqual(self.bake("replaced", "--platform", "none").returncode, 0, name)
        (self.work / "replaced").write_bytes(b"")
        self.assertEqual(self.bake("replaced", "--platform", "vsphere", "--secret", "windows", "--secret-form", "cluster-api").returncode, 0)
        self.assertEqual(self.bake("replaced", "--platform", "none").returncode, 0)
        for name, data in (("theirs", b"somebody's\n"), ("input.json", SAMPLE.read_bytes()), ("append", OPERATORS.encode())):
            (self.work / name).write_bytes(data)
            source = self.work / "input.json" if name == "input.json" else SAMPLE
            more = ["--append-to", self.work / "append"] if name == "append" else []
            result = self.bake(name, "--platform", "aws", "--output", "json", *more, source=source)
            self.assertEqual((result.returncode, json.loads(result.stdout)["error"]["code"]), (13, "target"), name)
            self.assertEqual((self.work / name).read_bytes(), data)

    def test_report(self):
        result = self.bake("report", "--platform", "aws", "--output", "json")
        report = json.loads(result.stdout)
        self.assertEqual({k: report[k] for k in ("schema", "format", "platform", "limit", "generation", "holdsCredentials")},
                         {"schema": 1, "format": "userdata", "platform": "aws", "limit": 16384, "generation": 1, "holdsCredentials": True})
        self.assertEqual(report["bytes"], len(self.made["aws.txt"]))
        codes = {f["code"] for f in report["findings"]}
        self.assertLessEqual({"script-only", "userdata-credentials"}, codes)
        self.assertIsNone(json.loads(self.bake("report", "--platform", "none", "--output", "json").stdout)["limit"])
        # Without an instance id cloudbase-init would run it at every boot, and its default services don't read guestinfo.
        vsphere = json.loads(self.bake("report", "--platform", "vsphere", "--output", "json").stdout)
        metadata = base64.b64encode(b'instance-id: "%s"\n' % vsphere["instanceId"].encode()).decode()
        self.assertEqual(vsphere["guestinfo"], {"userdata.encoding": "gzip+base64", "metadata": metadata, "metadata.encoding": "base64"})
        self.assertEqual(vsphere["metadataServices"], "cloudbaseinit.metadata.services.vmwareguestinfoservice.VMwareGuestInfoService")

    def test_credentials_are_for_the_owner_and_are_shown_nowhere(self):
        for name in FORMS:
            self.assertEqual(mode_of(self.work / name), 0o600, name)
            result = self.results[name]
            self.assertNotIn(PASSWORD.decode(), result.stdout + result.stderr)
            script, settings, _ = parts_of(script_of(self.made[name]))
            self.assertNotIn(PASSWORD, script + script_of(self.made[name]))
            self.assertIn(PASSWORD.decode(), settings["proxy"]["HTTP_PROXY"])
        self.assertEqual(self.bake("public", "--platform", "aws", "--credentials", "none").returncode, 0)
        data = (self.work / "public").read_bytes()
        self.assertEqual(mode_of(self.work / "public"), 0o644)
        self.assertNotIn(PASSWORD.decode(), json.dumps(parts_of(script_of(data))[1]))

    # ---- other people's readers

    def test_kubectl_reads_the_secret(self):
        need(self, "kubectl")
        secret = json.loads(must("kubectl", "label", "--local", "-f", self.work / "aws-secret.yaml", "example=1", "-o", "json",
                                 env={**os.environ, "KUBECONFIG": "/dev/null"}))
        self.assertEqual((secret["kind"], secret["apiVersion"], secret["type"]), ("Secret", "v1", "Opaque"))
        self.assertEqual((secret["metadata"]["name"], secret["metadata"]["namespace"]), ("windows-user-data-egress", "openshift-machine-api"))
        self.assertEqual(base64.b64decode(secret["data"]["userData"]), self.made["aws-appended.txt"])

    def scripts(self):
        """Every script that user data runs, as files; those that several forms share once."""
        place = self.work / "scripts"
        place.mkdir(exist_ok=True)
        made = {}
        for name, data in self.made.items():
            script = script_of(data)
            carried, apply, _ = scripts_and_container(script)
            for role, text in (("outer", script), ("run", carried), ("apply", apply)):
                made.setdefault(text, place / f"{name}.{role}.ps1")
        for text, path in made.items():
            path.write_bytes(text)
        return sorted(made.values())

    def test_scripts_are_powershell_by_the_grammar(self):
        need(self, "node")
        result = run("node", TESTS / "e2e/powershell/check-syntax.mjs", *self.scripts())
        if result.returncode == 77:
            skip(self, result.stdout.strip())
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_curl_takes_the_url_from_a_file(self):
        """As the script gives it: whatever a URL of --exe-url and --ca-transport may hold arrives as it is."""
        need(self, "curl")
        script = (TESTS.parent / "templates/UserData-Run.ps1").read_text()
        self.assertIn('Set-Content "$root\\url" "url=$url"', script)
        self.assertIn('-K "$root\\url"', script)
        asked = []

        class Answer(Handler):
            def do_GET(self):
                asked.append(self.path)
                self.reply(200, b"file")

        path = "/a(b)[1]{2}/x?sig=a%20b&c=d:e=f;g,$h\\i|j~k`l^m<n>o!p*q@r-s_t+u"
        (self.work / "url").write_bytes(b"url=http://127.0.0.1:%d%s\r\n" % (serve(self, Answer).server_port, path.encode()))
        result = run("curl", "-q", "-gsSfL", "--noproxy", "*", "-m", "120", "-o", self.work / "fetched", "-K", self.work / "url")
        self.assertEqual((result.returncode, asked, (self.work / "fetched").read_bytes()), (0, [path], b"file"), result.stderr)

    def test_shared_samples(self):
        samples = sorted((SHARED / "cases/windows/userdata").glob("wmco*"))
        if not samples:
            skip(self, "no samples of user data beside the project")
        for sample in samples:
            result = self.bake("shared", "--platform", "aws", "--append-to", sample)
            self.assertIn(result.returncode, (0, 12), result.stderr)


if __name__ == "__main__":
    unittest.main()
