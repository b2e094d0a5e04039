"""Runs Start-Drive.ps1 as cloudbase-init does, under a real PowerShell 7 (pwsh, or what PWSH names), with stand-ins for Windows' tools."""
import json
import shutil
import stat
import sys
import unittest

import fakes
from machine import HERE, TEMPLATES, folder, python_tool, run_tests
from harness import powershell  # machine.py says where it is

SCRIPT = TEMPLATES / "Start-Drive.ps1"
AGAIN, REBOOT_AND_AGAIN = 1002 & 0xFF, 1003 & 0xFF  # Windows has the whole of an exit code, and this system its low byte
# The drives of Windows, and the owner of a file.
DRIVER = """
function Get-CimInstance { [pscustomobject]@{ DeviceID = $env:FAKE_DRIVE; VolumeName = $env:FAKE_LABEL } }
function Get-Acl { param([string]$LiteralPath) if ($LiteralPath -like "$env:TEMP*" -and $env:FAKE_DENIED) { throw 'denied' } [pscustomobject]@{ Sddl = @(& $env:FAKE_PYTHON $env:FAKE_SCRIPT sddl $LiteralPath)[0] } }
& $env:FAKE_TARGET @args
exit $LASTEXITCODE
"""
TOOLS = {
    "icacls.exe": "sys.path.insert(0, {here!r})\nimport fakes\nsys.exit(fakes.run('icacls', sys.argv[1:]))\n",
    # attrib -r FOLDER\\* /d
    "attrib.exe": "import pathlib\nassert (sys.argv[1], *sys.argv[3:]) == ('-r', '/d'), sys.argv\n"
                  "folder = pathlib.Path(sys.argv[2].replace('\\\\', '/'))\nassert folder.name == '*'\n"
                  "for path in folder.parent.iterdir():\n    path.is_symlink() or path.chmod(path.stat().st_mode | 0o200)\n",
    "whoami.exe": "assert sys.argv[1:] == ['/user', '/fo', 'csv', '/nh'], sys.argv\n"
                  "print('\"win\\\\cloudbase-init\",\"S-1-5-21-1-2-3-1007\"')\n",
    "WindowsPowerShell/v1.0/powershell.exe": "sys.exit(int(os.environ['FAKE_CODE']))\n",
}


def write_tool(path, text):
    python_tool(path, "import os, sys\n" + text)


class StartDrive(unittest.TestCase):
    def setUp(self):
        self.root = folder(self, "start drive test ").resolve()
        self.drive, self.temporary = self.root / "drive", self.root / "temporary"
        self.target = self.root / "Windows/Setup/Scripts/Provisioner"
        self.temporary.mkdir()
        for name, text in TOOLS.items():
            write_tool(self.root / "Windows/System32" / name, text.format(here=str(HERE)) if "{here" in text else text)
        self.payload(self.drive)

    @staticmethod
    def payload(folder):
        """A drive's files, read-only as those of a CD are."""
        files = [{"path": "egress.json", "secret": True}, {"path": "README.txt", "secret": False}]
        (folder / "provisioner/scripts").mkdir(parents=True)
        (folder / "provisioner/manifest.json").write_text(json.dumps({"schema": 1, "files": files}))
        for name in ("provisioner/egress.json", "provisioner/README.txt", "provisioner/scripts/Apply-Egress.ps1", "meta-data"):
            (folder / name).write_text("S3cret" if name.endswith("egress.json") else "text")
        for path in folder.rglob("*"):
            path.chmod(0o555 if path.is_dir() else 0o444)

    def run_script(self, code=0, label="config-2", program=None, denied="", script=SCRIPT):
        environment = dict(SystemRoot=str(self.root / "Windows"), TEMP=str(self.temporary), FAKE_STORE=str(self.root / "store.json"),
                           FAKE_LOG=str(self.root / "log"), FAKE_DRIVE=str(self.drive), FAKE_LABEL=label, FAKE_CODE=str(code), FAKE_DENIED=denied,
                           FAKE_TARGET=str(script), FAKE_PYTHON=sys.executable, FAKE_SCRIPT=str(HERE / "fakes.py"))
        if program:
            (self.drive / "provisioner").chmod(0o755)
            write_tool(self.drive / "provisioner/provisioner.exe", program)
        (self.root / "driver.ps1").write_text(DRIVER)
        answer = powershell("-File", self.root / "driver.ps1", env=environment)
        self.output = answer.stdout + answer.stderr
        return answer.returncode

    def own(self, path, sddl):
        store = fakes.Store(str(self.root / "store.json"))
        store.data["sddl"][str(path)] = sddl
        store.save()

    def test_applies_and_keeps_no_secret(self):
        self.assertEqual(self.run_script(), AGAIN, self.output)
        self.assertTrue((self.target / "README.txt").exists())
        self.assertFalse((self.target / "egress.json").exists())

    def test_labels_have_no_case(self):
        for label in ("CIDATA", "Config-2"):
            self.assertEqual(self.run_script(label=label), AGAIN, self.output)
        self.assertEqual(self.run_script(label="OTHER"), 11)

    def test_cloudbase_init_runs_it_again_where_that_may_help(self):
        for code, given in ((10, 10), (12, 12), (13, AGAIN), (14, AGAIN), (15, AGAIN)):
            self.assertEqual(self.run_script(code), given, self.output)
            self.assertTrue((self.target / "egress.json").exists(), "the next run needs it")
        for code, given in ((11, 11), (15, AGAIN), (0, AGAIN)):
            self.assertEqual(self.run_script(program="assert sys.argv[1:] == ['first-boot', %r, '--exit-style', 'cloudbase'], sys.argv\nsys.exit(%d)\n"
                                             % (str(self.target), code)), given, self.output)

    def test_a_reboot_is_asked_for_once(self):
        """A code of this system has no 1001: PowerShell gives it in the program's place."""
        text = SCRIPT.read_text()
        self.assertEqual(text.count("$code = $LASTEXITCODE"), 1)
        (self.root / "Start-Drive.ps1").write_text(text.replace("$code = $LASTEXITCODE", "$code = 1001"))
        for given in (REBOOT_AND_AGAIN, AGAIN):
            self.assertEqual(self.run_script(program="sys.exit(0)\n", script=self.root / "Start-Drive.ps1"), given, self.output)

    def test_applies_a_payload_once_and_another_one_again(self):
        applied = self.root / "Windows/Setup/Scripts/Provisioner.drive"
        self.assertEqual(self.run_script(12), 12, self.output)
        self.assertFalse(applied.exists(), "what failed is not applied")
        self.assertEqual(self.run_script(0), AGAIN, self.output)
        shutil.rmtree(self.target)
        self.payload(self.temporary / "tmp1")
        self.assertEqual(self.run_script(12), AGAIN, self.output)
        self.assertFalse(self.target.exists(), "applied already")
        self.assertFalse((self.temporary / "tmp1/provisioner").exists(), "each boot makes a copy, with credentials")
        manifest = self.drive / "provisioner/manifest.json"
        manifest.chmod(0o644)
        manifest.write_text(manifest.read_text() + " ")
        self.assertEqual(self.run_script(12), 12, self.output)
        applied.unlink()
        self.assertEqual(self.run_script(0), AGAIN, self.output)
        self.assertTrue((self.target / "README.txt").exists())

    def test_the_copy_that_cloudbase_init_can_not_delete_goes(self):
        copy, other = self.temporary / "tmp1", self.temporary / "tmp2"
        self.payload(copy)
        other.mkdir()
        (other / "file").write_text("not ours")
        (other / "file").chmod(0o444)
        self.assertEqual(self.run_script(code=12), 12, self.output)
        self.assertFalse((copy / "provisioner").exists())
        for path in copy.rglob("*"):
            self.assertTrue(path.stat().st_mode & stat.S_IWUSR, path)
        self.assertTrue((copy / "meta-data").exists(), "cloudbase-init reads it, and removes it")
        self.assertEqual(stat.S_IMODE((other / "file").stat().st_mode), 0o444)

    def test_a_copy_that_can_not_be_looked_at_stops_nothing(self):
        self.payload(self.temporary / "tmp1")
        self.assertEqual(self.run_script(denied="yes"), AGAIN, self.output)
        self.assertIn("warning: ", self.output)
        self.assertIn(str(self.temporary / "tmp1/provisioner") + " can't be removed", self.output)
        self.assertTrue((self.target / "README.txt").exists())

    def test_a_copy_in_the_accounts_own_profile_goes(self):
        copy = self.temporary / "tmp1"
        self.payload(copy)
        for path in (copy, *(p for p in copy.rglob("*") if p.is_dir())):
            self.own(path, "O:BAG:SYD:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;FA;;;S-1-5-21-1-2-3-1007)")
        self.assertEqual(self.run_script(), AGAIN, self.output)
        self.assertFalse((copy / "provisioner").exists())

    def test_nothing_is_deleted_where_others_can_put_something(self):
        """Windows' own temporary folder: every user can make something in a folder that an administrator made there. cloudbase-init
        removes the copy later."""
        copy = self.temporary / "tmp1"
        self.payload(copy)
        for rights in ("(A;CIID;0x100026;;;BU)", "(A;OICIID;FA;;;S-1-5-21-1-2-3-1001)", "(A;OICIID;0x1301bf;;;AU)"):
            for path in (copy, copy / "provisioner"):
                self.own(path, "O:BAG:SYD:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)" + rights)
            self.assertEqual(self.run_script(), AGAIN, self.output)
            self.assertTrue((copy / "provisioner/egress.json").exists())
            self.assertTrue((copy / "provisioner/egress.json").stat().st_mode & stat.S_IWUSR)

    def test_a_payload_that_a_user_put_into_a_folder_of_administrators_is_left_alone(self):
        copy = self.temporary / "tmp1"
        self.payload(copy)
        self.own(copy / "provisioner", "O:S-1-5-21-1-2-3-1001G:BAD:(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)")
        self.assertEqual(self.run_script(), AGAIN, self.output)
        self.assertTrue((copy / "provisioner/egress.json").exists())
        self.assertEqual(stat.S_IMODE((copy / "provisioner/egress.json").stat().st_mode), 0o444)

    def test_no_link_in_a_copy_is_followed(self):
        copy, elsewhere = self.temporary / "tmp1", self.root / "elsewhere"
        self.payload(copy)
        self.payload(elsewhere)
        (copy / "provisioner").chmod(0o755)
        (copy / "provisioner/0").symlink_to(elsewhere)
        self.assertEqual(self.run_script(), AGAIN, self.output)
        self.assertIn("can't be removed", self.output)
        self.assertTrue((elsewhere / "provisioner/egress.json").exists())
        self.assertEqual(stat.S_IMODE((elsewhere / "meta-data").stat().st_mode), 0o444)

    def test_a_folder_that_a_user_made_is_left_alone(self):
        theirs, link = self.temporary / "theirs", self.temporary / "link"
        self.payload(theirs)
        self.own(theirs, "O:S-1-5-21-1-2-3-1001G:BAD:")
        elsewhere = self.root / "elsewhere"
        self.payload(elsewhere)
        link.symlink_to(elsewhere)
        inner = self.temporary / "inner"
        inner.mkdir()
        (inner / "provisioner").symlink_to(elsewhere / "provisioner")
        self.assertEqual(self.run_script(), AGAIN, self.output)
        for folder in (theirs, elsewhere):
            self.assertTrue((folder / "provisioner/egress.json").exists(), folder)
            self.assertEqual(stat.S_IMODE((folder / "meta-data").stat().st_mode), 0o444)


if __name__ == "__main__":
    run_tests("Start-Drive.ps1 was NOT run")
