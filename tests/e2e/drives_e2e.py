#!/usr/bin/env python3
"""Bakes the sample as drives, and reads them back with programs that are not ours.

usage: drives_e2e.py PROVISIONER"""
import json
import os
import re
import struct
import subprocess
import unittest
import xml.etree.ElementTree

from delivery import EPOCH, SECRET, UNATTEND, Case, bake, files_of, mode_of, need, run


class Drives(Case):
    def volume_descriptors(self, image):
        data = image.read_bytes()
        out = {}
        for sector in range(16, 32):
            d = data[sector * 2048:(sector + 1) * 2048]
            self.assertEqual(d[1:6], b"CD001")
            if d[0] == 255:
                return data, out
            out[d[0]] = d

    def test_labels_and_dates(self):
        for label in ("config-2", "cidata", "PROVISION", "other.drive-1"):
            image = self.baked(label + ".iso", "--format", "iso", "--label", label)
            self.assertEqual(mode_of(image), 0o600)
            data, volumes = self.volume_descriptors(image)
            self.assertEqual(volumes[1][40:72].decode("ascii").rstrip(), label)
            self.assertEqual(volumes[2][40:72].decode("utf-16-be").rstrip(), label)
            self.assertEqual(volumes[2][88:91], b"%/E")  # UCS-2, level 3
            for volume in volumes.values():
                for at in (813, 830, 864):
                    self.assertEqual(volume[at:at + 17], b"2023111422132000\0")
                self.assertEqual(volume[847:864], b"0" * 16 + b"\0")
                self.assertEqual(struct.unpack_from("<I", volume, 80)[0] * 2048, len(data))
            self.assertNotIn(b"libarchive", data[:0x10000].lower())

    def tree(self, image):
        """Joliet's names and sizes, as Windows sees them."""
        need(self, "isoinfo", "genisoimage")
        out, folder = {}, ""
        for line in run("isoinfo", "-J", "-l", "-i", image).decode().splitlines():
            if line.startswith("Directory listing of "):
                folder = line[len("Directory listing of "):].strip("/ ")
            match = re.match(r"(.).{9}\s+\d+\s+\d+\s+\d+\s+(\d+) (.{11}) \[.*\]  (.*)", line)
            if match and match[4].strip() not in (".", "..") and match[1] == "-":
                self.assertEqual(match[3], "Nov 14 2023")
                out[(folder + "/" + match[4].strip()).strip("/")] = int(match[2])
        return out

    def joliet_bytes(self, image, path):
        return run("isoinfo", "-J", "-i", image, "-x", "/" + path)

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

    def test_nocloud_drive_as_cloudbase_init_reads_it(self):
        image = self.baked("a.iso", "--format", "iso", "--label", "cidata")
        tree = self.tree(image)
        self.assertLessEqual({"meta-data", "user-data", "provisioner/manifest.json"}, set(tree))
        self.assertRegex(self.joliet_bytes(image, "meta-data").decode(), r'\Ainstance-id: "[0-9a-f-]{36}"\n\Z')

    def test_a_label_in_capitals_is_the_same_label(self):
        need(self, "isoinfo", "genisoimage")
        for label, metadata in (("CIDATA", "meta-data"), ("CONFIG-2", "openstack/latest/meta_data.json")):
            self.assertIn(metadata, self.tree(self.baked(label + ".iso", "--format", "iso", "--label", label)))

    def test_a_label_that_needs_a_setting_of_the_image_says_so(self):
        result = bake(self.work / "a.iso", "--format", "iso", "--label", "cidata")
        self.assertIn("[cidata-service]", result.stderr)
        self.assertIn("metadata_services=cloudbaseinit.metadata.services.nocloudservice.NoCloudConfigDriveService", result.stderr)
        for label in ("config-2", "PROVISION"):
            self.assertNotIn("[cidata-service]", bake(self.work / (label + ".iso"), "--format", "iso", "--label", label).stderr)

    def test_plain_drive_is_one_that_windows_setup_can_use_alone(self):
        payload = files_of(self.baked("payload"))
        image = self.baked("a.iso", "--format", "iso")
        self.assertEqual(set(self.tree(image)), {"Start-Drive.ps1", "unattend.xml"} | {"provisioner/" + p for p in payload})
        root = xml.etree.ElementTree.fromstring(self.joliet_bytes(image, "unattend.xml"))
        commands = [e.text for e in root.iter(UNATTEND + "Path")]
        self.assertEqual(len(commands), 1)
        self.assertLessEqual(len(commands[0]), 259)
        self.assertNotIn("Setup", commands[0])  # nobody copied a payload there
        for piece in re.findall(r"%d:([^ )]+)", commands[0]):  # what it runs is on the drive
            self.assertIn(piece.strip("\\").replace("\\", "/"), self.tree(image))
        self.assertTrue(commands[0].endswith(") & exit 0\""))

    def test_an_answer_file_of_ones_own_on_a_plain_drive(self):
        mine = self.work / "mine.xml"
        mine.write_text('<unattend xmlns="urn:schemas-microsoft-com:unattend"><!-- kept --></unattend>')
        need(self, "isoinfo", "genisoimage")
        text = self.joliet_bytes(self.baked("a.iso", "--format", "iso", "--unattend", mine), "unattend.xml").decode()
        self.assertIn("<!-- kept -->", text)
        self.assertEqual(text.count("<Path>"), 1)
        self.assertIn("Start-Drive.ps1", text)
        mine.write_bytes(files_of(self.baked("payload"))["unattend.xml"])
        result = bake(self.work / "b.iso", "--format", "iso", "--unattend", mine)
        self.assertEqual(result.returncode, 11)
        self.assertIn("mine.xml", result.stderr)
        self.assertFalse((self.work / "b.iso").exists())

    def test_rock_ridge_has_names_modes_and_times(self):
        payload = self.baked("payload")
        image = self.baked("a.iso", "--format", "iso")
        need(self, "bsdtar", "libarchive-tools")
        folder = self.extracted(image, "bsdtar", "-xpf", image)
        self.assertEqual(files_of(folder / "provisioner"), files_of(payload))
        for path in files_of(payload):
            self.assertEqual(mode_of(folder / "provisioner" / path), 0o600 if path in SECRET else 0o644, path)
        self.assertEqual({int(p.stat().st_mtime) for p in folder.rglob("*")}, {EPOCH})

    def test_xorriso_reads_the_same(self):
        need(self, "xorriso", "xorriso")
        payload = self.baked("payload")
        image = self.baked("a.iso", "--format", "iso", "--label", "config-2")
        out = self.work / "x"
        result = subprocess.run(["xorriso", "-osirrox", "on", "-indev", image, "-pvd_info", "-extract", "/", out], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Volume Id    : config-2", result.stdout)
        self.assertIn("Creation Time: 2023111422132000", result.stdout)
        self.assertNotIn("WARNING", result.stderr)
        self.assertEqual({p: d for p, d in files_of(out).items() if p.startswith("provisioner/")},
                         {"provisioner/" + p: d for p, d in files_of(payload).items()})

    def test_credentials_on_a_drive_are_said(self):
        result = bake(self.work / "a.iso", "--format", "iso")
        self.assertIn("[drive-secret]", result.stderr)
        self.assertNotIn("[drive-secret]", bake(self.work / "b.iso", "--format", "iso", "--credentials", "none").stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
