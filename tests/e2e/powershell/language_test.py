"""Install-Egress.ps1 as text: what Constrained Language Mode refuses stands in its region "full language" alone.

Windows lets a script that a policy does not trust use cmdlets and the core types of PowerShell only (about_Language_Modes).
A mode is seen where a statement runs; this test sees the statements that no test runs."""
import os
import re
import sys
import unittest

TEMPLATES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "templates")
CORE_TYPES = {"array", "bool", "byte", "char", "datetime", "decimal", "double", "guid", "hashtable", "int", "long", "regex", "single", "string", "switch",
              "timespan", "uint16", "uint32", "uint64", "void", "xml"}
# Of strings, characters and hashtables; on anything else the mode allows no call.
CORE_METHODS = {"ContainsKey", "Equals", "IndexOf", "LastIndexOf", "Split", "Substring", "ToCharArray", "ToLowerInvariant", "ToUpperInvariant", "Trim",
                "TrimEnd", "TrimStart"}
REGION = re.compile(r"^#region full language\n(.*?)^#endregion\n", re.M | re.S)


def code_of(script):
    """The script without comments and what is between single quotes; of double-quoted texts only what is evaluated, $(...)."""
    out, at = [], 0
    token = re.compile(r"#[^\n]*|'(?:[^']|'')*'|\"(?:[^\"`]|`.|\"\")*\"", re.S)
    for found in token.finditer(script):
        if found.start() < at:
            continue
        out.append(script[at:found.start()])
        if found[0].startswith('"'):
            out.append('"' + " ".join(evaluated(found[0])) + '"')
        at = found.end()
    return "".join(out) + script[at:]


def evaluated(text):
    """The bodies of $(...) in a text."""
    for start in (m.end() for m in re.finditer(r"\$\(", text)):
        depth = 1
        for end in range(start, len(text)):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            if depth == 0:
                yield "$(" + text[start:end] + ")"
                break


def refused(script):
    """What the mode would refuse, in order."""
    code = code_of(script)
    found = []
    for name in re.findall(r"(?<![\w$\])}])\[([A-Za-z][\w.]*)(?:\[\])?\](?=::|[^\[]|$)", code):
        if name.lower() not in CORE_TYPES and not re.fullmatch(r"Parameter|CmdletBinding|ValidateSet", name):
            found.append("[" + name + "]")
    for name in re.findall(r"(?:\.|::)(\w+)\(", code):
        if name not in CORE_METHODS:
            found.append(name + "()")
    found += re.findall(r"Add-Type\b|New-Object\b[^\n]*|Set-Acl\b|Invoke-Expression\b|Import-Module\b", code)
    return found


class LanguageTest(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(TEMPLATES, "Install-Egress.ps1"), encoding="ascii") as file:
            self.script = file.read()

    def test_outside_of_the_region_nothing_needs_the_full_language(self):
        self.assertEqual(len(REGION.findall(self.script)), 1)
        self.assertEqual(refused(REGION.sub("", self.script)), [])

    def test_the_region_needs_it(self):
        self.assertIn("SetAccessControl()", refused(REGION.findall(self.script)[0]))

    def test_the_region_is_entered_in_the_full_language_only(self):
        """Who calls a function of the region has asked for the mode before."""
        (region,) = REGION.findall(self.script)
        inside = re.findall(r"^function ([\w-]+)", region, re.M)
        functions = re.split(r"^(?=function )", REGION.sub("", self.script), flags=re.M)
        callers = 0
        for function in functions:
            code = code_of(function)
            for name in inside:
                for call in re.finditer(rf"(?<![\w-]){name}\b", code):
                    self.assertRegex(code[:call.start()], r"Test-FullLanguage\)\) \{\n[^}]*return\n|if \(Test-FullLanguage\) \{[^}]*\Z", name)
                    callers += 1
        self.assertEqual(callers, 2)

    def test_the_test_sees_what_is_refused(self):
        for script, count in (("[IO.File]::ReadAllText($x)", 2), ("$key.GetValue('a')", 1), ("New-Object Net.WebClient", 1), ('"x $($a.Run()) y"', 1),
                              ("[Security.Principal.NTAccount]$x", 1), ("Add-Type -Path x", 1), ("$a = [ Math ]::Abs(1)", 1),
                              ("# [IO.File]::Delete('x')", 0), ("'[IO.File]::Delete()'", 0), ("$a[$b].Trim()", 0), ("[string]::Equals($a, $b)", 0),
                              ("[int]$x; [char[]]'()'; @{ a = 1 }['a']", 0), ('"$a.Run() [IO.File]"', 0)):
            self.assertEqual(len(refused(script)), count, script)


if __name__ == "__main__":
    sys.exit(unittest.main())
