"""Runs the cases of tests/golden/rules by the functions of Install-Egress.ps1, under a real PowerShell 7 (pwsh, or what PWSH
names) in both language modes. tests/reconcile/rules_test.cc runs the same cases by the engine."""
import hashlib
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import fakes

HERE = pathlib.Path(__file__).resolve().parent
RULES = HERE.parents[1] / "golden/rules"
INSTALL = HERE.parents[2] / "templates/Install-Egress.ps1"
PWSH = shutil.which(os.environ.get("PWSH", "pwsh"))
LAST_PART = "\n$exitCode = 20\ntry {\n"
CERTIFICATE = b"\x30\x03\x02\x01\x01"


def raw(value):
    """What the tables have for a value, in the script's words."""
    if value is None:
        return "absent"
    if isinstance(value, str):
        return "%d:%s" % fakes.sz(value)
    if "expandSz" in value:
        return "2:" + fakes.sz(value["expandSz"])[1]
    if "winHttp" in value:
        w = value["winHttp"]
        texts = [w["proxy"].encode(), w["bypass"].encode()]
        return "3:" + (struct.pack("<3I", w["version"], w["counter"], w["flags"]) + b"".join(struct.pack("<I", len(t)) + t for t in texts)).hex()
    return value["hex"]


def raw_list(value):
    if value is None or isinstance(value, str):
        return value or "absent"
    return "%d:%s" % fakes.multi_sz(value)


def cases_of(rule):
    document = json.loads((RULES / (rule + ".json")).read_text(encoding="utf-8"))
    assert document["schema"] == 1 and document["cases"], rule
    return document["cases"]


def asked(rule, case, certificate):
    """A case as rules.ps1 takes it: values are the script's texts."""
    out = {**case, "rule": rule}
    text = {"service-list": raw_list, "variable": raw}.get(rule)
    if text:
        out["now"] = text(case["now"])
        if case["recorded"]:
            out["recorded"] = {name: text(value) for name, value in case["recorded"].items()}
    if rule == "same" and case["kind"] != "service":
        out.update(one=raw(case["one"]), other=raw(case["other"]))
    if rule == "certificate":
        out.update(file=str(certificate), sha256=hashlib.sha256(CERTIFICATE).hexdigest())
    if rule == "boot":
        out["counter"] = case["counter"] or "absent"
    return out


def expected(rule, case):
    text = {"service-list": raw_list, "variable": raw}.get(rule)
    if text:
        record = case["record"] and {"before": text(case["record"]["before"]), "after": text(case["record"]["ours"])}
        return {"then": text(case["then"]), "record": record}
    return {name: case[name] for name in {"same": ("same",), "certificate": ("then", "ours"), "boot": ("needed",)}[rule]}


class RulesTest(unittest.TestCase):
    language = ""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="rules test ")
        cls.addClassCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        script = INSTALL.read_text(encoding="ascii")
        assert script.count(LAST_PART) == 1
        (root / "functions.ps1").write_text(script[:script.index(LAST_PART)])
        (root / "one.cer").write_bytes(CERTIFICATE)
        cls.cases = [(rule, case) for rule in ("service-list", "variable", "same", "certificate", "boot") for case in cases_of(rule)]
        (root / "cases.json").write_text(json.dumps({"cases": [asked(rule, case, root / "one.cer") for rule, case in cls.cases]}))
        answer = subprocess.run([PWSH, "-NoProfile", "-NonInteractive", "-File", HERE / "rules.ps1", root / "functions.ps1", root / "cases.json", root, cls.language],
                                capture_output=True, text=True, env={**os.environ, "TMPDIR": str(root), "NO_COLOR": "1"}, timeout=300, check=False)
        try:
            cls.results = json.loads(answer.stdout)
        except json.JSONDecodeError as error:
            raise AssertionError(answer.stdout + answer.stderr) from error

    def check(self, rule):
        self.assertEqual(len(self.results), len(self.cases))
        for (of, case), result in zip(self.cases, self.results):
            if of == rule:
                with self.subTest(case.get("name", case)):
                    self.assertEqual(result, expected(rule, case))

    def test_list_of_a_service(self):
        self.check("service-list")

    def test_variable_of_the_machine(self):
        self.check("variable")

    def test_what_is_the_same(self):
        self.check("same")

    def test_certificate(self):
        self.check("certificate")

    def test_boot(self):
        self.check("boot")


class CodesTest(unittest.TestCase):
    def test_codes_of_errors_that_were_not_foreseen(self):
        """By real errors: what the machine refuses is 13, and only what is wrong in the script is 20."""
        cases = {"[IO.File]::ReadAllText('/')": 13, "[IO.File]::ReadAllText('/there/is/none')": 13, "Get-Content -LiteralPath /there/is/none -ErrorAction Stop": 13,
                 "[Reflection.Assembly]::LoadFile('/there/is/none')": 13, "$null.Run()": 20, "[int]'x'": 20}
        with tempfile.TemporaryDirectory(prefix="codes test ") as folder:
            root = pathlib.Path(folder)
            script = INSTALL.read_text(encoding="ascii")
            (root / "functions.ps1").write_text(script[:script.index(LAST_PART)])
            tries = "\n".join("try { %s } catch { Get-ForeignCode $_.FullyQualifiedErrorId }" % case for case in cases)
            (root / "codes.ps1").write_text(". \"$PSScriptRoot/functions.ps1\"\n" + tries + "\n")
            answer = subprocess.run([PWSH, "-NoProfile", "-NonInteractive", "-File", root / "codes.ps1"], capture_output=True, text=True,
                                    env={**os.environ, "TMPDIR": folder, "NO_COLOR": "1"}, timeout=300, check=False)
        self.assertEqual(answer.stdout.split(), [str(code) for code in cases.values()], answer.stdout + answer.stderr)


class ConstrainedRulesTest(RulesTest):
    """The same where a policy leaves a script only cmdlets and core types."""
    language = "ConstrainedLanguage"


if __name__ == "__main__":
    if PWSH is None:
        print("SKIPPED: no PowerShell (pwsh) on this machine: the rules were NOT tested with Install-Egress.ps1")
        sys.exit(77)
    unittest.main()
