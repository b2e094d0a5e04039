#!/usr/bin/env python3
"""Checks that sources and documents agree: every page, section, folder and file that is named exists; the table of rooms
matches the includes; every source says at its beginning what it is."""
import collections
import glob
import os
import re
import unittest

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
TOP = ("ignition", "images", "provisioner", "templates", "scripts", "tests")
# What is made of bytes, or is a record of other times.
LEFT_OUT = re.compile(r"^tests/(fuzz/corpus|golden)/|/__pycache__/|^provisioner/CHANGELOG\.md$")
SOURCE = re.compile(r"\.(cc|h|c|py|ps1|cmake|hcl|mc|in|txt|cmd|sh)$|^scripts/[a-z-]+$|^images/recipes/[a-z-]+$")
PAGE = r"[A-Za-z0-9_./-]*[A-Za-z0-9_]\.md\b"
# A page; a section of it; further sections behind a comma or a word; a number, which is no name of a section.
CITED = re.compile(rf"(?P<page>{PAGE})(?P<section>#[a-z0-9-]+)?(?P<more>(?:(?:,| and)[\s/#]*? #[a-z0-9-]+)*)"
                   r"(?P<number>,? +[1-9][0-9]*(?:\.[0-9]+)?\b)?")
MADE = re.compile(r"^build/|(^|/)codes\.md$")  # by a run, or by the build for packages


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def files_below():
    """Every text of ours, as paths from the root."""
    found = [name for name in sorted(os.listdir(ROOT)) if os.path.isfile(os.path.join(ROOT, name))]
    for top in TOP:
        for folder, folders, names in os.walk(os.path.join(ROOT, top)):
            folders[:] = [name for name in folders if name != "node_modules"]  # packages that the tests of scripts install
            found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in sorted(names)]
    return [path for path in found if not LEFT_OUT.search(path)]


def sections_of(page):
    """The names by which the headings of a page are linked."""
    plain = re.sub(r"(?ms)^```.*?^```", "", text_of(page))
    headings = re.findall(r"(?m)^#+ +(.*?) *$", plain)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def place_of(path, page):
    """The file that a source or page means by a page's name, or None."""
    for base in (os.path.dirname(os.path.join(ROOT, path)), ROOT, os.path.join(ROOT, "provisioner")):
        place = os.path.normpath(os.path.join(base, page))
        if os.path.isfile(place):
            return place
    return None


def faults_of_citations(path):
    """What a source cites and nobody finds."""
    text = text_of(os.path.join(ROOT, path))
    for found in CITED.finditer(text):
        page, line = found["page"], text.count("\n", 0, found.start()) + 1
        if MADE.search(page):
            continue
        place = place_of(path, page)
        if place is None:
            yield f"{path}:{line}: there is no document {page}"
            continue
        if found["number"]:
            yield f"{path}:{line}: {page} is cited by a section's number; name the section: {page}#section"
        for section in re.findall(r"#([a-z0-9-]+)", (found["section"] or "") + found["more"]):
            if section not in sections_of(place):
                yield f"{path}:{line}: {page} has no section #{section}"


def faults_of_page(path):
    """Links of a page that lead nowhere, and files of the tree that it names and that are not there."""
    text = text_of(os.path.join(ROOT, path))
    plain = re.sub(r"(?ms)^```.*?^```", lambda block: "\n" * block[0].count("\n"), text)
    for found in re.finditer(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", plain):
        line = plain.count("\n", 0, found.start()) + 1
        place = os.path.normpath(os.path.join(ROOT, os.path.dirname(path), found[1])) if found[1] else os.path.join(ROOT, path)
        if not os.path.exists(place):
            yield f"{path}:{line}: the link to {found[1]} leads nowhere"
        elif found[2] and found[2] not in sections_of(place):
            yield f"{path}:{line}: {found[1] or 'this page'} has no section #{found[2]}"
    for found in re.finditer(rf"`((?:{'|'.join(TOP)})/[A-Za-z0-9_.*/-]+)`", plain):
        if not glob.glob(os.path.join(ROOT, found[1])):
            yield f"{path}:{plain.count(chr(10), 0, found.start()) + 1}: there is no {found[1]}"


Room = collections.namedtuple("Room", "folder may_use")


def faults_of_tables(path):
    """Tables that are shown as text: without a row of headings, or with a row that is broken into lines."""
    lines = re.sub(r"(?ms)^( *)```.*?^ *```", lambda block: "\n" * block[0].count("\n"), text_of(os.path.join(ROOT, path))).split("\n")
    for number, (above, line) in enumerate(zip([""] + lines, lines), 1):
        line = line.strip()
        if line.startswith("|") and not (line.endswith("|") and len(line) > 1):
            yield f"{path}:{number}: the row of the table goes on in the next line"
        if re.match(r"^\|-+\|", line) and not above.strip().startswith("|"):
            yield f"{path}:{number}: the table has no row of headings"


def rooms_of(design):
    """The table of rooms: {name: Room}. A room is named by the last part of its folder."""
    rooms = {}
    for row in re.findall(r"(?m)^\| `([a-z_/]+)/` \|.*\| ([^|]*) \|$", design):
        uses = {word.strip() for word in row[1].split(",")} - {"–"}
        rooms[os.path.basename(row[0])] = Room(row[0], uses)
    return rooms


def faults_of_rooms(design):
    rooms = rooms_of(design)
    folders = {room.folder: name for name, room in rooms.items()}
    have, missing = set(), set()
    for path in files_below():
        if path.startswith("tests/") or not path.endswith((".cc", ".h")):
            continue
        folder = os.path.dirname(path)
        have.add(folder)
        if folder not in folders:
            missing.add(folder)
            continue
        room = rooms[folders[folder]]
        for name in re.findall(r'(?m)^#\s*include "([^"]+)"', text_of(os.path.join(ROOT, path))):
            used = os.path.dirname(name)
            if used in ("", folder) or "all" in room.may_use or folders.get(used) in room.may_use:
                continue
            yield f"{path}: {folder} may not use {used} ({name}), by the table in provisioner/DESIGN.md"
    for folder in sorted(missing):
        yield f"{folder}: is no room: give it a row in provisioner/DESIGN.md, or move its sources"
    for folder in sorted(set(folders) - have - {"templates"}):
        yield f"provisioner/DESIGN.md: there is no room {folder}"


def says_what_it_is(path):
    return text_of(path).lstrip().startswith(("//", "/*"))


def faults_of_openings():
    """Sources that neither say themselves what they are nor by the header, or for a test the source, of the same name."""
    paths = files_below()
    said = set()
    for path in paths:
        if path.endswith((".h", ".cc")) and says_what_it_is(os.path.join(ROOT, path)):
            name = os.path.splitext(os.path.basename(path))[0]
            said |= {name, os.path.basename(os.path.dirname(path)) + "_" + name}  # a test may name the room, too
    for path in paths:
        stem, end = os.path.splitext(path)
        if end not in (".cc", ".h") or says_what_it_is(os.path.join(ROOT, path)):
            continue
        # The same name, or that of what a system's own file is a part of.
        if stem.startswith("tests/") and stem.endswith("_test"):
            subject = os.path.basename(stem).removesuffix("_test")
            if said & {subject, re.sub(r"_(posix|win32)$", "", subject)}:
                continue
        headers = [os.path.join(ROOT, name + ".h") for name in (stem, re.sub(r"_(posix|win32)$", "", stem))]
        if end == ".cc" and any(os.path.isfile(header) and says_what_it_is(header) for header in headers):
            continue
        yield f"{path}: says nowhere what it is; begin it with a line of comment"


class Documents(unittest.TestCase):
    def none_of(self, faults):
        faults = list(faults)
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_what_sources_cite_is_there(self):
        sources = [path for path in files_below() if SOURCE.search(path) and path != os.path.relpath(os.path.abspath(__file__), ROOT)]
        self.assertGreater(sum(len(CITED.findall(text_of(os.path.join(ROOT, path)))) for path in sources), 50)
        self.none_of(fault for path in sources for fault in faults_of_citations(path))

    def test_pages_lead_somewhere(self):
        pages = [path for path in files_below() if path.endswith(".md")]
        self.assertGreater(len(pages), 15)
        self.assertGreater(sum(len(re.findall(r"\]\((?!https?:)|(?m:^\|-+\|)", text_of(os.path.join(ROOT, path)))) for path in pages), 200)
        self.none_of(fault for path in pages for fault in faults_of_page(path))
        self.none_of(fault for path in pages for fault in faults_of_tables(path))

    def test_every_page_of_docs_is_in_an_index(self):
        docs = os.path.join(ROOT, "provisioner", "docs")
        pages = {os.path.relpath(os.path.join(folder, name), docs) for folder, _, names in os.walk(docs) for name in names if name.endswith(".md")}
        linked = [os.path.normpath(os.path.join(os.path.dirname(index), link))
                  for index in sorted(pages) if os.path.basename(index) == "README.md"
                  for link in re.findall(r"\]\(([^)#]+\.md)", text_of(os.path.join(docs, index)))]
        self.assertEqual(pages - set(linked) - {"README.md"}, set(), "not linked from docs/README.md or docs/design/README.md")
        self.assertEqual([page for page, times in collections.Counter(linked).items() if times > 1 and page in pages], [], "linked more than once from an index")

    def test_the_first_page_is_short_and_leads_to_the_others(self):
        text = text_of(os.path.join(ROOT, "README.md"))
        self.assertLessEqual(text.count("\n"), 150)
        linked = re.findall(r"\]\(provisioner/docs/([^)#]+)", text)
        self.assertIn("README.md", linked, "README.md does not lead to the index")
        sections = text_of(os.path.join(ROOT, "provisioner/docs/machinesets.md")).partition("\n## ")[0]
        platforms = set(re.findall(r"(?m)^\| \[[^]]+\]\((#[a-z-]+)\)", sections))
        self.assertGreater(len(platforms), 4)
        linked_platforms = set(re.findall(r"\]\(provisioner/docs/machinesets\.md(#[a-z-]+)\)", text))
        self.assertEqual(platforms - linked_platforms, set(), "a platform of machinesets.md is not linked from README.md")

    def test_every_key_that_commands_print_is_documented(self):
        schemas = "".join(text_of(path) for path in glob.glob(os.path.join(ROOT, "provisioner/docs/schemas/*.schema.json")))
        keys = {key: path for path in files_below() if re.fullmatch(r"provisioner/cli/\w+\.cc", path)
                for key in re.findall(r'\b(?:Member|Key)\("(\w+)"', text_of(os.path.join(ROOT, path)))}
        self.assertGreater(len(keys), 60)
        self.none_of(f"{path}: prints \"{key}\", which no schema of provisioner/docs/schemas describes"
                     for key, path in sorted(keys.items()) if f'"{key}":' not in schemas)

    def test_tables_of_pages_are_those_of_the_sources(self):
        """What a person looks up at night: events, exit codes, the lines of status, and what user data can hold."""
        def page(name):
            return text_of(os.path.join(ROOT, "provisioner/docs", name))

        def source(name):
            return text_of(os.path.join(ROOT, "provisioner", name))

        events = {int(number) for number in re.findall(r"(?m)^  k\w+ = (\d+),", source("machine/event_log.h"))} - {100}
        rows = re.findall(r"(?m)^\| (\d[\d, ]*)\s*\|", page("troubleshooting.md").partition("## By event")[2])
        self.assertEqual({int(number) for row in rows for number in row.split(",")} - {100}, events)
        exits = set(re.findall(r'(?m)^    CodeInfo\{Code::\w+, "[a-z-]+", (\d+)', source("base/error.cc")))
        self.assertGreater(len(exits), 6)
        for name, section in (("output.md", "## Exit codes"), ("troubleshooting.md", "## By exit code")):
            rows = re.findall(r"(?m)^\| (\d+) \|", page(name).partition(section)[2].partition("\n## ")[0])
            self.assertEqual(exits - set(rows), set(), f"exit codes that {name} does not have")
        printed = "".join(source(f"cli/{name}.cc") for name in ("status", "status_health"))
        lines = set(re.findall(r"(?m)`([a-z]+)  +[^`]*`", page("troubleshooting.md").partition("## By exit code")[0]))
        self.assertGreater(len(lines), 8)
        self.assertEqual({line for line in lines if f'"{line} ' not in printed}, set(), "lines that status does not print")
        limits = [int(number) for number in re.findall(r'"(?:aws|azure|gcp)", (\d+)', source("userdata/user_data.cc"))]
        self.assertEqual(len(limits), 3)
        for name in ("machinesets.md", "formats/user-data.md"):
            self.none_of(f"{name} does not have the limit {limit:,}" for limit in limits if f"{limit:,}" not in page(name))

    def test_the_table_of_rooms_is_what_sources_include(self):
        self.assertGreater(len(rooms_of(text_of(os.path.join(ROOT, "provisioner", "DESIGN.md")))), 15)
        self.none_of(faults_of_rooms(text_of(os.path.join(ROOT, "provisioner", "DESIGN.md"))))

    def test_the_list_of_what_is_written_outside_the_journal_is_complete(self):
        design = text_of(os.path.join(ROOT, "provisioner", "DESIGN.md"))
        section = design.partition("### What is written outside the journal\n")[2].partition("\n## ")[0]
        listed, _, others = section.partition("\nWhat else is written")
        self.assertTrue(others)
        writes = re.compile(r"\bstate\.Commit\(|\b(?:Remember|Forget|Save[A-Z]\w+)\((?:[a-z]+\.)*state\b")
        writers = {path.removeprefix("provisioner/") for path in files_below()
                   if path.startswith("provisioner/") and path.endswith(".cc") and writes.search(text_of(os.path.join(ROOT, path)))}
        self.assertGreater(len(writers), 10)
        named = re.compile(r"`((?:cli|fleet|machine|node|reconcile)/\w+\.cc)`")
        self.assertEqual(set(named.findall(listed)), writers, "files that write a section of the state record")
        self.none_of(f"there is no {path}" for path in named.findall(others) if not os.path.isfile(os.path.join(ROOT, "provisioner", path)))

    def test_every_source_says_what_it_is(self):
        self.none_of(faults_of_openings())


if __name__ == "__main__":
    unittest.main()
