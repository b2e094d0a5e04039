#!/usr/bin/env python3
"""hns-proxy under Wine, against libraries that stand in for the Host Networking Service (hns_double_win32.cc) and a program that
stands in for crictl. The calls that are expected are those that were recorded of Microsoft's own clients (docs/hns-proxy.md).

usage: hns_e2e.py PROVISIONER_EXE COMPUTENETWORK_DLL VMCOMPUTE_DLL CRICTL_EXE [unittest arguments]

Tests the requests to HNS, and the messages about its answers. It does not test what HNS does with a policy."""
import json
import os
import re
import shutil
import unittest

import output_schemas
from harness import ROOT, SAMPLE, argument, folder, must, run

PROGRAM, COMPUTENETWORK, VMCOMPUTE, CRICTL = (argument() for _ in range(4))
WINE = ROOT / "scripts/wine"

ID = "93F86A7F-E361-4362-B8A4-81BBB6A622DD"
TYPED = ID.lower()
OTHER = "00000000-0000-0000-0000-000000000001"
NAMESPACE = "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE"
CONTAINER = "ccaae3aba155" + "0123456789abcdef" * 3 + "0123"
# Policies of others, with blanks and a number that a parser would write differently.
ACL = '{ "Type":"ACL", "Settings":{"Action":"Allow","Direction":"Out","Weight":1.50} }'
NAT = '{"Settings":{"Exceptions":["10.0.0.0\\/16"]},"Type":"OutBoundNAT"}'
NEW = ('{"InboundProxyPort":"9191","OutboundProxyPort":"9191","FilterTuple":{"Protocols":"6"},"UserSID":"S-1-5-32-556",'
       '"InboundExceptions":{},"OutboundExceptions":{}}')
OLD = ('{"InboundProxyPort":"9091","OutboundProxyPort":"9191","FilterTuple":{"Protocols":"6"},"UserSID":"S-1-5-32-556",'
       '"InboundExceptions":{"PortExceptions":["90001"]},"OutboundExceptions":{}}')
OLDEST = '{"Port":"8000","FilterTuple":{"Protocols":"6"}}'
FLAGS = ["--port", "9191", "--usersid", "S-1-5-32-556"]
ALL = '{"SchemaVersion":{"Major":2,"Minor":0}}'
FIND = ["HcnEnumerateEndpoints", "HcnOpenEndpoint", "HcnQueryEndpointProperties", "HcnCloseEndpoint"]


def policy(settings):
    return '{"Type":"L4WFPPROXY","Settings":%s}' % settings


def only(guid):
    return '{"SchemaVersion":{"Major":2,"Minor":0},"Filter":"{\\"ID\\":\\"%s\\"}"}' % guid


def request(kind, *policies):
    return '{"ResourceType":"Policy","RequestType":"%s","Settings":{"Policies":[%s]}}' % (kind, ",".join(policies))


class Windows(unittest.TestCase):
    """One Windows for all tests of a class; each test has endpoints of its own."""

    @classmethod
    def setUpClass(cls):
        cls.home = folder(cls)
        cls.env = {**os.environ, "PROVISIONER_WINE_PREFIX": str(cls.home / "wine"), "SOURCE_DATE_EPOCH": ""}
        cls.addClassCleanup(run, WINE, "--end", env=cls.env)
        must(WINE, "cmd", "/c", "exit", env=cls.env)
        for library in (COMPUTENETWORK, VMCOMPUTE):
            shutil.copy(library, cls.home / "wine/drive_c/windows/system32")

    def setUp(self):
        self.work = folder(self, dir=self.home)
        for name in ("endpoints", "namespaces"):
            (self.work / name).mkdir()
        self.set("version.json", '{"Success":true,"Output":{"Major":13,"Minor":2}}')

    def set(self, name, text):
        (self.work / name).write_text(text)

    def put(self, guid, *policies):
        """An endpoint with these policies; the text of its file."""
        text = '{"ID":"%s", "Name":"pod","Policies":[%s],"MacAddress":"00-15-5D","Others":{"x" :[1.0]}}\n' % (guid, ",".join(policies))
        self.set(f"endpoints/{guid}.json", text)
        return text

    def endpoint(self, guid=ID):
        return (self.work / f"endpoints/{guid}.json").read_text()

    def settings(self, guid=ID):
        return [p["Settings"] for p in json.loads(self.endpoint(guid))["Policies"] if p["Type"] == "L4WFPPROXY"]

    def expect_others_kept(self, guid=ID):
        """All of the file but our policies is there byte for byte."""
        kept = self.endpoint(guid)
        self.assertIn("[" + ACL + "," + NAT, kept)
        self.assertEqual(re.sub(r'(?s),?\{"Type":"L4WFPPROXY".*\}(?=\],"MacAddress")', "", kept), self.original)

    def run_program(self, *words):
        return self.command("hns-proxy", *words)

    def command(self, *words):
        done = run(WINE, PROGRAM, *words, env={**self.env, "HNS_DOUBLE": f"Z:{self.work}"}, cwd=self.work)
        self.assertNotIn("LEAK", self.log(), "a handle was left open")
        return done

    def json(self, *words, exits=(0,)):
        done = self.run_program(*words, "--output", "json")
        self.assertIn(done.returncode, exits, done.stdout + done.stderr)
        schema = {"lookup": "hns-proxy-lookup", "check": "hns-proxy-support"}.get(words[0], "hns-proxy")
        return output_schemas.check(schema, json.loads(done.stdout))

    def log(self):
        log = self.work / "calls.log"
        return log.read_text() if log.exists() else ""

    def calls(self):
        """The calls since it was last asked, but for that of the version."""
        lines = [tuple(line.split("\t", 1)) for line in self.log().splitlines()]
        (self.work / "calls.log").unlink(missing_ok=True)
        return [call for call in lines if call[0] != "HNSCall"]

    def names(self):
        return [name for name, _ in self.calls()]


class Recorded(Windows):
    def setUp(self):
        super().setUp()
        self.original = self.put(ID, ACL, NAT)

    def test_add(self):
        report = self.json("add", TYPED, *FLAGS)
        self.assertEqual(self.calls(), [
            ("HcnEnumerateEndpoints", only(TYPED)), ("HcnOpenEndpoint", "{%s}" % ID), ("HcnQueryEndpointProperties", only(TYPED)),
            ("HcnCloseEndpoint", ""), ("HcnOpenEndpoint", "{%s}" % ID), ("HcnModifyEndpoint", request("Add", policy(NEW))),
            ("HcnQueryEndpointProperties", ALL), ("HcnCloseEndpoint", "")])
        self.assertEqual(report["endpoints"], [{"id": TYPED, "policies": [json.loads(NEW)], "action": "add"}])
        self.assertEqual(report["writes"], 1)
        self.expect_others_kept()
        self.assertEqual(self.json("add", TYPED, *FLAGS)["writes"], 0)
        self.assertEqual(self.names(), FIND)
        self.assertTrue(self.json("check")["supported"])
        self.set("version.json", '{"Success":true,"Output":{"Major":13,"Minor":1}}')
        self.assertFalse(self.json("check", exits=(13,))["supported"])

    def test_clear_echoes_what_is_there(self):
        self.put(ID, ACL, NAT, policy(OLD), policy(OLDEST))
        report = self.json("clear", TYPED)
        self.assertEqual(self.calls()[4:], [
            ("HcnOpenEndpoint", "{%s}" % ID), ("HcnModifyEndpoint", request("Remove", policy(OLD), policy(OLDEST))),
            ("HcnQueryEndpointProperties", ALL), ("HcnCloseEndpoint", "")])
        self.assertEqual((report["writes"], report["endpoints"][0]["action"]), (1, "clear"))
        self.assertEqual(self.endpoint(), self.original)
        self.assertEqual(self.json("clear", TYPED)["writes"], 0)
        self.assertEqual(self.names(), FIND, "nothing is removed where there is nothing")

    def test_a_policy_that_hns_refuses(self):
        self.set("fail-HcnModifyEndpoint", '803b000d\n{"Success":false,"Error":"The provided policy configuration is invalid or missing '
                 'parameters. ","ErrorCode":2151350285}')
        error = self.json("add", TYPED, *FLAGS, exits=(13,))["error"]
        self.assertEqual(error["code"], "hns")
        for word in ("HcnModifyEndpoint failed", "0x803b000d", "The provided policy configuration is invalid or missing parameters."):
            self.assertIn(word, error["message"])
        self.assertEqual(self.names()[-1], "HcnCloseEndpoint")


class Containers(Windows):
    def setUp(self):
        super().setUp()
        self.put(ID, ACL)
        self.put(OTHER, ACL)
        self.set(f"namespaces/{NAMESPACE}.json", json.dumps({
            "ID": NAMESPACE, "NamespaceId": 2, "Type": "Host", "SchemaVersion": {"Major": 2, "Minor": 0},
            "Resources": [{"Type": "Container", "Data": {"ID": "ccaae3aba155"}}, {"Type": "Endpoint", "Data": {"ID": ID}},
                          {"Type": "Endpoint", "Data": {"ID": OTHER}}]}))
        self.set("crictl-id", CONTAINER)
        self.set("crictl.json", json.dumps({
            "status": {"id": CONTAINER, "metadata": {"name": "web"}, "state": "CONTAINER_RUNNING"},
            "info": {"runtimeSpec": {"windows": {"network": {"networkNamespace": NAMESPACE.lower()}}}}}))
        self.crictl = ["--crictl-exe", "Z:" + CRICTL]

    def ids(self, report):
        return [endpoint["id"] for endpoint in report["endpoints"]]

    def test_a_namespace(self):
        report = self.json("ensure", "--namespace", NAMESPACE, *FLAGS)
        self.assertEqual((self.ids(report), report["writes"]), ([ID, OTHER], 2))
        calls = self.calls()
        self.assertEqual(calls[:4], [("HcnEnumerateNamespaces", only(NAMESPACE)), ("HcnOpenNamespace", "{%s}" % NAMESPACE),
                                     ("HcnQueryNamespaceProperties", only(NAMESPACE)), ("HcnCloseNamespace", "")])
        self.assertEqual(self.json("list", "--namespace", OTHER, exits=(13,))["error"]["code"], "hns")

    def test_a_container_by_crictl(self):
        for word in (CONTAINER, CONTAINER[:12], "containerd://" + CONTAINER):
            self.assertEqual(self.ids(self.json("list", "--container", word, *self.crictl)), [ID, OTHER])
        self.assertEqual((self.work / "crictl.log").read_text().splitlines(),
                         [f"inspect --output json {word}" for word in (CONTAINER, CONTAINER[:12], CONTAINER)])
        self.assertEqual(self.json("lookup", CONTAINER[:12], *self.crictl)["endpoints"], [ID, OTHER])
        error = self.json("list", "--container", "fffff", *self.crictl, exits=(13,))["error"]
        self.assertIn("not found", error["message"])
        self.json("list", "--container=--version", *self.crictl, exits=(10,))


class Applied(Windows):
    """The policy of a payload, kept on the endpoints of pods."""

    THIRD = "00000000-0000-0000-0000-000000000003"

    def run_json(self, *words, exits=(0,)):
        done = self.command(*words, "--output", "json")
        self.assertIn(done.returncode, exits, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def changes(self, report):
        return sorted((change["name"], change["action"]) for change in report["changes"]
                      if change["kind"] == "hns" and change["action"] != "none")

    def expect_kept(self, guids):
        for guid in guids:
            self.assertEqual(self.settings(guid), [json.loads(NEW)], guid)
        self.expect_others_kept()

    def test_pods_come_and_go(self):
        self.original, replaced = self.put(ID, ACL, NAT), self.put(OTHER, ACL, policy(OLD))
        self.set("policy.json", policy(NEW))
        self.run_json("bake", f"Z:{SAMPLE}", "--out", "payload", "--hns-policy", "policy.json", "--hns-pods", "all")
        self.assertEqual(self.changes(self.run_json("plan", "payload", exits=(4,))), [(OTHER, "update"), (ID, "create")])
        self.assertNotIn("HcnModifyEndpoint", self.names())
        self.assertEqual(self.changes(self.run_json("apply", "payload")), [(OTHER, "update"), (ID, "create")])
        self.expect_kept([ID, OTHER])
        self.calls()
        self.assertEqual(self.run_json("apply", "payload")["writes"], 0)
        self.assertNotIn("HcnModifyEndpoint", self.names())
        self.put(self.THIRD, ACL)
        self.put(ID, ACL, NAT)
        drift = self.run_json("status", exits=(4,))["drift"]
        self.assertEqual([(d["key"], d["name"], d["missing"], d["before"]) for d in drift if d["kind"] == "hns"],
                         [("hns:" + ID, ID, True, "in 9191, out 9191")])
        self.assertEqual(self.changes(self.run_json("apply", "payload")), [(self.THIRD, "create"), (ID, "create")])
        self.expect_kept([ID, OTHER, self.THIRD])
        self.assertEqual(self.changes(self.run_json("remove")), [(OTHER, "update"), (self.THIRD, "delete"), (ID, "delete")])
        self.assertEqual((self.endpoint(), self.endpoint(OTHER)), (self.original, replaced))
        self.assertEqual(self.settings(self.THIRD), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
