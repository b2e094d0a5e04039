"""Runs the cases of tests/golden/rules by the functions of Apply-Egress.ps1, under a real PowerShell 7 (pwsh, or what PWSH names).
tests/reconcile/rules_test.cc runs the same cases by the engine, and those on names of services, which the script leaves to it."""
import base64
import json
import struct
import unittest

import fakes
from machine import HERE, ROOT, TEMPLATES, folder, run_tests
from harness import powershell  # machine.py says where it is

RULES = ROOT / "tests/golden/rules"
SCRIPT = TEMPLATES / "Apply-Egress.ps1"
LAST_PART = "\ntry {\n    #region payload\n    if ($args.Count "


def value(name, given):
    """What the tables have for a value or a list, as the record has it."""
    if given is None:
        return None
    if isinstance(given, list):
        kind, data = fakes.multi_sz(given)
    elif name == "Environment" or "hex" in given:
        kind, data = (given["hex"] if "hex" in given else given).split(":")
    elif isinstance(given, str):
        kind, data = fakes.sz(given)
    elif "expandSz" in given:
        kind, data = 2, fakes.sz(given["expandSz"])[1]
    else:
        w = given["winHttp"]
        texts = [w["proxy"].encode(), w["bypass"].encode()]
        kind, data = 3, (struct.pack("<3I", w["version"], w["counter"], w["flags"]) + b"".join(struct.pack("<I", len(t)) + t for t in texts)).hex()
    return {"name": name, "type": int(kind), "data": base64.b64encode(bytes.fromhex(data)).decode()}


def values(name, record):
    return record and {member: value(name, record[member]) for member in ("before", "ours")}


NAMES = {"service-list": "Environment", "variable": "HTTP_PROXY"}


def cases_of(rule):
    document = json.loads((RULES / (rule + ".json")).read_text(encoding="utf-8"))
    assert document["schema"] == 1 and document["cases"], rule
    return [case for case in document["cases"] if case.get("kind") != "service"]


def asked(rule, case):
    """A case as rules.ps1 takes it."""
    out = {**case, "rule": rule}
    if rule in NAMES:
        out.update(now=value(NAMES[rule], case["now"]), recorded=values(NAMES[rule], case["recorded"]))
    if rule == "same":
        out.update(kind="winHttp" if case["kind"] == "winHttp" else "env", one=value(case["kind"], case["one"]), other=value(case["kind"], case["other"]))
    if rule == "certificate":  # what was there before us has no record
        out["recorded"] = {"before": None, "ours": {"name": "", "type": 3, "data": ""}} if case["recorded"] == "ours" else None
    return out


def expected(rule, case):
    if rule in NAMES:
        return {"then": value(NAMES[rule], case["then"]), "record": values(NAMES[rule], case["record"])}
    return {name: case[name] for name in {"same": ("same",), "certificate": ("then", "ours"), "boot": ("needed",)}[rule]}


def answer_of(root, *arguments):
    """pwsh with the functions of the script in functions.ps1."""
    script = SCRIPT.read_text(encoding="ascii")
    assert script.count(LAST_PART) == 1
    (root / "functions.ps1").write_text(script[:script.index(LAST_PART)])
    return powershell("-File", *arguments, env={"TMPDIR": str(root)})


class RulesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cases = [(rule, case) for rule in ("service-list", "variable", "same", "certificate", "boot") for case in cases_of(rule)]
        root = folder(cls, "rules test ")
        (root / "cases.json").write_text(json.dumps({"cases": [asked(rule, case) for rule, case in cls.cases]}))
        answer = answer_of(root, HERE / "rules.ps1", root / "functions.ps1", root / "cases.json")
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
        root = folder(self, "codes test ")
        tries = "\n".join("try { %s } catch { Get-ForeignCode $_.FullyQualifiedErrorId }" % case for case in cases)
        (root / "codes.ps1").write_text(". \"$PSScriptRoot/functions.ps1\"\n" + tries + "\n")
        answer = answer_of(root, root / "codes.ps1")
        self.assertEqual(answer.stdout.split(), [str(code) for code in cases.values()], answer.stdout + answer.stderr)


if __name__ == "__main__":
    run_tests("the rules were NOT tested with Apply-Egress.ps1")
