#!/usr/bin/env python3
"""The bill of materials beside the program: it is SPDX 2.3, it is of this program, and it names what --version names.

usage: sbom_e2e.py PROVISIONER [RUNNER]"""
import hashlib
import json
import pathlib
import re
import sys
import unittest

from harness import ROOT, must, need, run

RUNNER = [sys.argv.pop(2)] if len(sys.argv) > 2 else []
PROVISIONER = pathlib.Path(sys.argv.pop(1)).resolve()
RELATIONS = {"STATIC_LINK", "DYNAMIC_LINK"}


def source_of(package):
    return must("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", package).strip()


class BillOfMaterials(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.document = json.loads((PROVISIONER.parent / "provisioner.spdx.json").read_text())
        cls.packages = {p["name"]: p for p in cls.document["packages"]}

    def test_is_a_document_of_this_program(self):
        self.assertEqual(self.document["spdxVersion"], "SPDX-2.3")
        self.assertEqual(self.document["dataLicense"], "CC0-1.0")
        self.assertRegex(self.document["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        program = self.packages["provisioner"]
        self.assertEqual(program["checksums"], [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(PROVISIONER.read_bytes()).hexdigest()}])
        self.assertEqual(program["packageFileName"], PROVISIONER.name)
        self.assertIn(program["checksums"][0]["checksumValue"], self.document["documentNamespace"])

    def test_every_package_has_an_id_a_licence_and_a_relationship(self):
        ids = [p["SPDXID"] for p in self.document["packages"]]
        self.assertEqual(len(ids), len(set(ids)))
        for id in ids:
            self.assertRegex(id, r"^SPDXRef-[A-Za-z0-9.-]+$")
        related = {r["relatedSpdxElement"]: r for r in self.document["relationships"] if r["relationshipType"] != "OPTIONAL_DEPENDENCY_OF"}
        self.assertEqual(set(related) | self.loaded(), set(ids))
        self.assertEqual(related.pop("SPDXRef-provisioner")["relationshipType"], "DESCRIBES")
        for relation in related.values():
            self.assertEqual(relation["spdxElementId"], "SPDXRef-provisioner")
            self.assertIn(relation["relationshipType"], RELATIONS)
        for name, package in self.packages.items():
            if name != "provisioner":
                self.assertNotIn(package["licenseConcluded"], ("", "NOASSERTION"), name)
                if package["SPDXID"] not in self.loaded():
                    self.assertNotIn(package["versionInfo"], ("", "NOASSERTION"), name)

    def loaded(self):
        """Those that the program does without until a command needs one."""
        found = [r for r in self.document["relationships"] if r["relationshipType"] == "OPTIONAL_DEPENDENCY_OF"]
        for relation in found:
            self.assertEqual(relation["relatedSpdxElement"], "SPDXRef-provisioner")
        return {relation["spdxElementId"] for relation in found}

    def test_names_what_is_loaded_when_it_is_needed(self):
        on_linux = {"SPDXRef-libcurl", "SPDXRef-libarchive", "SPDXRef-wimlib"}
        self.assertEqual(self.loaded(), set() if RUNNER else on_linux)

    def test_names_what_version_names(self):
        said = must(*RUNNER, PROVISIONER, "--version")
        self.assertIn("provisioner " + self.packages["provisioner"]["versionInfo"], said)
        named = dict(re.findall(r"(?m)^  (\S+) +\S+ \(package (\S+)\)", said))
        self.assertGreater(len(named), 4, said)
        for name, version in named.items():
            package = self.packages["Boost.Program_options" if name == "Boost" else name]
            self.assertEqual(package["versionInfo"], version, name)

    def test_names_what_was_compiled(self):
        """Of a package: its files are those of the version that is named. Of a source package: that of which the digest is given, with
        Debian's patches."""
        need(self, "dpkg")
        for name, package in self.packages.items():
            if name == "provisioner" or package["SPDXID"] in self.loaded():
                continue
            with self.subTest(name):
                binary = re.fullmatch(r"Debian package (\S+)", package["sourceInfo"])
                if binary:
                    self.assertEqual(must("dpkg-query", "-W", "-f", "${Version}", binary[1]), package["versionInfo"])
                    changed = run("dpkg", "--verify", binary[1]).stdout.splitlines()
                    self.assertEqual([line for line in changed if "/usr/share/" not in line], [])
                    continue
                (source,) = re.fullmatch(r"Debian source package (\S+) with its patches", package["sourceInfo"]).groups()
                prefix = re.search(r"(?m)^WINDEPS_PREFIX:PATH=(.+)$", (PROVISIONER.parent / "CMakeCache.txt").read_text())[1]
                kept = {hashlib.sha256(path.read_bytes()).hexdigest(): path.read_text() for path in pathlib.Path(prefix, "sources").iterdir()}
                description = kept[package["checksums"][0]["checksumValue"]]
                said = {key: re.search(rf"(?m)^{key}: (\S+)$", description)[1] for key in ("Source", "Version")}
                self.assertEqual(said["Version"], package["versionInfo"])
                self.assertEqual(source, f"{said['Source']}_{said['Version'].rpartition(':')[2]}.dsc")
                self.assertRegex(description, r"(?m)^ [0-9a-f]{64} \d+ \S+\.debian\.tar\.", "Debian's patches")

    def test_names_the_sources_of_all_files_that_were_compiled(self):
        """Headers and libraries outside of the repository: what the build itself wrote down. The kernel's headers have no code."""
        need(self, "dpkg", "ninja")
        build = PROVISIONER.parent
        sources, digests = set(), set()
        for package in self.packages.values():
            kind, _, name = package.get("sourceInfo", "").partition(" package ")
            if kind == "Debian":
                sources.add(source_of(name))
            elif kind == "Debian source":
                sources.add(f"{name.partition('_')[0]} {package['versionInfo']}")
                digests.add(package["checksums"][0]["checksumValue"])
        inputs = must("ninja", "-C", build, "-t", "inputs", PROVISIONER.name).splitlines()
        compiled = must("ninja", "-C", build, "-t", "deps", *[path for path in inputs if path.endswith((".o", ".obj"))])
        files = {pathlib.Path(path) for path in [*re.findall(r"(?m)^    (/.+)$", compiled), *inputs] if path.startswith("/")}
        files = {path.resolve() for path in files if path.suffix != ".o" and not path.is_relative_to(ROOT)}
        self.assertGreater(len(files), 500)
        if prefix := re.search(r"(?m)^WINDEPS_PREFIX:PATH=(.+)$", (build / "CMakeCache.txt").read_text()):
            manifest = re.findall(r"(?m)^(\S+) +\S+ +([0-9a-f]{64}) ", pathlib.Path(prefix[1], "MANIFEST").read_text())
            self.assertEqual({digest for _, digest in manifest}, digests)
            built = {path for path in files if path.is_relative_to(prefix[1])}
            files -= built
            parts = [*(name for name, _ in manifest), "crypto", "ssl"]  # the libraries of OpenSSL
            self.assertEqual([path for path in built if not any(part in str(path.relative_to(prefix[1])) for part in parts)], [])
        owners = re.findall(r"(?m)^([^\s:,]+)[:,]", must("dpkg", "-S", *files))
        loaded = {name for name, package in self.packages.items() if package["SPDXID"] in self.loaded()}
        found = {source_of(package) for package in set(owners)}
        self.assertEqual({source for source in found - sources if not {source.split()[0], "lib" + source.split()[0]} & ({"linux"} | loaded)}, set())

    def test_licences_are_there_in_words(self):
        licences = (PROVISIONER.parent / "licenses.txt").read_text(errors="replace")
        for name, package in self.packages.items():
            if name != "provisioner" and package["SPDXID"] not in self.loaded():
                self.assertIn("=" * 16 + " %s %s: %s\n" % (name, package["versionInfo"], package["licenseConcluded"]), licences)
        self.assertNotIn("was not on the build machine", licences)
        for words in ("Apache License", "Boost Software License"):
            self.assertIn(words, licences)


if __name__ == "__main__":
    unittest.main(verbosity=2)
