#!/usr/bin/env python3
"""Bakes the sample as archives, and reads them back with programs that are not ours.

usage: delivery_e2e.py PROVISIONER"""
import gzip
import io
import os
import shutil
import subprocess
import tarfile
import unittest
import zipfile

from delivery import EPOCH, PROVISIONER, SAMPLE, SECRET, SERVICES, Case, bake, files_of, mode_of, need, run


class Archives(Case):
    def check(self, folder, payload):
        self.assertEqual(files_of(folder), files_of(payload))
        for path in SECRET:
            self.assertEqual(mode_of(folder / path), 0o600, path)
        self.assertEqual(mode_of(folder / "README.txt"), 0o644)
        self.assertEqual({int(p.stat().st_mtime) for p in folder.rglob("*")}, {EPOCH})
        self.assertEqual(mode_of(folder / "trust/ROOT"), 0o755)

    def test_tar_and_tgz_hold_the_payload(self):
        payload = self.baked("payload")
        for form in ("tar", "tgz"):
            archive = self.baked("a." + form, "--format", form)
            self.assertEqual(mode_of(archive), 0o600)
            self.check(self.extracted(archive, "tar", "-xpf", archive), payload)
            listing = run("tar", "--numeric-owner", "-tvf", archive, env={**os.environ, "TZ": "UTC"}).decode()
            for line in listing.splitlines():
                self.assertIn(" 0/0 ", line)
                self.assertIn("2023-11-14 22:13", line)
        need(self, "bsdtar", "libarchive-tools")
        self.check(self.extracted(self.work / "a.tgz", "bsdtar", "-xpf", self.work / "a.tgz"), payload)

    def test_gzip_header_says_nothing(self):
        data = self.baked("a.tgz", "--format", "tgz").read_bytes()
        self.assertEqual(data[:8], b"\x1f\x8b\x08\x00\0\0\0\0")
        self.assertTrue(tarfile.open(fileobj=io.BytesIO(gzip.decompress(data))).getnames())

    def test_zip_holds_the_payload(self):
        need(self, "unzip", "unzip")
        payload = self.baked("payload")
        archive = self.baked("a.zip", "--format", "zip")
        self.assertEqual(mode_of(archive), 0o600)
        run("unzip", "-tq", archive)
        for zone in ("UTC", "Asia/Tokyo"):  # unzip sets the times of the extra field, which are in UTC
            folder = self.work / zone.replace("/", "-")
            folder.mkdir()
            run("unzip", "-q", archive, cwd=folder, env={**os.environ, "TZ": zone})
            self.check(folder, payload)
        with zipfile.ZipFile(archive) as z:
            self.assertIsNone(z.testzip())
            self.assertEqual({i.date_time for i in z.infolist()}, {(2023, 11, 14, 22, 13, 20)})

    def test_without_credentials_anybody_may_read_it(self):
        self.assertEqual(mode_of(self.baked("a.tar", "--format", "tar", "--credentials", "none")), 0o644)

    def test_a_full_disk_leaves_nothing(self):
        if os.geteuid() != 0 or not shutil.which("unshare"):
            print("NOT RUN: %s: needs root and unshare (Debian package util-linux)" % self.id())
            self.skipTest("needs root and unshare")
        for form, nodes in (("tar", False), ("tgz", False), ("zip", False), ("iso", False), ("iso", True), ("tar", True), ("dir", True)):
            mount = self.work / "mount"
            mount.mkdir(exist_ok=True)
            options = "--nodes %s" % self.nodes() if nodes else ""
            script = ("set -e; mount -t tmpfs -o size=16k tmpfs %s; set +e; %s bake %s --out %s/x/out --format %s %s %s >/dev/null 2>&1; echo $?; find %s -mindepth 1"
                      % (mount, PROVISIONER, SAMPLE, mount, form, " ".join(SERVICES), options, mount))
            ran = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True)
            if ran.returncode != 0 and "mount" in ran.stderr:
                print("NOT RUN: %s: mounting a tmpfs is not allowed here" % self.id())
                self.skipTest("no mounts here")
            self.assertEqual(ran.stdout.split(), ["13"], (form, nodes, ran.stderr))


if __name__ == "__main__":
    unittest.main(verbosity=2)
