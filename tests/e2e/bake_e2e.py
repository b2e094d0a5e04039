#!/usr/bin/env python3
"""Bakes the sample and reads the payload back with tools that are not ours.

usage: bake_e2e.py PROVISIONER"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

from delivery import PROVISIONER, SAMPLE, SERVICES, TESTS, need

SHARED = TESTS.parent.parent / "shared"


def provisioner(*arguments, environment=None, **options):
    env = {k: v for k, v in os.environ.items() if k != "SOURCE_DATE_EPOCH"}
    env.update(environment or {})
    return subprocess.run([PROVISIONER, *map(str, arguments)], capture_output=True, text=True, env=env, **options)


def digests(folder):
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.rglob("*")) if p.is_file()}


class Payload(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = pathlib.Path(tempfile.mkdtemp(prefix="provisioner-e2e-"))
        cls.out = cls.work / "payload"
        cls.result = provisioner("bake", SAMPLE, "--out", cls.out, *SERVICES)
        assert cls.result.returncode == 0, cls.result.stderr
        cls.egress = json.loads((cls.out / "egress.json").read_text())
        cls.manifest = json.loads((cls.out / "manifest.json").read_text())

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def test_manifest_is_true(self):
        listed = {f["path"]: f for f in self.manifest["files"]}
        found = digests(self.out)
        found.pop("manifest.json")
        self.assertEqual(set(listed), set(found))
        for path, digest in found.items():
            file = self.out / path
            self.assertEqual(listed[path]["sha256"], digest, path)
            self.assertEqual(listed[path]["bytes"], file.stat().st_size, path)
            self.assertEqual(listed[path]["mode"], "%04o" % stat.S_IMODE(file.stat().st_mode), path)

    def test_same_bytes_on_another_path_time_zone_locale_and_umask(self):
        with tempfile.TemporaryDirectory(prefix="another place ") as folder:
            copy = pathlib.Path(folder) / "in put.json"
            shutil.copy(SAMPLE, copy)
            result = provisioner("bake", copy.name, "--out", "b/../deep/out", *SERVICES, cwd=folder,
                                 environment={"TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.UTF-8", "HOME": "/nonexistent"},
                                 preexec_fn=lambda: os.umask(0o077))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(digests(pathlib.Path(folder) / "deep/out"), digests(self.out))

    def operations(self, kind):
        """key -> value of the operations of a kind, with what egress.json has for null."""
        document = json.loads((self.out / "operations.json").read_text())
        found = {o["key"]: o.get("value") for o in document["operations"] if o["kind"] == kind}
        fill = lambda name, value: self.egress["proxy"][name] if value is None else value
        if kind == "env":
            return {name: fill(name, value) for name, value in found.items()}
        if kind == "serviceEnv":
            return {service: {name: fill(name, value) for name, value in values.items()} for service, values in found.items()}
        return found

    def expected_values(self):
        """(hive, key, name) -> (type, bytes) for every value that operations.json and egress.json ask for."""
        sz = lambda text: text.encode("utf-16-le") + b"\0\0"
        out = {}
        for name, value in self.operations("env").items():
            out["SYSTEM", r"\ControlSet001\Control\Session Manager\Environment", name] = (1, sz(value))
        for service, variables in self.operations("serviceEnv").items():
            entries = b"".join(sz("%s=%s" % item) for item in variables.items()) + b"\0\0"
            out["SYSTEM", r"\ControlSet001\Services\%s" % service, "Environment"] = (7, entries)
        dword = lambda number: number.to_bytes(4, "little")
        text = lambda value: dword(len(value)) + value.encode("ascii")
        for view, settings in self.operations("winHttp").items():
            key = {"64": "", "32": r"\WOW6432Node"}[view] + r"\Microsoft\Windows\CurrentVersion\Internet Settings\Connections"
            out["SOFTWARE", key, "WinHttpSettings"] = (3, dword(24) + dword(0) + dword(3) + text(settings["proxy"]) + text(settings["bypass"]))
        for c in self.egress["certificates"]:
            der = (self.out / c["file"]).read_bytes()
            self.assertEqual(hashlib.sha256(der).hexdigest(), c["sha256"])
            prop = lambda number, data: number.to_bytes(4, "little") + b"\1\0\0\0" + len(data).to_bytes(4, "little") + data
            blob = prop(3, bytes.fromhex(c["sha1"])) + prop(32, der)
            out["SOFTWARE", r"\Microsoft\SystemCertificates\%s\Certificates\%s" % (c["store"], c["sha1"].upper()), "Blob"] = (3, blob)
        return out

    def test_hivexregedit_reads_every_value_and_nothing_else(self):
        need(self, "hivexregedit", "libwin-hivex-perl")
        got = {}
        for hive in ("SYSTEM", "SOFTWARE"):
            text = subprocess.run(["hivexregedit", "--export", self.out / "registry" / (hive + ".hiv"), "\\"], capture_output=True, text=True, check=True).stdout
            key = None
            for line in text.splitlines():
                if line.startswith("["):
                    key = line[1:-1].rstrip("\\")
                elif line.startswith('"'):
                    name, value = re.match(r'"((?:[^"\\]|\\.)*)"=(.*)', line).groups()
                    kind, data = re.match(r"(dword|hex(?:\(([0-9a-f]+)\))?):(.*)", value).group(0, 3)
                    number = re.match(r"hex\(([0-9a-f]+)\)", kind)
                    if kind.startswith("dword"):
                        got[hive, key, name] = (4, int(data, 16).to_bytes(4, "little"))
                    else:
                        got[hive, key, name] = (int(number.group(1), 16) if number else 3, bytes.fromhex(data.replace(",", "")))
        self.assertEqual(got, self.expected_values())

    def test_reg_file_holds_the_same_values(self):
        text = (self.out / "registry/egress.reg").read_bytes().decode("utf-16")
        self.assertTrue(text.startswith("Windows Registry Editor Version 5.00\r\n\r\n"))
        text = text.replace("\\\r\n  ", "")
        got, key = {}, None
        for line in text.split("\r\n")[1:]:
            if line.startswith("["):
                key = line[1:-1]
            elif line:
                name, value = re.match(r'"((?:[^"\\]|\\.)*)"=(.*)', line).groups()
                unescape = lambda s: re.sub(r"\\(.)", r"\1", s)
                if value.startswith('"'):
                    data = (1, unescape(value[1:-1]).encode("utf-16-le") + b"\0\0")
                elif value.startswith("dword:"):
                    data = (4, int(value[6:], 16).to_bytes(4, "little"))
                else:
                    kind, number, data = re.match(r"hex(\(([0-9a-f]+)\))?:(.*)", value).groups()[0:3]
                    data = (int(number, 16) if kind else 3, bytes.fromhex(data.replace(",", "")))
                got[key, unescape(name)] = data
        wanted = {}
        for (hive, path, name), value in self.expected_values().items():
            wanted["HKEY_LOCAL_MACHINE\\" + hive + path.replace("ControlSet001", "CurrentControlSet"), name] = value
        self.assertEqual(got, wanted)

    def test_openssl_reads_what_is_signed(self):
        need(self, "openssl", "openssl")

        def openssl(*words):
            return subprocess.run(["openssl", *map(str, words)], capture_output=True).returncode == 0

        key, signer, out = (self.work / name for name in ("key.pem", "signer.pem", "signed"))
        self.assertTrue(openssl("req", "-x509", "-newkey", "rsa:3072", "-nodes", "-keyout", key, "-out", signer, "-subj", "/CN=signer", "-days", 30))
        result = provisioner("bake", SAMPLE, "--out", out, "--sign", key, "--signer", signer, "--generation", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        verify = ["cms", "-verify", "-binary", "-inform", "DER", "-in", out / "manifest.json.p7s", "-content", out / "manifest.json", "-certfile", signer,
                  "-CAfile", signer, "-purpose", "any", "-out", os.devnull]
        self.assertTrue(openssl(*verify))
        with open(out / "manifest.json", "ab") as manifest:
            manifest.write(b" ")
        self.assertFalse(openssl(*verify))

    def test_answer_file_is_valid_by_its_schema(self):
        need(self, "xmllint", "libxml2-utils")
        schema = SHARED / "cases/windows/autounattend.xsd"
        if not schema.exists():
            print("SKIPPED: %s: the schema is not beside the repository" % self.id())
            self.skipTest("no schema")
        result = subprocess.run(["xmllint", "--noout", "--schema", schema, self.out / "unattend.xml"], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
