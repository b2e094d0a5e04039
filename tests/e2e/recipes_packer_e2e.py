#!/usr/bin/env python3
"""The recipes for Packer, as far as they can run without Windows: the answer files, the templates against packer itself, and what
they repeat from the program.

usage: recipes_packer_e2e.py PROVISIONER"""
import os
import re
import shutil
import unittest
import xml.etree.ElementTree

from harness import ROOT, SAMPLE, SHARED, mode_of, must, need, run, skip
from recipes import PROVISIONER, RECIPES, Folder

ANSWER_FILES = RECIPES / "packer/answer-files"
SCRIPTS = [RECIPES / "customize-iso", RECIPES / "customize-disk", ANSWER_FILES]
SCHEMA = SHARED / "cases/windows/autounattend.xsd"
UNATTEND = "{urn:schemas-microsoft-com:unattend}"


class AnswerFiles(Folder):
    PASSWORDS = {"PKR_VAR_build_password": "B&<x>\"1'$\\/", "PKR_VAR_node_password": "N]]>&amp;2 &"}

    def fill(self, *arguments, **changes):
        return run(ANSWER_FILES, *arguments, env={**os.environ, **self.PASSWORDS, **changes})

    def test_they_are_filled_in(self):
        image = "Windows Server 2022 & more"
        result = self.fill(self.folder, "--image", image, "--locale", "de-DE", "--time-zone", "W. Europe Standard Time")
        self.assertEqual(result.returncode, 0, result.stderr)
        files = {name: self.folder / name for name in ("cd/autounattend.xml", "unattend.xml")}
        trees = {name: xml.etree.ElementTree.parse(file) for name, file in files.items()}
        values = {name: [e.text for e in tree.iter(UNATTEND + "Value")] for name, tree in trees.items()}
        build, node = self.PASSWORDS.values()
        self.assertEqual(values, {"cd/autounattend.xml": [image, build, build], "unattend.xml": [node]})
        for name, file in files.items():
            self.assertEqual(mode_of(file), 0o600)
            self.assertNotRegex(file.read_text(), "@[A-Z_]+@.*</")
            self.assertIn("de-DE", [e.text for e in trees[name].iter(UNATTEND + "SystemLocale")])
        self.assertTrue((self.folder / "cd/first-logon.ps1").exists())
        self.assertEqual(sorted(os.listdir(self.folder / "cd")), ["autounattend.xml", "first-logon.ps1"])

    def test_they_follow_the_schema(self):
        need(self, "xmllint")
        if not SCHEMA.exists():
            skip(self, "%s is not there" % SCHEMA)
        must(ANSWER_FILES, self.folder, env={**os.environ, **self.PASSWORDS})
        must("xmllint", "--noout", "--schema", SCHEMA, self.folder / "unattend.xml", self.folder / "cd/autounattend.xml")

    def test_passwords_that_would_fail_later(self):
        for change in ({"PKR_VAR_node_password": ""}, {"PKR_VAR_build_password": "a\nb"}, {"PKR_VAR_node_password": "grün"},
                       {"PKR_VAR_build_password": self.PASSWORDS["PKR_VAR_node_password"]}):
            result = self.fill(self.folder, **change)
            self.assertEqual(result.returncode, 10, change)
            for value in change.values():
                self.assertTrue(not value or value not in result.stderr)
        self.assertEqual(os.listdir(self.folder), [])


class Same(unittest.TestCase):
    """What the recipes repeat from elsewhere is still the same there."""

    def text(self, path):
        return (ROOT / path).read_text().replace("\r", "")

    def test_the_command_of_the_specialize_pass(self):
        paths = [[e.text for e in xml.etree.ElementTree.parse(ROOT / path).iter(UNATTEND + "Path")]
                 for path in ("templates/unattend.xml", "images/recipes/sysprep/unattend.xml")]
        self.assertEqual(paths[0], paths[1])
        self.assertEqual(len(paths[0]), 1)

    def test_the_line_in_setupcomplete(self):
        line = re.search(r'kLine = R"\((.*)\)"', self.text("provisioner/unattend/setup_complete.cc")).group(1)
        self.assertIn("$line = '%s'\n" % line, self.text("images/recipes/packer/scripts/install-payload.ps1"))

    def test_both_templates_do_the_same(self):
        blocks = []
        for name, source in (("qemu", "qemu"), ("vsphere", "vsphere-iso")):
            text = self.text("images/recipes/packer/%s/windows.pkr.hcl" % name)
            blocks.append(text[text.index("\nbuild {"):].replace("source.%s.windows" % source, "SOURCE"))
        self.assertEqual(*blocks)

    def test_scripts(self):
        for script in SCRIPTS:
            must("bash", "-n", script)
            self.assertIn("example:", must(script, "--help"))
        need(self, "shellcheck")
        must("shellcheck", "-S", "style", *SCRIPTS)


class Packer(Folder):
    """Packer 1.6, which has the builders built in and does not know required_plugins: that file is left out."""
    VARIABLES = {
        "qemu": {"iso": "windows.iso", "iso_checksum": "sha256:" + "0" * 64},
        "vsphere": {"vcenter_server": "vcenter.example.com", "vcenter_username": "builder", "vcenter_password": "vCenterCanary", "datacenter": "d", "cluster": "c",
                    "datastore": "s", "network": "n", "iso": "[s] windows.iso"},
    }

    def setUp(self):
        super().setUp()
        need(self, "packer")
        version = must("packer", "version").split()[1]
        if not version.startswith("v1.6."):
            skip(self, "packer %s fetches its builders from elsewhere; needs 1.6" % version)
        shutil.copytree(RECIPES / "packer/scripts", self.folder / "scripts")
        must(ANSWER_FILES, self.folder / "answers", env={**os.environ, **AnswerFiles.PASSWORDS})
        must(PROVISIONER, "bake", SAMPLE, "--out", self.folder / "payload")

    def packer(self, command, name, **variables):
        place = self.folder / name
        place.mkdir(exist_ok=True)
        shutil.copy(RECIPES / "packer" / name / "windows.pkr.hcl", place)
        values = {**self.VARIABLES[name], "build_password": "buildCanary", "answer_folder": self.folder / "answers", "payload": self.folder / "payload", **variables}
        given = [word for key, value in values.items() if value is not None for word in ("-var", "%s=%s" % (key, value))]
        return run("packer", command, *given, place, cwd=self.folder,
                   env={**os.environ, "CHECKPOINT_DISABLE": "1", "PACKER_CONFIG_DIR": str(self.folder), "PACKER_CACHE_DIR": str(self.folder / "cache")})

    def test_the_templates_are_valid(self):
        for name in self.VARIABLES:
            result = self.packer("validate", name)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            must("packer", "fmt", "-check", RECIPES / "packer" / name)

    def test_what_is_wrong_is_found(self):
        for name in self.VARIABLES:
            self.assertIn("must be deliver or apply", self.packer("validate", name, egress="both").stdout)
            for wrong in ({"build_password": None}, {"payload": self.folder / "no"}, {"answer_folder": self.folder / "no"}):
                self.assertNotEqual(self.packer("validate", name, **wrong).returncode, 0, (name, wrong))

    def test_what_they_show(self):
        for name in self.VARIABLES:
            shown = self.packer("inspect", name, build_password="otherCanary").stdout
            self.assertIn('var.build_password: "<sensitive>"', shown)
            self.assertNotIn("Canary", shown)
            steps = re.search(r"provisioners:\s+(.*?)\n\n", shown, re.S).group(1).split()
            self.assertEqual(steps, ["powershell", "file", "file", "powershell", "windows-restart", "powershell"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
