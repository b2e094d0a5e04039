#!/usr/bin/env python3
"""provisioner/docs/proven.md: each claim names its evidence and a test that exists, and each check of
tests/windows/Verify-OnWindows.ps1 has its row there."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = "provisioner/docs/proven.md"
CHECKS = "tests/windows/verify/*.ps1"
HEAD = "| claim | backed by | tests | check |"
TOLD = "**Nothing of this project has run on real Windows yet.**"


def words_of(page):
    """What may back a claim: the words of the page's first table."""
    return re.findall(r"(?m)^\| (\w+) \|", page.split(HEAD)[0])[1:]


def rows_of(page):
    """(line, cells) of each row of the tables of claims."""
    inside = False
    for number, line in enumerate(page.splitlines(), 1):
        if line == HEAD:
            inside = True
        elif not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("|---"):
            yield number, [cell.strip() for cell in line.strip("|").split(" | ")]


def faults_of(page, checks, exists):
    """`checks`: the names in the script; `exists`: whether there is such a file."""
    words, named, claims = words_of(page), set(), set()
    for number, cells in rows_of(page):
        if len(cells) != 4:
            yield f"{number}: {len(cells)} cells"
            continue
        claim, backing, tests, check = cells
        if claim in claims:
            yield f"{number}: the claim stands twice"
        claims.add(claim)
        if not re.search(rf"\b({'|'.join(words)})\b|published measurements", backing):
            yield f"{number}: \"{backing}\" says nothing of what backs it"
        files = re.findall(r"`([^`]+)`", tests)
        if not files:
            yield f"{number}: no test"
        for file in files:
            if not exists(file):
                yield f"{number}: there is no {file}"
        for name in re.findall(r"`([^`]+)`", check):
            named.add(name)
            if name not in checks:
                yield f"{number}: the script has no check {name}"
        if check != "–" and not re.fullmatch(r"(`[^`]+` ?)+", check):
            yield f"{number}: \"{check}\" is neither a check nor \"–\""
        # The word alone; it also stands in names and in what is said of stand-ins.
        if TOLD in page and "Windows" in re.split(r", |; ", backing):
            yield f"{number}: backed by Windows, while the page says that nothing ran there"
    for name in sorted(set(checks) - named):
        yield f"the check {name} has no row"


class Proven(unittest.TestCase):
    def test_each_claim_and_each_check(self):
        checks = [name for part in sorted(ROOT.glob(CHECKS)) for name in re.findall(r"(?m)^Add-Check '([^']+)'", part.read_text(encoding="utf-8"))]
        page = (ROOT / PAGE).read_text(encoding="utf-8")
        self.assertGreater(len(checks), 30)
        self.assertGreater(len(list(rows_of(page))), 50)
        self.assertIn(TOLD, page)
        self.assertEqual("\n".join(faults_of(page, checks, lambda file: (ROOT / file).is_file())), "")

    def test_what_was_never_seen_has_its_row(self):
        """An option that the page calls unproven has a claim of which it says so."""
        page = (ROOT / PAGE).read_text(encoding="utf-8")
        never = page.split("## What was never seen\n")[1].split("\n## ")[0]
        options = set(re.findall(r"`(--[a-z-]+)`", never))
        rows = " ".join(cells[0] for _, cells in rows_of(page))
        self.assertEqual({option for option in options if f"`{option}`" not in rows}, set())
        # Versions of clients that a row names as run are not said to be read only.
        for version in re.findall(r"program: curl ([0-9., ]+)", page)[0].split(", "):
            self.assertNotIn(version.strip(), never)

    def test_the_printed_commands_are_those_of_the_script(self):
        page = (ROOT / PAGE).read_text(encoding="utf-8")
        calls = re.findall(r"(?m)^\.\\Verify-OnWindows\.ps1(.*)$", page)
        self.assertEqual(len(calls), 3)
        head = (ROOT / "tests/windows/Verify-OnWindows.ps1").read_text(encoding="utf-8").split("Set-StrictMode")[0]
        known = set(re.findall(r"(?m)^    \[(?:string|switch)(?:\[\])?\]\$(\w+)", head))
        self.assertLessEqual(set(re.findall(r" -(\w+)", "".join(calls))) | set(re.findall(r"`-(\w+)`", page)), known)


if __name__ == "__main__":
    unittest.main()
