#!/usr/bin/env python3
"""Each command that a page prints. Those behind "$" run, page by page, in one shell and in order, in a folder with sample inputs
(page_world.py): our program itself, other people's as doubles (page_doubles.py). What a page shows as a command's output is what
it prints. Those behind ">" are for a node: the program has their options. What can't run is listed as not run, with the reason.

usage: pages_test.py PROVISIONER [unittest arguments]     (PROVISIONER_PAGES=REGEX: only pages whose path matches)"""
import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))
import harness  # noqa: E402
import page_commands as commands  # noqa: E402
from harness import ROOT  # noqa: E402

try:
    import page_world  # noqa: E402
except ModuleNotFoundError as error:
    harness.end_unrun(f"{error.name} is missing (scripts/setup installs it)")

PROVISIONER = harness.argument()

DISK = "needs a disk (ctest e2e/recipes_disk)"
# The first word of what does not run here, and why.
NOT_RUN = {
    "apt-get": "installs packages", "apt": "installs packages", "dpkg": "installs packages", "dnf": "installs packages", "install": "installs the program",
    "cmake": "works on the source tree", "ctest": "works on the source tree", "cp": "takes what was built", "python3": "a test of its own",
    "images/recipes/customize-disk": DISK, "guestmount": DISK, "guestunmount": DISK,
    "packer": "installs a Windows",
    "packer/answer-files": "asks for passwords", "read": "asks a person", "govc": "asks vCenter",
}
# The image of Windows that page_world.py makes.
IMAGE = re.compile(r"--wim install\.wim:[12]\b|--root windows\b")
NEEDS_IMAGE = re.compile(r"--wim |--root ")
# Takes a WIM file in the place of an ISO.
CUSTOMIZE_ISO = re.compile(r"(^|/)customize-iso\b")
# The nodes of the page's cluster have AKS' settings.
AKS = {"provisioner/docs/aks.md"}
# These pages say how to undo what they did to the cluster: the names of the objects that are then as they were before.
UNDONE = {"provisioner/docs/machinesets.md": ".", "provisioner/docs/bare-metal.md": ".", "provisioner/docs/aks.md": ".",
          "provisioner/docs/upkeep.md": r",provisioner-source\.json$"}
# A page for several platforms: the command in which a reader names one, and the rows of its table that have one to name.
CHOSEN = {"provisioner/docs/machinesets.md": ("PLATFORM=aws MACHINESET=win-aws", re.compile(r"(?m)^\| \[[^|]+ \| `([a-z]+)` \| a Secret: "))}
# What asks a server that is not there: only its options are checked.
ASKS = re.compile(r"mcs://|--probe |\bcheck [^\n]*--image | https?://\S+ --format")
# What was there before a page begins.
BEFORE = {"provisioner/docs/troubleshooting.md": """
oc get secret windows-user-data -n openshift-machine-api -o yaml > before.yaml
provisioner bake rendered-worker.json --format userdata --platform aws --append-to before.yaml --secret windows-user-data-egress --out secret.yaml
oc apply -f secret.yaml
""", "provisioner/docs/state.md": """
provisioner apply rendered-worker.json --root windows --service containerd
cp windows/ProgramData/Provisioner/state.json .
""", "provisioner/docs/packages.md": f"""
openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=release -days 9 -keyout release.key -out release.pem
mkdir release
echo package >release/provisioner_0.1.0_amd64.deb
{ROOT}/scripts/sums release --sign-key release.key --sign-cert release.pem
cp release/* .
"""}
FILTER = os.environ.get("PROVISIONER_PAGES", "")
DOUBLES = {"oc", "kubectl", "az", "ssh", "scp", "skopeo"}
LEFT_OUT = re.compile(r"^provisioner/CHANGELOG\.md$|^tests/|/node_modules/|^build/")


def pages():
    found = sorted(str(path.relative_to(ROOT)) for top in ("images", "provisioner", "templates") for path in (ROOT / top).rglob("*.md"))
    return [path for path in ["README.md", *found] if not LEFT_OUT.search(path) and re.search(FILTER, path)]


def all_steps():
    for page in pages():
        yield from commands.steps_of(page, (ROOT / page).read_text())


def words_of(step):
    return commands.shell_commands(step.command) if step.system == "here" else list(commands.node_commands(step.command))


def reason_not_to_run(step):
    for words in words_of(step):
        if words[0] in NOT_RUN or words[0].startswith("scripts/"):
            return NOT_RUN.get(words[0], "works on the source tree")
        line = " ".join(words) + " "
        if words[:2] == ["tar", "-xf"] and "/usr/local" in words:
            return "installs the program"
        if step.command.startswith("sudo ") and shutil.which("sudo") is None:
            return "needs sudo"
        lacking = [tool for tool in ("hivexregedit", "wimlib-imagex", "7z") if shutil.which(tool) is None]
        if CUSTOMIZE_ISO.search(words[0]) and lacking:
            return f"needs {', '.join(lacking)}, which scripts/setup installs"
        if commands.PROGRAM.match(words[0]) and NEEDS_IMAGE.search(line):
            if not IMAGE.search(line):
                return "needs an image of Windows (ctest e2e/image)"
            if lacking and lacking != ["7z"]:
                return f"needs {', '.join(lacking)}, which scripts/setup installs"
    return None


def matches(shown, printed):
    """Whether what a page shows is what came: "..." is any text, alone on a line any lines. Findings may be left out."""
    pattern = ""
    for line in shown.strip("\n").split("\n"):
        if line.strip() == "...":
            pattern += r"(?:.*\n)*"
        else:
            pattern += r"(?:provisioner: .*\n)*" + r".*".join(re.escape(part) for part in re.split(r"\.\.\.", line.rstrip())) + r" *\n"
    return re.fullmatch(pattern + r"(?:provisioner: .*\n)*", printed if printed.endswith("\n") or not printed else printed + "\n") is not None


def with_source(text, line):
    """A text of `status` with a page's own line `source`, and the line that follows it where the source is followed."""
    if not line:
        return text
    read = "" if "(delivered once; its settings are kept)" in line else "read     0 min ago\n"
    return re.sub(r"(?m)^(applied .*\n)", lambda applied: line + read + applied[0], text)


class Session:
    """The commands of one page, in one shell."""

    def __init__(self, world, steps, before):
        self.world, self.steps, self.before = world, steps, before
        self.ran = []  # (step, exit code, output)

    def run(self):
        script = "RAN=$PWD/.ran\nset -o pipefail\n{ :\n%s\n} >$RAN/before.out 2>&1 || exit 1\n" % self.before.strip().replace("\n", " &&\n")
        runnable = [step for step in self.steps if step.command.strip() != "echo $?" and not self._writes(step)]
        for index, step in enumerate(self.steps):
            if step in runnable:
                script += "{\n%s\n} >$RAN/%d.out 2>&1 </dev/null\necho $? >$RAN/%d.exit\n" % (step.command, index, index)
            elif self._writes(step):
                name = step.command.split()[1]
                script += "mkdir -p ./%s\ncat >%s <<'END OF FILE'\n%sEND OF FILE\necho 0 >$RAN/%d.exit\n" % (
                    os.path.dirname(name), name, step.output.rstrip("\n") + "\n", index)
        done = subprocess.run(["bash", "-c", script], cwd=self.world.folder, env=self.world.environment(), capture_output=True, text=True, timeout=300)
        for index, step in enumerate(self.steps):
            exit_file, out = (self.world.folder / f".ran/{index}.{end}" for end in ("exit", "out"))
            if exit_file.exists():
                self.ran.append((step, int(exit_file.read_text()), out.read_text() if out.exists() else ""))
            elif step.command.strip() == "echo $?":
                self.ran.append((step, None, ""))
            else:
                self.ran.append((step, 1, done.stderr or "the shell ended before this command"))
        return self.ran

    @staticmethod
    def _writes(step):
        """`$ cat FILE` with contents behind it shows the reader's own file: it is written."""
        return re.fullmatch(r"cat \S+", step.command.strip()) and step.output and step.output.strip()


class Pages(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        if lacking := harness.missing("openssl", "bash", "skopeo"):
            harness.end_unrun("missing: " + lacking)
        cls.tables = commands.Tables(PROVISIONER)
        cls.keys = page_world.make_keys(harness.folder(cls))
        cls.count, cls.seconds, cls.listed = {}, {}, []
        cls.addClassCleanup(cls.tell)

    @classmethod
    def tell(cls):
        print("\npage: commands that ran, that ran with doubles, that were only checked; seconds")
        for page, counted in cls.count.items():
            print("  %-42s %3d %3d %3d  %5.1f" % (page, *counted, cls.seconds.get(page, 0)))
        print("not run:")
        for step, reason in cls.listed:
            print(f"  {step.page}:{step.line}: {reason}: {step.command.splitlines()[0][:100]}")
        sys.stdout.flush()

    def test_faults_are_seen(self):
        """Of a command line, of an output, and by a double: otherwise a page could print anything."""
        self.assertTrue(self.tables.faults(["provisioner", "bake", "s", "--outt", "p"]) and self.tables.faults(["provisioner", "bake", "--out", "p"]))
        self.assertFalse(matches("a ...\n", "b\n") or matches("a\n", "a\nb\n"))
        double = [sys.executable, "-B", str(ROOT / "tests/docs/page_doubles.py"), "oc", "apply", "-f", "none.yaml", "--colour"]
        self.assertIn("unknown flag", subprocess.run(double, capture_output=True, text=True, check=False).stderr)

    def check(self, faults, seen=0, least=-1):
        """That there are none, and that the test reads the pages at all. Of those that a filter leaves, there may be none to read."""
        if faults:
            self.fail("\n" + "\n".join(faults))
        if not FILTER:
            self.assertGreater(seen, least)

    def test_every_command_line_is_one_of_the_program(self):
        faults, seen = [], 0
        for step in all_steps():
            for words in words_of(step):
                at = next((i for i, word in enumerate(words) if commands.PROGRAM.match(word)), None)
                if at is None or at and words[0] not in ("ssh", "Start-Process", "&"):
                    continue
                seen += 1
                faults += [f"{step.page}:{step.line}: {fault}" for fault in self.tables.faults(words[at:])]
        self.check(faults, seen, 80)

    def test_what_is_typed_in_a_command_prompt_is_not_powershell(self):
        """docs/README.md#how-to-read-commands: cmd would open a .ps1 in an editor, and knows no cmdlet."""
        faults = [f"{page}:{step.line}: is PowerShell, behind the prompt of cmd: {step.command}"
                  for page in pages() for line, language, lines in commands.blocks_of((ROOT / page).read_text()) if language == "console"
                  for step in commands.steps_of(page, "\n" * (line - 2) + "\n".join(["```console", *lines, "```"])) if step.system == "node"
                  for words in commands.node_commands(step.command) if commands.POWERSHELL.match(words[0])]
        self.check(faults)

    def test_scripts_that_do_not_run_here_are_there_with_their_options(self):
        faults, seen = [], 0
        presets = (ROOT / "CMakePresets.json").read_text()
        for step in all_steps():
            place = f"{step.page}:{step.line}"
            for words in words_of(step) if step.system == "here" else ():
                script = next((path for path in (ROOT / words[0], (ROOT / step.page).parent / words[0]) if "/" in words[0] and path.is_file()), None)
                if script is None and words[0].startswith(("scripts/", "images/", "./", "packer/")):
                    faults.append(f"{place}: there is no {words[0]}")
                elif script is not None:
                    seen += 1
                    text = script.read_text()
                    own = words[:words.index("--")] if "--" in words else words
                    faults += [f"{place}: {words[0]} has no option {word}" for word in own if word.startswith("--") and word not in text
                               and not ("customize-iso" in words[0] and word in self.tables.commands["apply"][0])]
                elif words[0] == "cmake" and "--preset" in words and f'"{words[words.index("--preset") + 1]}"' not in presets:
                    faults.append(f"{place}: there is no preset {words[words.index('--preset') + 1]}")
        self.check(faults, seen, 10)

    def test_every_command_in_the_text_is_one_of_the_program(self):
        """Such as `bake --nodes FILE`: in the text of a page, with or without the program's name."""
        faults, seen = [], 0
        for page in pages():
            text = re.sub(r"(?ms)^ *```.*?^ *```", lambda block: "\n" * block[0].count("\n"), (ROOT / page).read_text())
            for found in re.finditer(r"`([^`\n]+(?:\n[^`\n]+)?)`", text):
                words = found[1].replace("\\|", "|").split()
                if words[0] == "provisioner":
                    words = words[1:]
                if not words or words[0] not in self.tables.commands or not any(word.startswith("--") for word in words):
                    continue
                seen += 1
                words = [word for part in words for word in (part.split("|") if part.startswith("--") and "=" not in part else [part])]
                faults += [f"{page}:{text.count(chr(10), 0, found.start()) + 1}: {fault}" for fault in self.tables.faults(["provisioner", *words], whole=False)]
        self.check(faults, seen, 40)

    def test_every_example_of_help_is_one_of_the_program(self):
        faults, seen = [], 0
        for name, example in self.tables.examples.items():
            text = "```console\n" + "\n".join(line.strip() if line.strip()[:2] in ("$ ", "> ") else line for line in example.split("\n")) + "\n```\n"
            for step in commands.steps_of(f"{name} --help", text):
                for words in words_of(step):
                    if commands.PROGRAM.match(words[0]):
                        seen += 1
                        faults += [f"{step.page}: {fault}: {' '.join(words)}" for fault in self.tables.faults(words)]
        self.check(faults)
        self.assertGreater(seen, len(self.tables.examples))

    def test_every_command_is_in_the_list_of_commands(self):
        listed = set(re.findall(r"(?m)^\| `([a-z-]+)", (ROOT / "provisioner/docs/commands.md").read_text()))
        self.assertEqual(set(self.tables.commands) - listed, set(), "not in provisioner/docs/commands.md")

    def test_no_commands_stand_in_blocks_that_nobody_reads(self):
        faults = [f"{page}:{line}: in a block that is neither console, sh nor powershell: {content}"
                  for page in pages() for line, content in commands.commands_in_other_blocks((ROOT / page).read_text())]
        self.check(faults)

    def test_commands_do_what_the_page_shows(self):
        for page in pages():
            steps = list(commands.steps_of(page, (ROOT / page).read_text()))
            if not steps:
                continue
            for platform, chosen in self.choices(page, steps):
                with self.subTest(page, platform=platform):
                    self.run_page(page, chosen)

    def test_the_picture_shows_what_the_program_prints(self):
        done = subprocess.run([ROOT / "scripts/record-demo", "--check", PROVISIONER], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_document_that_one_writes_by_hand_is_taken(self):
        """Of AKS, with the text of certificates in the place of its beginning."""
        document = json.loads(re.search(r"```json\n(.*?)```", (ROOT / "provisioner/docs/aks.md").read_text(), re.DOTALL)[1])
        document["trustedCa"] = base64.b64encode((ROOT / "tests/golden/sources/bundle.pem").read_bytes()).decode()
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder, "aks.json")
            for certificates in (2, 0):
                source.write_text(json.dumps(document))
                done = subprocess.run([PROVISIONER, "check", source], capture_output=True, text=True, check=False)
                self.assertIn(f"valid: {certificates} certificate(s), 0 error(s)", done.stdout, done.stderr)
                shown = subprocess.run([PROVISIONER, "extract", source, "--format", "env"], capture_output=True, text=True, check=True).stdout
                for word in (document["httpProxy"], *document["noProxy"], *document["clusterFacts"]["vnetCidrs"]):
                    self.assertIn(word, shown)
                document.pop("trustedCa", None)

    def test_nodes_print_what_pages_show(self):
        """Of an image, as nothing here is a node: its lines and their order."""
        harness.need(self, "hivexregedit")
        faults, seen = [], 0
        with tempfile.TemporaryDirectory(prefix="provisioner-node-texts-") as folder:
            texts = [page_world.node_texts(PROVISIONER, pathlib.Path(folder, str(with_wmco)), with_wmco) for with_wmco in (False, True)]
        for step in all_steps():
            form = re.match(r"\S*provisioner(?:\.exe)? (first-boot|status|remove)\b", step.command)
            if step.system != "node" or not form or not (step.output or "").strip():
                continue
            seen += 1
            source = re.search(r"(?m)^source .*\n", step.output + "\n")
            forms = [with_source(text[form[1]], source and source[0]) for text in texts]
            if not any(matches(step.output, text) for text in forms):
                faults.append(f"{step.page}:{step.line}: {step.command}\n  the page shows:\n{step.output}\n  it prints, or the like:\n{forms[-1]}")
        self.check(faults, seen, 6)

    def choices(self, page, steps):
        """The steps of a page, once for each platform that a reader may choose."""
        if page not in CHOSEN:
            return [(None, steps)]
        command, rows = CHOSEN[page]
        platforms = rows.findall((ROOT / page).read_text())
        self.assertGreater(len(platforms), 3)
        self.assertEqual([step.command for step in steps].count(command), 1)
        return [(platform, [step._replace(command=command.replace("aws", platform)) if step.command == command else step for step in steps])
                for platform in platforms]

    def run_page(self, page, steps):
        begin = time.monotonic()
        here = []
        counted = self.count.setdefault(page, [0, 0, 0])
        for step in steps:
            reason = "for a Windows node" if step.system == "node" else reason_not_to_run(step)
            if reason is None:
                here.append(step)
                continue
            counted[2] += 1
            ours = any(commands.PROGRAM.match(words[0]) for words in words_of(step))
            if (step, reason) not in self.listed and (step.system == "here" or not ours):
                self.listed.append((step, reason))
        with tempfile.TemporaryDirectory(prefix="provisioner-page-") as folder:
            world = page_world.World(PROVISIONER, folder, self.keys, **({"source": None} if page in AKS else {}))
            before = world.cluster()
            try:
                text = "\n".join([BEFORE.get(page, ""), *(step.command for step in here)])
                if IMAGE.search(text) or CUSTOMIZE_ISO.search(text):
                    world.add_images()
                ran = Session(world, here, BEFORE.get(page, "")).run()
            finally:
                world.close()
            left = [name for name in {**before, **world.cluster()} if before.get(name) != world.cluster().get(name)]
        self.seconds[page] = self.seconds.get(page, 0) + time.monotonic() - begin
        faults, last = [f"{page}: {name} is not as it was before" for name in left if page in UNDONE and re.search(UNDONE[page], name)], 0
        for step, exit_code, printed in ran:
            counted[bool(DOUBLES & {words[0] for words in words_of(step)})] += 1
            faults += self.faults_of(step, exit_code, printed, last, self.follows(ran, step))
            last = exit_code
        self.check(faults)

    @staticmethod
    def follows(ran, step):
        at = next(index for index, one in enumerate(ran) if one[0] is step)
        return at + 1 < len(ran) and ran[at + 1][0].command.strip() == "echo $?"

    @staticmethod
    def faults_of(step, exit_code, printed, last, exit_is_shown):
        place = f"{step.page}:{step.line}: {step.command.splitlines()[0]}"
        if exit_code is None:
            return [] if str(last) == step.output.strip() else [f"{place}\n  the exit code was {last}"]
        if exit_code and not exit_is_shown:
            return [f"{place}\n  exit code {exit_code}: {printed[-800:]}"]
        ours = any(commands.PROGRAM.match(words[0]) or CUSTOMIZE_ISO.search(words[0]) for words in commands.shell_commands(step.command))
        if ASKS.search(step.command):
            return []
        printed = re.sub(r"\(router\.yaml: [^()\n]*\)", "(router.yaml: PLACE)", printed)  # where in the list of that document
        if step.output and step.output.strip() and ours and not matches(step.output, printed):
            return [f"{place}\n  the page shows:\n{step.output}\n  it prints:\n{printed[:3000]}"]
        return []


if __name__ == "__main__":
    unittest.main()
