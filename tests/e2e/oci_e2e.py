#!/usr/bin/env python3
"""Bakes the program as an OCI image archive, and reads it back with programs that are not ours.

usage: oci_e2e.py PROVISIONER"""
import gzip
import hashlib
import json
import os
import re
import tarfile
import unittest

from delivery import EPOCH, PROVISIONER, Case
from harness import must, need, run, skip
from image_root import run_in, unpacked
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

    def test_it_says_where_it_comes_from(self):
        need(self, "skopeo")
        out = self.work / "image.tar"
        revision = "org.opencontainers.image.revision"
        result = self.bake("--format", "oci", "--exe", self.exe, "--out", out, "--annotation", f"{revision}=0123abc", "--annotation",
                           "org.opencontainers.image.source=https://git.example.test/provisioner")
        self.assertEqual(result.returncode, 0, result.stderr)
        config = json.loads(must("skopeo", "inspect", "--config", "--raw", f"oci-archive:{out}"))["config"]["Labels"]
        manifest = json.loads(must("skopeo", "inspect", "--raw", f"oci-archive:{out}"))["annotations"]
        self.assertEqual(config, manifest)
        self.assertEqual((config[revision], config["org.opencontainers.image.licenses"]), ("0123abc", "Apache-2.0"))
        self.assertEqual(self.bake("--format", "oci", "--exe", self.exe, "--out", out, "--annotation", "x").returncode, 10)

    def test_it_says_how_to_push_it(self):
        result = self.bake("--format", "oci", "--exe", self.exe, "--out", self.work / "i.tar")
        self.assertIn(f"skopeo copy oci-archive:{self.work}/i.tar docker://", result.stdout)


class ControllerImage(Case):
    def bake(self, tree, *words):
        self.out = self.work / "controller.oci"
        return run(PROVISIONER, "bake", "--format", "oci", "--os", "linux", "--tree", tree, "--out", self.out, *words, env={"SOURCE_DATE_EPOCH": str(EPOCH)})

    def tree(self, program=PROVISIONER):
        """The program with the libraries that this system has for it."""
        path = self.work / "tree.tar"
        libraries = re.findall(r"(?:=> )?(/\S+) \(0x", must("ldd", PROVISIONER))
        with tarfile.open(path, "w") as archive:
            for file, name in [(program, "usr/bin/provisioner")] + [(os.path.realpath(file), file.lstrip("/")) for file in libraries]:
                archive.add(file, "./" + name)
        return path

    def test_it_runs_as_nobody_on_a_root_that_cant_be_written(self):
        need(self, "skopeo")
        need(self, "bsdtar")
        need(self, "unshare")
        if os.geteuid() != 0:
            skip(self, "only root may chroot")
        result = self.bake(self.tree())
        self.assertEqual(result.returncode, 0, result.stderr)
        config, root = unpacked(self.out, self.work)
        self.assertEqual(config["os"], "linux")
        self.assertRegex(config["config"]["User"], r"^[1-9][0-9]*:[1-9][0-9]*$", "a cluster can see that it is not root's")
        self.assertEqual(run_in(root, config, "--version"), must(PROVISIONER, "--version"))

    def test_a_tree_that_does_not_hold_this_program_is_refused(self):
        other = self.work / "other"
        other.write_bytes(b"another")
        done = self.bake(self.tree(other))
        self.assertEqual(done.returncode, 11)
        self.assertIn("another program", done.stderr)
        with tarfile.open(self.work / "empty.tar", "w"):
            pass
        self.assertIn("has no file usr/bin/provisioner", self.bake(self.work / "empty.tar").stderr)
        self.assertEqual(self.bake(other).returncode, 11, "no tar")
        self.assertEqual(self.bake(self.tree(), "--exe", other).returncode, 10)
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()
