#!/usr/bin/env python3
"""Bakes the program as an OCI image archive, and reads it back with programs that are not ours.

usage: oci_e2e.py PROVISIONER"""
import gzip
import hashlib
import json
import unittest

from delivery import EPOCH, PROVISIONER, Case
from harness import must, need, run
from program_file import make_program

HIVES = ["DEFAULT", "SAM", "SECURITY", "SOFTWARE", "SYSTEM"]
LAYER = sorted([f"Files/Windows/System32/config/{name}" for name in HIVES] + ["Files/provisioner.exe"])


def sha256(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Image(Case):
    def setUp(self):
        super().setUp()
        self.exe = self.work / "provisioner.exe"
        self.exe.write_bytes(make_program(rest=b"program" * 100000))

    def bake(self, *words):
        return run(PROVISIONER, "bake", *words, env={"SOURCE_DATE_EPOCH": str(EPOCH)})

    def image(self):
        out = self.work / "image.tar"
        result = self.bake("--format", "oci", "--exe", self.exe, "--out", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        return out

    def test_skopeo_reads_what_it_is(self):
        need(self, "skopeo")
        image = self.image()
        config = json.loads(must("skopeo", "inspect", "--config", "--raw", f"oci-archive:{image}"))
        self.assertEqual((config["os"], config["architecture"]), ("windows", "amd64"))
        self.assertNotIn("os.version", config)
        self.assertEqual(config["config"]["Entrypoint"], [r"%CONTAINER_SANDBOX_MOUNT_POINT%\provisioner.exe"])
        raw = must("skopeo", "inspect", "--raw", f"oci-archive:{image}", text=False)
        document = json.loads(self.bake("--format", "oci", "--exe", self.exe, "--out", image, "--output", "json").stdout)
        self.assertEqual(sha256(raw), document["digest"])

    def test_its_layer_is_what_bsdtar_finds_in_it(self):
        need(self, "skopeo")
        need(self, "bsdtar")
        image = self.image()
        copy = self.work / "copy"
        must("skopeo", "copy", f"oci-archive:{image}", f"dir:{copy}")  # checks each digest
        manifest = json.loads((copy / "manifest.json").read_text())
        (layer,) = manifest["layers"]
        blob = copy / layer["digest"].removeprefix("sha256:")
        config = json.loads((copy / manifest["config"]["digest"].removeprefix("sha256:")).read_text())
        self.assertEqual(config["rootfs"]["diff_ids"], [sha256(gzip.decompress(blob.read_bytes()))])
        root = self.work / "root"
        root.mkdir()
        must("bsdtar", "-xpf", blob, cwd=root)
        self.assertEqual(sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()), LAYER)
        self.assertEqual((root / "Files/provisioner.exe").read_bytes(), self.exe.read_bytes())
        need(self, "hivexsh")
        for name in HIVES:
            self.assertEqual(must("hivexsh", root / "Files/Windows/System32/config" / name, input="ls\n"), "", name)

    def test_it_says_how_to_push_it(self):
        result = self.bake("--format", "oci", "--exe", self.exe, "--out", self.work / "i.tar")
        self.assertIn(f"skopeo copy oci-archive:{self.work}/i.tar docker://", result.stdout)


if __name__ == "__main__":
    unittest.main()
