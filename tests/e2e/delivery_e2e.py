#!/usr/bin/env python3
"""Bakes the sample as archives and drives, and reads them back with programs that are not ours.

usage: delivery_e2e.py PROVISIONER"""
import gzip
import io
import json
import os
import re
import tarfile
import unittest
import zipfile

from delivery import EPOCH, PROVISIONER, SECRET, Case, bake, files_of
from harness import SAMPLE, SERVICES, mode_of, must, need, run, skip


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
            for line in must("tar", "--numeric-owner", "-tvf", archive, env={**os.environ, "TZ": "UTC"}).splitlines():
                self.assertIn(" 0/0 ", line)
                self.assertIn("2023-11-14 22:13", line)
        need(self, "bsdtar")
        self.check(self.extracted(self.work / "a.tgz", "bsdtar", "-xpf", self.work / "a.tgz"), payload)

    def test_gzip_header_says_nothing(self):
        data = self.baked("a.tgz", "--format", "tgz").read_bytes()
        self.assertEqual(data[:8], b"\x1f\x8b\x08\x00\0\0\0\0")
        self.assertTrue(tarfile.open(fileobj=io.BytesIO(gzip.decompress(data))).getnames())

    def test_zip_holds_the_payload(self):
        need(self, "unzip")
        payload = self.baked("payload")
        archive = self.baked("a.zip", "--format", "zip")
        self.assertEqual(mode_of(archive), 0o600)
        must("unzip", "-tq", archive)
        for zone in ("UTC", "Asia/Tokyo"):  # unzip sets the times of the extra field, which are in UTC
            folder = self.work / zone.replace("/", "-")
            folder.mkdir()
            must("unzip", "-q", archive, cwd=folder, env={**os.environ, "TZ": zone})
            self.check(folder, payload)
        with zipfile.ZipFile(archive) as z:
            self.assertIsNone(z.testzip())
            self.assertEqual({i.date_time for i in z.infolist()}, {(2023, 11, 14, 22, 13, 20)})

    def test_without_credentials_anybody_may_read_it(self):
        self.assertEqual(mode_of(self.baked("a.tar", "--format", "tar", "--credentials", "none")), 0o644)

    def test_a_full_disk_leaves_nothing(self):
        if os.geteuid() != 0:
            skip(self, "needs root")
        for form, nodes in (("tar", False), ("tgz", False), ("zip", False), ("iso", False), ("iso", True), ("tar", True), ("dir", True)):
            mount = self.work / "mount"
            mount.mkdir(exist_ok=True)
            options = "--nodes %s" % self.nodes() if nodes else ""
            script = ("set -e; mount -t tmpfs -o size=16k tmpfs %s; set +e; %s bake %s --out %s/x/out --format %s %s %s >/dev/null 2>&1; echo $?; find %s -mindepth 1"
                      % (mount, PROVISIONER, SAMPLE, mount, form, " ".join(SERVICES), options, mount))
            ran = run("unshare", "-m", "sh", "-c", script)
            if ran.returncode != 0 and "mount" in ran.stderr:
                skip(self, "mounting a tmpfs is not allowed here")
            self.assertEqual(ran.stdout.split(), ["13"], (form, nodes, ran.stderr))


class Drives(Case):
    def tree(self, image):
        """Joliet's names and sizes, as Windows sees them."""
        need(self, "isoinfo")
        out, folder = {}, ""
        for line in must("isoinfo", "-J", "-l", "-i", image).splitlines():
            if line.startswith("Directory listing of "):
                folder = line[len("Directory listing of "):].strip("/ ")
            match = re.match(r"(.).{9}\s+\d+\s+\d+\s+\d+\s+(\d+) (.{11}) \[.*\]  (.*)", line)
            if match and match[4].strip() not in (".", "..") and match[1] == "-":
                self.assertEqual(match[3], "Nov 14 2023")
                out[(folder + "/" + match[4].strip()).strip("/")] = int(match[2])
        return out

    def joliet_bytes(self, image, path):
        return must("isoinfo", "-J", "-i", image, "-x", "/" + path, text=False)

    def test_config_drive_as_cloudbase_init_reads_it(self):
        payload = files_of(self.baked("payload"))
        image = self.baked("a.iso", "--format", "iso", "--label", "config-2")
        tree = self.tree(image)
        expected = {"openstack/latest/meta_data.json", "openstack/latest/user_data"} | {"provisioner/" + p for p in payload}
        self.assertEqual(set(tree), expected)
        for path, data in payload.items():
            self.assertEqual(self.joliet_bytes(image, "provisioner/" + path), data, path)
        meta = json.loads(self.joliet_bytes(image, "openstack/latest/meta_data.json"))
        self.assertEqual(list(meta), ["uuid"])
        self.assertTrue(self.joliet_bytes(image, "openstack/latest/user_data").startswith(b"#ps1_sysnative\r\n"))

    def test_plain_drive_is_one_that_windows_setup_can_use_alone(self):
        payload = files_of(self.baked("payload"))
        image = self.baked("a.iso", "--format", "iso")
        self.assertEqual(set(self.tree(image)), {"Start-Drive.ps1", "unattend.xml"} | {"provisioner/" + p for p in payload})
        # What the answer file runs is on the drive.
        pieces = re.findall(r"%d:([^ )]+)", self.joliet_bytes(image, "unattend.xml").decode())
        self.assertTrue(pieces)
        self.assertLessEqual({piece.strip("\\").replace("\\", "/") for piece in pieces}, set(self.tree(image)))

    def test_rock_ridge_has_names_modes_and_times(self):
        payload = self.baked("payload")
        image = self.baked("a.iso", "--format", "iso")
        need(self, "bsdtar")
        folder = self.extracted(image, "bsdtar", "-xpf", image)
        self.assertEqual(files_of(folder / "provisioner"), files_of(payload))
        for path in files_of(payload):
            self.assertEqual(mode_of(folder / "provisioner" / path), 0o600 if path in SECRET else 0o644, path)
        self.assertEqual({int(p.stat().st_mtime) for p in folder.rglob("*")}, {EPOCH})

    def test_credentials_on_a_drive_are_said(self):
        result = bake(self.work / "a.iso", "--format", "iso")
        self.assertIn("[drive-secret]", result.stderr)
        self.assertNotIn("[drive-secret]", bake(self.work / "b.iso", "--format", "iso", "--credentials", "none").stderr)
        other = bake(self.work / "c.iso", "--format", "iso", "--label", "CIDATA").stderr
        self.assertIn("metadata_services=cloudbaseinit.metadata.services.nocloudservice.NoCloudConfigDriveService", other)


if __name__ == "__main__":
    unittest.main(verbosity=2)
