#!/usr/bin/env python3
"""Processes what bake makes for cloudbase-init as cloudbase-init does, boot by boot (cloudbase_init.py says how closely).

usage: cloudbase_e2e.py PROVISIONER"""
import json
import re
import unittest

import cloudbase_init
from delivery import PROVISIONER, Case, bake
from harness import SAMPLE, need, run
from user_data_reader import script_of

OPERATORS = "<powershell>\nfunction Set-Key {\n\tSet-Content administrators_authorized_keys 'ssh-rsa KEY'\n}\nSet-Key\n</powershell>\n<persist>true</persist>\n"
AGAIN = b"exit ($LASTEXITCODE,1002)[$LASTEXITCODE -in 13..15]\n"
EXE = "https://downloads.example.com/provisioner.exe#sha256=" + "0123456789abcdef" * 4
TWO = {"00-15-5D-00-00-02": "Ethernet", "00-15-5D-00-00-01": "Ethernet 2"}  # Windows gave the first name to the other one


class Cloudbase(Case):
    def user_data(self, platform, *options):
        """The report and the file."""
        out = self.work / "userdata"
        result = run(PROVISIONER, "bake", SAMPLE, "--format", "userdata", "--platform", platform, "--out", out, "--output", "json", *options)
        self.assertEqual(result.returncode, 0, result.stdout)
        return json.loads(result.stdout), out.read_bytes()

    def config_drive(self, user_data, instance="one"):
        """As OpenStack and Nutanix make one of user data."""
        folder = self.work / ("drive-" + instance)
        (folder / "openstack/latest").mkdir(parents=True, exist_ok=True)
        (folder / "openstack/latest/meta_data.json").write_text(json.dumps({"uuid": instance}))
        (folder / "openstack/latest/user_data").write_bytes(user_data)
        return [("config-2", folder)]

    def drive(self, image):
        """A drive of bake's, its files read-only as Windows shows those of a CD."""
        need(self, "bsdtar")
        folder = self.extracted(image, "bsdtar", "-xf", image)
        for path in folder.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o444)
        return [(image.read_bytes()[0x8000 + 40:0x8000 + 72].decode().rstrip(), folder)]

    def machine(self, codes=(), **options):
        """One whose scripts end with these codes, then with 0. Its `ran` has the scripts."""
        ran, left = [], list(codes)

        def script(text):
            ran.append(text)
            return left.pop(0) if left else 0
        machine = cloudbase_init.Machine(script, **options)
        machine.ran = ran
        self.addCleanup(machine.temporary.cleanup)
        return machine

    def test_each_platform_gets_it_byte_for_byte(self):
        operators = self.work / "operators"
        operators.write_text(OPERATORS)
        theirs = re.search("<powershell>(.*)</powershell>", OPERATORS, re.S)[1].encode()
        for more in ((), ("--append-to", operators)):
            script = script_of(self.user_data("openstack", *more)[1])
            self.assertTrue(script.endswith(theirs if more else AGAIN))
            for platform in ("openstack", "nutanix", "vsphere"):
                with self.subTest(platform=platform, appended=bool(more)):
                    report, data = self.user_data(platform, *more)
                    if platform == "vsphere":
                        machine = self.machine(services=(report["metadataServices"],))
                        machine.boot(guestinfo={"userdata": data.decode(), **report["guestinfo"]})
                    else:
                        machine = self.machine()
                        machine.boot(self.config_drive(data))
                    self.assertEqual(machine.ran, [b"#ps1_sysnative\n" + script])

    def test_a_failure_that_another_boot_may_mend_has_one(self):
        drive = self.config_drive(self.user_data("openstack", "--exe-url", EXE)[1])
        machine = self.machine([1002, 1002, 0])  # what the last line makes of 13, 14 and 15
        for runs in (1, 2, 3, 3, 3):
            self.assertFalse(machine.boot(drive))
            self.assertEqual(len(machine.ran), runs)
        self.assertTrue(machine.ran[0].endswith(AGAIN))
        # Any other code is done.
        machine = self.machine([14])
        machine.boot(drive)
        machine.boot(drive)
        self.assertEqual(len(machine.ran), 1)

    def test_a_vsphere_machine_runs_user_data_once(self):
        report, data = self.user_data("vsphere")
        values = {"userdata": data.decode(), "userdata.encoding": report["guestinfo"]["userdata.encoding"]}
        default, printed = self.machine(), self.machine(services=(report["metadataServices"],))
        default.boot(guestinfo={**values, **report["guestinfo"]})
        self.assertEqual(default.ran, [], "the default configuration reads no guestinfo")
        for runs in (1, 2):
            printed.boot(guestinfo=values)
            self.assertEqual(len(printed.ran), runs, "without an instance id nothing is ever done")
        for _ in range(3):
            printed.boot(guestinfo={**values, **report["guestinfo"]})
        self.assertEqual(len(printed.ran), 3)
        changed, other = self.user_data("vsphere", "--service", "containerd")
        self.assertNotEqual(changed["instanceId"], report["instanceId"])
        for _ in range(2):
            printed.boot(guestinfo={"userdata": other.decode(), **changed["guestinfo"]})
        self.assertEqual(len(printed.ran), 4, "other user data are another instance")

    def test_drives_by_label(self):
        result = bake(self.work / "a.iso", "--format", "iso", "--label", "cidata")
        service = re.search(r"metadata_services=(\w+(?:\.\w+)+)", result.stderr)[1]
        for label in ("config-2", "CONFIG-2", "cidata", "CIDATA"):
            with self.subTest(label):
                drive = self.drive(self.baked(label + ".iso", "--format", "iso", "--label", label))
                self.assertEqual(drive[0][0], label)
                default = self.machine()
                default.boot(drive)
                self.assertEqual(len(default.ran), 1 if label.lower() == "config-2" else 0)
                machine = default if default.ran else self.machine([1002], services=(service,))
                for _ in range(3):
                    machine.boot(drive)
                self.assertEqual(len(machine.ran), 1 if machine is default else 2)
                self.assertTrue(machine.ran[0].startswith(b"#ps1_sysnative\r\n"))
                self.assertIn(b"Find-Payload", machine.ran[0])

    def test_the_listed_address_reaches_the_listed_adapter(self):
        nodes = self.nodes('name,address,gateway,dns,mac\nwin-1,10.0.0.5/24,10.0.0.1,"10.0.0.2,10.0.0.3",00:15:5d:00:00:01\n')
        drive = self.drive(self.baked("drives", "--format", "iso", "--label", "config-2", "--nodes", nodes) / "win-1.iso")
        for adapters in (TWO, dict(reversed(TWO.items())), {"00-15-5D-00-00-01": "Ethernet"}):
            machine = self.machine(adapters={mac.replace("-", ":"): name for mac, name in adapters.items()})
            machine.boot(drive)
            name = machine.adapters["00:15:5D:00:00:01"]
            self.assertEqual(machine.addresses, {name: ("10.0.0.5", 24, "10.0.0.1", ["10.0.0.2", "10.0.0.3"])})
            self.assertEqual(machine.adapters.get("00:15:5D:00:00:02", "Ethernet"), "Ethernet")
            self.assertEqual(len(machine.ran), 1)
        # A name that another adapter has ends it before any address is set.
        network = drive[0][1] / "openstack/latest/network_data.json"
        network.chmod(0o644)
        network.write_text(network.read_text().replace(name, "Ethernet"))
        machine = self.machine(adapters={mac.replace("-", ":"): name for mac, name in TWO.items()})
        machine.boot(drive)
        self.assertEqual(machine.addresses, {})


if __name__ == "__main__":
    unittest.main(verbosity=2)
