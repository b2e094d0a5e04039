#!/usr/bin/env python3
"""Verify-OnWindows.ps1 as far as it goes outside of Windows, under a real PowerShell 7 (pwsh, or what PWSH names): its texts, what
becomes of a check, how it puts things back, a whole run on stand-ins, and curl and .NET at its listener. What only Windows can
show is not shown here.

usage: verify_test.py [PROVISIONER] [unittest arguments]"""
import json
import os
import pathlib
import re
import shutil
import struct
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from harness import PWSH, ROOT, end_unrun, folder, powershell, skip  # noqa: E402

SCRIPT = HERE / "Verify-OnWindows.ps1"
PARTS = sorted((HERE / "verify").glob("*.ps1"))
PROGRAM = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and os.path.isfile(sys.argv[1]) else None

# Commands and $script: variables that nobody defines; what a body that runs nowhere here would fail on.
UNDEFINED = """
$cmdlets = 'Get-CimInstance', 'Get-WinEvent', 'Get-Service', 'Start-Service', 'Stop-Service', 'Restart-Service', 'Get-Acl'  # of Windows
$functions, $calls, $set, $read = @{}, @(), @{}, @()
foreach ($file in $args) {
    $tree = [System.Management.Automation.Language.Parser]::ParseFile($file, [ref]$null, [ref]$null)
    foreach ($node in $tree.FindAll({ $true }, $true)) {
        switch ($node.GetType().Name) {
            'FunctionDefinitionAst' { $functions[$node.Name] = $true }
            'CommandAst' { if ($node.GetCommandName()) { $calls += ,@($node.GetCommandName(), "$($file):$($node.Extent.StartLineNumber)") } }
            'AssignmentStatementAst' {
                foreach ($one in $node.Left.FindAll({ $args[0].VariablePath }, $true)) { $set[$one.VariablePath.UserPath] = $true }
            }
            'VariableExpressionAst' {
                if ($node.VariablePath.IsScript) { $read += ,@($node.VariablePath.UserPath, "$($file):$($node.Extent.StartLineNumber)") }
            }
        }
    }
}
foreach ($call in $calls) {
    if ($call[0] -like '*/*' -or $functions[$call[0]] -or $cmdlets -contains $call[0]) { continue }
    if (-not (Get-Command -Name $call[0] -CommandType Cmdlet, Alias -ErrorAction SilentlyContinue)) { "$($call[1]): nothing is called $($call[0])" }
}
foreach ($one in $read) { if (-not $set[$one[0]]) { "$($one[1]): nothing sets `$$($one[0])" } }
"""


def names():
    """The checks, in the order of their files."""
    return [name for part in PARTS for name in re.findall(r"(?m)^Add-Check '([a-z0-9.-]+)' @\{", part.read_text(encoding="ascii"))]


class Texts(unittest.TestCase):
    def test_each_check_says_what_it_claims(self):
        found = names()
        self.assertGreater(len(found), 30)
        self.assertEqual(len(found), len(set(found)), "a name twice")
        for part in PARTS:
            for block in re.findall(r"(?ms)^Add-Check '[^']+' @\{\n.*?^\}", part.read_text()):
                self.assertRegex(block, r"(?m)^    Claim = '[a-zA-Z]")
                self.assertRegex(block, r"Test-\w+|Compare-Decisions")

    def test_known_libraries_are_those_of_the_hardening_test(self):
        listed = (HERE / "verify/ChecksProgram.ps1").read_text().split("$script:knownDlls = ")[1].split("-split")[0]
        ours = "".join(re.findall(r"'([a-z0-9_ ]+)'", listed)).split()
        theirs = re.search(r'KNOWN_DLLS = set\("""(.*?)"""', (ROOT / "tests/e2e/hardening_e2e.py").read_text(), re.S)[1].split()
        self.assertEqual(set(ours), set(theirs) - {"ntdll"})


class Runs(unittest.TestCase):
    def setUp(self):
        self.work = folder(self)
        self.env = {"VERIFY_FOLDER": str(self.work), "VERIFY_BOOT": "63900000000"}

    def pwsh(self, *words):
        return powershell(*words, env=self.env, cwd=self.work, timeout=1200)

    def case(self, name, *words):
        done = self.pwsh("-File", HERE / "verify_cases.ps1", name, self.work, *words)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)


class Logic(Runs):
    def test_bodies_call_and_read_what_is_there(self):
        checker = self.work / "undefined.ps1"
        checker.write_text(UNDEFINED)
        done = self.pwsh("-File", checker, SCRIPT, *PARTS)
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        (self.work / "faulty.ps1").write_text("function F { Get-Nothing; $script:b }\n")
        self.assertEqual(len(self.pwsh("-File", checker, "faulty.ps1").stdout.splitlines()), 2, "it sees faults")

    def test_what_checks_need_is_known(self):
        known = set(re.findall(r"(?m)^        '([a-z0-9-]+)' \{", (HERE / "verify/Run.ps1").read_text())) | {"curl", "hns", "setup"}
        self.assertGreaterEqual(known, {"bare", "installed", "second-boot"})
        for part in PARTS:
            text = part.read_text()
            for needs in re.findall(r"(?m)^    Needs = @\((.*)\)$", text):
                self.assertLessEqual(set(re.findall(r"'([^']*)'", needs)), known, part)
            self.assertLessEqual(set(re.findall(r"(?m)^    Phase = '(.*)'$", text)), {"first", "second", "last"}, part)

    def test_without_the_switch_it_changes_nothing_and_lists_its_checks(self):
        done = self.pwsh("-File", SCRIPT, "-Provisioner", "x.exe", "-Report", "report.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(line for line in done.stdout.splitlines() if re.match(r"[a-z]", line)), sorted(names()))
        self.assertIn("Nothing was changed", done.stdout)
        self.assertEqual(list(self.work.iterdir()), [])

    def test_wrong_command_lines(self):
        for words, code, said in ((["-ThrowawayMachine"], 10, "needs -Provisioner"), (["-Only", "no-such"], 10, "no check no-such"),
                                  (["-ThrowawayMachine", "-Provisioner", "x", "-Report", "y"], 10, "no program x"),
                                  (["-ThrowawayMachine", "-Provisioner", SCRIPT, "-Report", "y", "-Image", "z"], 10, "no image z"),
                                  (["-Continue", "-Report", "y"], 10, "needs -ThrowawayMachine"), (["-PutBack"], 13, "not Windows"),
                                  (["-AcrosReboot", "-ThrowawayMachine"], 1, "AcrosReboot"),
                                  (["-ThrowawayMachine", "-Provisioner", SCRIPT, "-Report", "y"], 13, "not Windows")):
            done = self.pwsh("-File", SCRIPT, *words)
            self.assertEqual(done.returncode, code, words)
            self.assertIn(said, done.stderr)

    def test_constrained_language(self):
        """As a run leaves a machine that was cut off in the check of that policy."""
        done = self.pwsh("-Command", f"$ExecutionContext.SessionState.LanguageMode = 'ConstrainedLanguage'; & '{SCRIPT}' -PutBack; exit $LASTEXITCODE")
        self.assertEqual(done.returncode, 13, done.stdout + done.stderr)
        self.assertIn("/v __PSLockdownPolicy /f", done.stdout)

    def test_what_becomes_of_a_check(self):
        results = {row["name"]: row for row in self.case("results")}
        self.assertEqual({name: row["result"] for name, row in results.items()},
                         {"differs": "fail", "throws": "fail", "nothing": "fail", "skips-after-a-difference": "fail", "lacks": "skipped", "case": "fail", "pipes": "pass"})
        self.assertEqual(results["differs"]["why"], "differs: one")
        self.assertEqual(results["throws"]["why"], "the check ended early: at COMPUTER, PC, SDC12")
        self.assertEqual(results["lacks"]["why"], "name a WIM file with -Image")
        page = (self.work / "report.json.markdown").read_text()
        self.assertIn("| pipes | pass | a \\| b | one: a\\|b&lt;c | one: a\\|b&lt;c |", page)
        self.assertIn("| value x of COMPUTER | done |", page)

    def test_what_was_changed_is_put_back_in_the_opposite_order(self):
        answer = self.case("undo")
        self.assertEqual(answer["order"], ["service c", "refuses b", "value a", "removal e", "service d"])
        self.assertEqual([row["result"] for row in answer["first"]], ["done", "no", "done"])
        self.assertEqual([row["before"] for row in json.loads(answer["inFile"]) if "before" in row], ["String:1"], "what was there first")
        self.assertEqual([row["action"] for row in json.loads(answer["left"])], ["refuses"])
        self.assertEqual((answer["count"], answer["there"]), (1, False))
        self.assertEqual((answer["torn"], answer["unreadable"]), (0, "refused"))

    def test_texts_of_windows(self):
        answer = self.case("texts")
        self.assertEqual(answer["descriptor"], answer["wanted"])
        self.assertNotEqual(answer["open"], answer["wanted"])
        self.assertEqual(answer["broken"], "not understood: nonsense")
        self.assertEqual((answer["actions"], answer["short"]), ("86400: 1 5000, 1 30000, 1 60000", "too short: 1 bytes"))
        self.assertEqual(answer["said"], answer["words"])
        self.assertEqual(answer["readings"], ["curl7", "curl7", "curl8", "curl8", "curl8", "curl", "curl"])
        self.assertEqual(answer["environment"], "b c None")
        self.assertEqual(answer["modules"], "None", "a PowerShell of another edition can't load the modules of this one")

    def test_clients_at_its_listener(self):
        curl = shutil.which("curl")
        if not PROGRAM or not curl:
            skip(self, "give the program, and install curl: the comparison of clients was NOT run")
        answer = self.case("clients", PROGRAM, curl, PWSH)
        for row in answer["results"]:
            self.assertEqual((row["result"], row["why"]), ("pass", ""), row)
            for decision in ("proxy", "direct"):
                self.assertGreaterEqual(row["seen"].count(": " + decision), 5, "both occur")
        self.assertEqual([row["name"] for row in answer["results"]], ["curl", "dotnet"])
        self.assertEqual([c["sha1"].upper() for c in answer["read"]["trustBundle"]["certificates"]], [answer["thumbprint"]])
        self.assertEqual(answer["read"]["proxy"]["HTTPS_PROXY"], f"http://127.0.0.1:{answer['port']}")


class WholeRuns(Runs):
    """The script as it is, on stand-ins for what asks Windows."""

    def setUp(self):
        super().setUp()
        copy = self.work / "copy"
        shutil.copytree(HERE / "verify", copy / "verify")
        shutil.copy(SCRIPT, copy)
        with open(copy / "verify/ChecksBoot.ps1", "a", encoding="ascii") as last:
            last.write((HERE / "verify_stand_ins.ps1").read_text(encoding="ascii"))
        self.program(0x8664)
        self.env["VERIFY_DESCRIPTOR"] = "O:BAG:SYD:P"
        self.script, self.report = copy / SCRIPT.name, self.work / "report.json"

    def program(self, machine):
        """What tells a program of Windows, at the beginning of its file."""
        (self.work / "provisioner.exe").write_bytes(b"MZ".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0" + struct.pack("<H", machine))

    def run_it(self, *words, code):
        done = self.pwsh("-File", self.script, "-Provisioner", self.work / "provisioner.exe", "-Report", self.report, "-ThrowawayMachine", *words)
        self.assertEqual(done.returncode, code % 256, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def results(self):
        return {row["name"]: row["result"] for row in json.loads(self.report.read_text())["checks"]}

    def registry(self):
        file = self.work / "registry.json"
        return set(json.loads(file.read_text()).values()) if file.exists() else set()

    def test_it_reports_and_puts_back(self):
        said = self.run_it(code=4)
        self.assertEqual(self.results(), {"install": "pass", "breaks": "fail", "after": "skipped", "end": "pass"})
        self.assertEqual(self.registry(), {"absent"})
        self.assertFalse((self.work / "work").exists())
        self.assertIn("2 passed, 1 failed, 1 skipped", said)
        self.assertNotIn("C4nary", self.report.read_text() + (self.work / "report.json.markdown").read_text())
        self.assertIn("no ***", self.report.read_text())

    def test_a_run_that_is_stopped_tells_what_it_did_not_come_to(self):
        self.env["VERIFY_NO_BAKE"] = "1"
        self.run_it(code=4)
        self.assertEqual(self.results(), {"install": "skipped", "breaks": "skipped", "after": "skipped", "end": "skipped", "run": "fail"})
        self.assertFalse((self.work / "work").exists())

    def test_what_it_refuses_to_start_with(self):
        self.env["VERIFY_32_BITS"] = "1"
        self.assertIn("has 32 bits", self.run_it(code=13))
        del self.env["VERIFY_32_BITS"]
        self.program(0x14c)
        self.assertIn("another processor than x64", self.run_it(code=10))
        (self.work / "provisioner.exe").write_bytes(b"\x7fELF")
        self.assertIn("is a program for Linux", self.run_it(code=10))
        self.program(0x8664)
        self.report = self.work / "nowhere/report.json"
        self.assertIn("no folder for the report", self.run_it(code=10))
        self.report = self.work / "report.json"
        (self.work / "work").mkdir()
        (self.work / "work/mine").write_text("")
        self.assertIn("no earlier run made it", self.run_it(code=12))
        (self.work / "work/made-by-verify").write_text("")
        self.env["VERIFY_DESCRIPTOR"] = "O:S-1-5-21-1-2-3-1001G:SYD:"
        self.assertIn("does not belong to administrators", self.run_it(code=12))
        self.assertTrue((self.work / "work/mine").exists())

    def test_only_some(self):
        self.run_it("-Only", "install,end", code=0)
        self.assertEqual(self.results(), {"install": "pass", "end": "pass"})

    def test_across_a_restart(self):
        said = self.run_it("-AcrossReboot", code=3010)
        self.assertIn("-Continue", said)
        self.assertFalse(self.report.exists())
        self.assertEqual(self.registry(), {"String:ours"})
        self.assertIn("an earlier run left things", self.run_it(code=12))
        # The clock was set meanwhile.
        self.env["VERIFY_BOOT"] = "63900000020"
        self.assertIn("has not been restarted", self.run_it("-Continue", code=12))
        self.assertEqual(self.registry(), {"String:ours"})
        self.env["VERIFY_BOOT"] = "63900000500"
        self.run_it("-Continue", code=4)
        self.assertEqual(self.results(), {"install": "pass", "breaks": "fail", "after": "pass", "end": "pass"})
        self.assertEqual(self.registry(), {"absent"})
        self.assertIn("no earlier run left anything", self.run_it("-Continue", code=12))

    def test_what_can_not_be_put_back_is_told_and_kept(self):
        self.env["VERIFY_REFUSES"] = "b"
        said = self.run_it(code=13)
        self.assertIn("NOT put back: value K b: access denied", said)
        self.assertTrue((self.work / "work/undo.json").exists())
        del self.env["VERIFY_REFUSES"]
        done = self.pwsh("-File", self.script, "-PutBack")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.registry(), {"absent"})
        self.assertFalse((self.work / "work").exists(), "payloads with a password, and the state of a run that is over")

    def test_a_run_that_died_is_put_back_later(self):
        self.env["VERIFY_DIES"] = "1"
        self.run_it(code=99)
        self.assertEqual(self.registry(), {"String:ours"})
        del self.env["VERIFY_DIES"]
        self.assertIn("an earlier run left things", self.run_it(code=12))
        self.assertIn("did not come to its restart", self.run_it("-Continue", code=12))
        self.run_it("-PutBack", code=0)
        self.assertEqual(self.registry(), {"absent"})


if __name__ == "__main__":
    if PWSH is None:
        if not unittest.main(verbosity=2, exit=False, defaultTest="Texts").result.wasSuccessful():
            sys.exit(1)
        end_unrun("no PowerShell (pwsh) on this machine: Verify-OnWindows.ps1 was NOT run, its texts were read only")
    unittest.main(verbosity=2)
