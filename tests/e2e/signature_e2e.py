#!/usr/bin/env python3
"""Signs payloads and verifies the signatures with OpenSSL; has the program verify signatures made by OpenSSL.

usage: signature_e2e.py PROVISIONER"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROVISIONER = os.path.abspath(sys.argv.pop(1))
SAMPLE = pathlib.Path(__file__).resolve().parents[1] / "sample/rendered-worker.json"
SIGNATURE = "manifest.json.p7s"


def run(*command, **options):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, errors="replace", **options)


def openssl(*arguments):
    result = run("openssl", *arguments)
    assert result.returncode == 0, "openssl %s\n%s" % (" ".join(map(str, arguments)), result.stderr)


def provisioner(*arguments, exit=0, **options):
    result = run(PROVISIONER, *arguments, **options)
    assert result.returncode == exit, "%s\nexit %s\n%s%s" % (" ".join(map(str, arguments)), result.returncode, result.stdout, result.stderr)
    return result


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

    def bake(self, *options, key=None, certificate=None, exit=0, **more):
        out = self.path()
        result = provisioner("bake", SAMPLE, "--out", out, "--sign", key or self.key, "--signer", certificate or self.certificate,
                             "--generation", "1", *options, exit=exit, **more)
        return (out, result)

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
        payload, _ = self.bake()
        self.assertTrue(self.cms_verify(payload))
        manifest = (payload / "manifest.json").read_bytes()
        (payload / "manifest.json").write_bytes(manifest + b" ")
        self.assertFalse(self.cms_verify(payload))

    def test_the_bytes_are_openssls(self):
        payload, _ = self.bake()
        ours = (payload / SIGNATURE).read_bytes()
        self.cms_sign(payload, "-noattr", "-nocerts", "-md", "sha256")
        self.assertEqual(ours, (payload / SIGNATURE).read_bytes())

    def test_we_take_what_openssl_signs_in_this_form_alone(self):
        payload, _ = self.bake()
        for options, taken in ((["-noattr"], True), (["-noattr", "-nocerts"], True), (["-noattr", "-certfile", self.work / "theirs.pem"], True), ([], False),
                               (["-noattr", "-nodetach"], False), (["-noattr", "-keyid"], False), (["-noattr", "-md", "sha512"], False),
                               (["-noattr", "-keyopt", "rsa_padding_mode:pss"], False)):
            self.cms_sign(payload, *([] if "-md" in options else ["-md", "sha256"]), *options)
            self.assertEqual(self.accepts(payload), taken, options)
        self.cms_sign(payload, "-md", "sha256", "-noattr", key=self.work / "theirs.key", certificate=self.work / "theirs.pem")
        self.assertFalse(self.accepts(payload), "the same name and serial number, another key")
        self.assertTrue(self.accepts(payload, self.work / "theirs.pem"))

    def test_same_bytes_each_time(self):
        der = self.work / "ours.cer"
        openssl("x509", "-in", self.certificate, "-outform", "DER", "-out", der)
        first, _ = self.bake()
        second, _ = self.bake(certificate=der, env={**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"})
        for file in ("manifest.json", SIGNATURE):
            self.assertEqual((first / file).read_bytes(), (second / file).read_bytes(), file)
        self.assertNotIn("p7s", (first / "manifest.json").read_text())

    def test_keys(self):
        pkcs1, encrypted, traditional, curve, der = (self.work / name for name in ("pkcs1.key", "encrypted.key", "traditional.key", "ec.key", "der.key"))
        openssl("rsa", "-in", self.key, "-traditional", "-out", pkcs1)
        openssl("pkey", "-in", self.key, "-aes256", "-passout", "pass:x", "-out", encrypted)
        openssl("rsa", "-in", self.key, "-traditional", "-aes256", "-passout", "pass:x", "-out", traditional)
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", curve)
        openssl("pkey", "-in", self.key, "-outform", "DER", "-out", der)
        first, _ = self.bake()
        second, _ = self.bake(key=pkcs1)
        self.assertEqual((first / SIGNATURE).read_bytes(), (second / SIGNATURE).read_bytes())
        for key, words in ((encrypted, "encrypted key"), (traditional, "encrypted key"), (curve, "RSA keys"), (der, "no private key in PEM"),
                           (self.work / "theirs.key", "not the key of the certificate")):
            out, result = self.bake(key=key, exit=12)
            self.assertIn(words, result.stderr)
            self.assertFalse(out.exists(), key)

    def test_the_key_is_nowhere(self):
        lines = [line for line in self.key.read_text().splitlines() if not line.startswith("-")]
        payload, result = self.bake("--output", "json")
        holding = [p.name for p in payload.rglob("*") if p.is_file() and any(line.encode() in p.read_bytes() for line in lines)]
        self.assertEqual(holding, [])
        for text in (result.stdout, result.stderr, self.bake(certificate=self.work / "theirs.pem", exit=12)[1].stderr):
            self.assertFalse([line for line in lines if line in text])

    def test_a_new_payload_replaces_a_signed_one(self):
        payload, _ = self.bake()
        provisioner("bake", SAMPLE, "--out", payload)
        self.assertFalse((payload / SIGNATURE).exists(), "the signature of the old one does not stay")
        self.assertFalse(self.accepts(payload))


if __name__ == "__main__":
    unittest.main(verbosity=2)
