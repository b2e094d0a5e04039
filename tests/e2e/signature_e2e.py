#!/usr/bin/env python3
"""Signs payloads and verifies the signatures with OpenSSL; has the program verify signatures made by OpenSSL.

usage: signature_e2e.py PROVISIONER"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from delivery import PROVISIONER, SAMPLE

SIGNATURE = "manifest.json.p7s"


def run(*command, **options):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, errors="replace", **options)


def openssl(*arguments):
    result = run("openssl", *arguments)
    assert result.returncode == 0, "openssl %s\n%s" % (" ".join(map(str, arguments)), result.stderr)


class Signature(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("openssl"):
            print("NOT RUN: signature_e2e: the program openssl is missing (Debian package openssl)")
            sys.exit(77)
        cls.work = pathlib.Path(tempfile.mkdtemp(prefix="provisioner-signature-"))
        cls.made = 0
        for name in ("ours", "theirs"):
            openssl("req", "-x509", "-newkey", "rsa:3072", "-nodes", "-keyout", cls.work / (name + ".key"), "-out", cls.work / (name + ".pem"),
                    "-subj", "/O=Example Corp/CN=Payload Signer", "-set_serial", "0x80fe", "-days", "30")
        cls.key, cls.certificate = cls.work / "ours.key", cls.work / "ours.pem"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work)

    def path(self):
        type(self).made += 1
        return self.work / ("made-%d" % self.made)

    def bake(self):
        out = self.path()
        result = run(PROVISIONER, "bake", SAMPLE, "--out", out, "--sign", self.key, "--signer", self.certificate, "--generation", "1")
        self.assertEqual(result.returncode, 0, result.stderr)
        return out

    def accepts(self, payload, signer=None):
        """Whether the payload is taken by somebody who wants this signer; any other refusal than that of the signature is an error."""
        result = run(PROVISIONER, "bake", payload, "--out", self.path(), "--signer", signer or self.certificate, "--output", "json")
        if result.returncode == 0:
            return True
        self.assertEqual((result.returncode, json.loads(result.stdout)["error"]["code"]), (12, "signature"), result.stdout)
        return False

    def cms_sign(self, payload, *options, key=None, certificate=None):
        openssl("cms", "-sign", "-binary", "-signer", certificate or self.certificate, "-inkey", key or self.key, *options, "-in", payload / "manifest.json",
                "-outform", "DER", "-out", payload / SIGNATURE)

    def cms_verify(self, payload):
        return run("openssl", "cms", "-verify", "-binary", "-inform", "DER", "-in", payload / SIGNATURE, "-content", payload / "manifest.json",
                   "-certfile", self.certificate, "-CAfile", self.certificate, "-purpose", "any", "-out", self.path()).returncode == 0

    def test_openssl_reads_what_we_sign(self):
        payload = self.bake()
        self.assertTrue(self.cms_verify(payload))
        manifest = (payload / "manifest.json").read_bytes()
        (payload / "manifest.json").write_bytes(manifest + b" ")
        self.assertFalse(self.cms_verify(payload))

    def test_the_bytes_are_openssls(self):
        payload = self.bake()
        ours = (payload / SIGNATURE).read_bytes()
        self.cms_sign(payload, "-noattr", "-nocerts", "-md", "sha256")
        self.assertEqual(ours, (payload / SIGNATURE).read_bytes())

    def test_we_take_what_openssl_signs_in_this_form_alone(self):
        payload = self.bake()
        for options, taken in ((["-noattr"], True), (["-noattr", "-nocerts"], True), (["-noattr", "-certfile", self.work / "theirs.pem"], True), ([], False),
                               (["-noattr", "-nodetach"], False), (["-noattr", "-keyid"], False), (["-noattr", "-md", "sha512"], False),
                               (["-noattr", "-keyopt", "rsa_padding_mode:pss"], False)):
            self.cms_sign(payload, *([] if "-md" in options else ["-md", "sha256"]), *options)
            self.assertEqual(self.accepts(payload), taken, options)
        self.cms_sign(payload, "-md", "sha256", "-noattr", key=self.work / "theirs.key", certificate=self.work / "theirs.pem")
        self.assertFalse(self.accepts(payload), "the same name and serial number, another key")
        self.assertTrue(self.accepts(payload, self.work / "theirs.pem"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
