#!/usr/bin/env python3
"""Bakes the sample as drives, and reads them back with programs that are not ours.

usage: drives_e2e.py PROVISIONER"""
import json
import re
import unittest

from delivery import EPOCH, SECRET, Case, bake, files_of, mode_of, need, run


class Drives(Case):
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
        need(self, "bsdtar", "libarchive-tools")
        folder = self.extracted(image, "bsdtar", "-xpf", image)
        self.assertEqual(files_of(folder / "provisioner"), files_of(payload))
        for path in files_of(payload):
            self.assertEqual(mode_of(folder / "provisioner" / path), 0o600 if path in SECRET else 0o644, path)
        self.assertEqual({int(p.stat().st_mtime) for p in folder.rglob("*")}, {EPOCH})

    def test_credentials_on_a_drive_are_said(self):
        result = bake(self.work / "a.iso", "--format", "iso")
        self.assertIn("[drive-secret]", result.stderr)
        self.assertNotIn("[drive-secret]", bake(self.work / "b.iso", "--format", "iso", "--credentials", "none").stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
