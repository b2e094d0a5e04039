#!/usr/bin/env python3
"""Bakes the sample and reads the payload back with tools that are not ours.

usage: bake_e2e.py PROVISIONER"""
import hashlib
import json
import os
import re
import unittest

from harness import SAMPLE, SERVICES, argument, digests, folder, mode_of, must, need, run

PROVISIONER = argument()


def provisioner(*arguments, environment=None, **options):
    env = {k: v for k, v in os.environ.items() if k != "SOURCE_DATE_EPOCH"}
    return run(PROVISIONER, *arguments, env={**env, **(environment or {})}, **options)


def registry_values(text):
    """{(key, name): (type, bytes)} of an export."""
    found, key = {}, None
    for line in text.splitlines():
        if line.startswith("["):
            key = line[1:-1].rstrip("\\")
        elif line.startswith('"'):
            name, value = re.match(r'"((?:[^"\\]|\\.)*)"=(.*)', line).groups()
            kind, _, data = value.partition(":")
            number = re.match(r"hex\(([0-9a-f]+)\)", kind)
            if value.startswith('"'):
                found[key, name] = (1, re.sub(r"\\(.)", r"\1", value[1:-1]).encode("utf-16-le") + b"\0\0")
            elif kind == "dword":
                found[key, name] = (4, int(data, 16).to_bytes(4, "little"))
            else:
                found[key, name] = (int(number[1], 16) if number else 3, bytes.fromhex(data.replace(",", "")))
    return found


class Payload(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = folder(cls)
        cls.out = cls.work / "payload"
        cls.result = provisioner("bake", SAMPLE, "--out", cls.out, *SERVICES)
        assert cls.result.returncode == 0, cls.result.stderr
        cls.egress = json.loads((cls.out / "egress.json").read_text())
        cls.manifest = json.loads((cls.out / "manifest.json").read_text())

    def test_manifest_is_true(self):
        listed = {f["path"]: f for f in self.manifest["files"]}
        found = digests(self.out)
        found.pop("manifest.json")
        self.assertEqual(set(listed), set(found))
        for path, digest in found.items():
            file = self.out / path
            self.assertEqual(listed[path]["sha256"], digest, path)
            self.assertEqual(listed[path]["bytes"], file.stat().st_size, path)
            self.assertEqual(listed[path]["mode"], "%04o" % mode_of(file), path)

    def test_same_bytes_on_another_path_time_zone_locale_and_umask(self):
        place = folder(self, prefix="another place ")
        (place / "in put.json").write_bytes(SAMPLE.read_bytes())
        result = provisioner("bake", "in put.json", "--out", "b/../deep/out", *SERVICES, cwd=place, umask=0o077,
                             environment={"TZ": "Pacific/Kiritimati", "LC_ALL": "tr_TR.UTF-8", "LANG": "de_DE.UTF-8", "HOME": "/nonexistent"})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(digests(place / "deep/out"), digests(self.out))

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
        need(self, "hivexregedit")
        got = {}
        for hive in ("SYSTEM", "SOFTWARE"):
            text = must("hivexregedit", "--export", self.out / "registry" / (hive + ".hiv"), "\\")
            got.update({(hive, *place): value for place, value in registry_values(text).items()})
        self.assertEqual(got, self.expected_values())

    def test_reg_file_holds_the_same_values(self):
        text = (self.out / "registry/egress.reg").read_bytes().decode("utf-16")
        self.assertTrue(text.startswith("Windows Registry Editor Version 5.00\r\n\r\n"))
        wanted = {("HKEY_LOCAL_MACHINE\\" + hive + path.replace("ControlSet001", "CurrentControlSet"), name): value
                  for (hive, path, name), value in self.expected_values().items()}
        self.assertEqual(registry_values(text.replace("\\\r\n  ", "")), wanted)

    def test_openssl_reads_what_is_signed(self):
        need(self, "openssl")
        key, signer, out = (self.work / name for name in ("key.pem", "signer.pem", "signed"))
        must("openssl", "req", "-x509", "-newkey", "rsa:3072", "-nodes", "-keyout", key, "-out", signer, "-subj", "/CN=signer", "-days", 30)
        result = provisioner("bake", SAMPLE, "--out", out, "--sign", key, "--signer", signer, "--generation", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        verify = ["openssl", "cms", "-verify", "-binary", "-inform", "DER", "-in", out / "manifest.json.p7s", "-content", out / "manifest.json", "-certfile", signer,
                  "-CAfile", signer, "-purpose", "any", "-out", os.devnull]
        must(*verify)
        with open(out / "manifest.json", "ab") as manifest:
            manifest.write(b" ")
        self.assertNotEqual(run(*verify).returncode, 0)

    def test_the_purpose_of_a_signer_that_openssl_made_counts(self):
        need(self, "openssl")
        key, signer = self.work / "key.pem", self.work / "signer.pem"
        must("openssl", "genrsa", "-out", key, 2048)
        for extension, why in (("extendedKeyUsage=codeSigning", ""), ("keyUsage=critical,digitalSignature", ""),
                               ("extendedKeyUsage=serverAuth,clientAuth", "serverAuth, clientAuth"),
                               ("extendedKeyUsage=codeSigning,anyExtendedKeyUsage", "codeSigning, anyExtendedKeyUsage"),
                               ("keyUsage=keyCertSign,cRLSign", "keyCertSign, cRLSign")):
            must("openssl", "req", "-x509", "-key", key, "-out", signer, "-subj", "/CN=signer", "-days", 30, "-addext", extension)
            for result in (provisioner("bake", SAMPLE, "--out", self.work / "signed", "--sign", key, "--signer", signer, "--generation", "1"),
                           provisioner("check", self.work / "signed", "--signer", signer)):
                self.assertEqual(result.returncode, 12 if why else 0, f"{extension}: {result.stderr}")
                self.assertIn(why, result.stderr)

    def test_the_files_of_each_node_are_signed(self):
        need(self, "openssl")
        key, signer, out = (self.work / name for name in ("key.pem", "signer.pem", "fleet"))
        must("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", signer, "-subj", "/CN=signer", "-days", 30)
        (self.work / "nodes.csv").write_text("name\nwin-1\nwin-2\n")
        result = provisioner("bake", SAMPLE, "--out", out, "--nodes", self.work / "nodes.csv", "--sign", key, "--signer", signer, "--generation", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        for node in ("win-1", "win-2"):
            files = out / "nodes" / node
            must("openssl", "cms", "-verify", "-binary", "-inform", "DER", "-in", files / "manifest.json.p7s", "-content", files / "manifest.json", "-certfile", signer,
                 "-CAfile", signer, "-purpose", "any", "-out", os.devnull)
            manifest = json.loads((files / "manifest.json").read_text())
            self.assertEqual(manifest["node"], node)
            self.assertEqual(manifest["payload"], {"path": "../../common", "sha256": hashlib.sha256((out / "common/manifest.json").read_bytes()).hexdigest()})
            self.assertEqual(provisioner("check", files, "--signer", signer, "--node", "win-1").returncode, 0 if node == "win-1" else 12)


if __name__ == "__main__":
    unittest.main(verbosity=2)
