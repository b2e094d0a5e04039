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
        record = case["record"] and {name: text(case["record"][name]) for name in ("before", "ours")}
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


class RecordTest(unittest.TestCase):
    """What Read-StateFile makes of script-state.json."""
    language = ""

    def read(self, documents):
        """What the script knows of each document, or None where it takes it for damaged."""
        with tempfile.TemporaryDirectory(prefix="record test ") as folder:
            root = pathlib.Path(folder)
            script = INSTALL.read_text(encoding="ascii")
            (root / "functions.ps1").write_text(script[:script.index(LAST_PART)])
            for number, document in enumerate(documents):
                (root / f"{number}.json").write_text(document if isinstance(document, str) else json.dumps(document, ensure_ascii=False), encoding="utf-8")
            (root / "read.ps1").write_text(
                '. "$PSScriptRoot/functions.ps1"\n$folder = $PSScriptRoot\n' +
                (f"$ExecutionContext.SessionState.LanguageMode = '{self.language}'\n" if self.language else "") +
                "$states = @(for ($i = 0; $i -lt %d; $i++) { $state = Read-StateFile \"$folder/$i.json\"; if ($null -eq $state) { 'damaged' } else { $state } })\n"
                "ConvertTo-Json -InputObject $states -Depth 5 -Compress\n" % len(documents))
            answer = subprocess.run([PWSH, "-NoProfile", "-NonInteractive", "-File", root / "read.ps1"], capture_output=True, text=True,
                                    env={**os.environ, "TMPDIR": folder, "NO_COLOR": "1"}, timeout=300, check=False)
        try:
            return [None if state == "damaged" else state for state in json.loads(answer.stdout)]
        except json.JSONDecodeError as error:
            raise AssertionError(answer.stdout + answer.stderr) from error

    def test_both_schemas_say_the_same(self):
        sha1 = "0123456789abcdef0123456789abcdef01234567"
        proxy, entries, older = fakes.sz("http://p:1")[1], fakes.multi_sz(["HTTP_PROXY=b"])[1], fakes.multi_sz(["HTTP_PROXY=a"])[1]
        connections = "SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Internet Settings"
        items = [("certificate", "ROOT/" + sha1, "absent", "present", "", ""), ("certificate", "CA/" + sha1, "present", "present", "", ""),
                 ("env", "HTTP_PROXY", "2:6100", "1:" + proxy, "1:6200", ""), ("reboot", "machine", "", "counter 4:07000000", "", ""),
                 ("winHttp", "64", "absent", "3:18", "", "2"), ("serviceEnv", "\u03c2\"x", "ffffffff:00", "7:" + entries, "", ""),
                 ("serviceOurs", "\u03c2\"x", "", "7:" + entries, "7:" + older, ""), ("serviceAcl", "a", "3:01", "3:02", "", ""),
                 ("generation", "payload", "", "7", "", "")]
        one = {"schema": 1, "items": [dict(zip(("kind", "name", "before", "after", "prior", "key"), item)) for item in items]}

        def entry(before, ours, keys=()):
            value = [text and {"type": int(text.split(":")[0], 16), "hex": text.split(":")[1].upper()} for text in (before, ours)]
            return {"before": value[0], "ours": value[1], "ownKeys": list(keys)}

        two = {"schema": 2, "ledger": {"certificate:ROOT:" + sha1.upper(): entry(None, None), "env:HTTP_PROXY": entry("2:6100", "1:" + proxy),
                                       "winHttp:64": entry(None, "3:18", [connections, connections + "\\Connections"]),
                                       "service:\u03c2\"x": entry("ffffffff:00", "7:" + entries), "serviceSecurity:a": entry("3:01", "3:02")},
               "prior": {"env:HTTP_PROXY": {"type": 1, "hex": "6200"}, "service:\u03c2\"x": {"type": 7, "hex": older}, "winHttp:64": None},
               "reboot": "counter 4:07000000", "generation": 7}
        # serviceOurs comes first where user data wrote it.
        earlier, newer, reordered = self.read([one, two, {**one, "items": one["items"][::-1]}])
        for state in (earlier, newer, reordered):
            self.assertEqual(state.pop("Earlier"), state is not newer)
            for record in state["Records"]:
                record["ours"] = record["ours"].removeprefix("absent")
            state["Records"].sort(key=lambda record: record["kind"])
        self.assertEqual(earlier, newer)
        self.assertEqual(reordered, newer)
        self.assertEqual((newer["Reboot"], newer["Generation"]), ("counter 4:07000000", "7"))
        self.assertEqual(newer["Records"][1], {"kind": "env", "name": "HTTP_PROXY", "before": "2:6100", "ours": "1:" + proxy, "prior": "1:6200", "key": 0})

    def test_empty_ones(self):
        read = self.read(['{"schema":1,"items":[]}', '{"schema":2,"ledger":{},"prior":{},"reboot":"","generation":null}', '{"schema":2,"ledger":{},"prior":{}}'])
        self.assertEqual(read, [{"Records": [], "Reboot": "", "Generation": "", "Earlier": earlier} for earlier in (True, False, False)])

    def test_what_scripts_never_write_is_damaged(self):
        good = {"schema": 2, "ledger": {}, "prior": {}, "reboot": "", "generation": 1}
        entry = {"before": None, "ours": {"type": 1, "hex": "78000000"}, "ownKeys": []}
        items = {"env:Path": entry, "env:http_proxy": entry, "env:HTTP_PROXY": {**entry, "ownKeys": ["SYSTEM\\CurrentControlSet\\Control"]}, "run:x": entry,
                 "winHttp:16": entry, "service:a\\b": entry, "service:": entry, "service": entry, "certificate:MY:" + "0" * 40: entry,
                 "certificate:ROOT:12": entry, "env:NO_PROXY": {**entry, "ours": None}, "env:HTTPS_PROXY": {**entry, "ours": {"type": 1, "hex": "7"}},
                 "winHttp:64": {**entry, "ours": {"type": "x", "hex": "78"}}, "winHttp:32": {**entry, "ownKeys": ["SOFTWARE"] * 9},
                 "service:x": [], "service:y": {**entry, "before": "1:78"}, "service:z": {**entry, "before": {"type": 1}}, "service:w": None}
        documents = [{**good, "ledger": {item: made}} for item, made in items.items()]
        documents += [{**good, "ledger": []}, {**good, "ledger": None}, {**good, "prior": None}, {**good, "reboot": "\n"}, {**good, "generation": "x"},
                      {**good, "schema": "two"}, {**good, "schema": 0}, {}, [], "{", "", "null", '"x"',
                      '{"schema":1,"items":[{"kind":"env","name":"HTTP_PROXY","before":"absent","after":"absent","prior":""}]}',
                      '{"schema":1,"items":[{"kind":"env","name":1,"before":"absent","after":"absent","prior":"","key":""}]}',
                      '{"schema":1,"items":[{"kind":"env","name":"HTTP_PROXY","before":"x","after":"1:00","prior":"","key":""}]}']
        for document, state in zip(documents, self.read(documents), strict=True):
            self.assertIsNone(state, document)


class ConstrainedRecordTest(RecordTest):
    language = "ConstrainedLanguage"


class ConstrainedRulesTest(RulesTest):
    """The same where a policy leaves a script only cmdlets and core types."""
    language = "ConstrainedLanguage"


if __name__ == "__main__":
    if PWSH is None:
        print("SKIPPED: no PowerShell (pwsh) on this machine: the rules were NOT tested with Install-Egress.ps1")
        sys.exit(77)
    unittest.main()
