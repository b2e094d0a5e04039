#!/usr/bin/env python3
"""The files at the top of the repository for people and for tools: the licence, the notice of what is linked in, the
pages for contributors, and the workflows. They fit the scripts that they name."""
import glob
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
TOP = {"CMakeLists.txt", "CMakePresets.json", "LICENSE", "NOTICE", "README.md", "ignition", "images", "provisioner", "scripts",
       "templates", "tests"}
APACHE_2 = "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"  # of Debian's /usr/share/common-licenses/Apache-2.0
VERIFY = "tests/windows/Verify-OnWindows.ps1"


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def linked(listed):
    """{(system, library): licence} of scripts/cmake/sbom_list.cmake: what is under if(WIN32), under else(), and under neither."""
    found, system = {}, None
    for line in listed.splitlines():
        words = line.strip()
        if words == "if(WIN32)":
            system = "Windows"
        elif words == "else()" and system:
            system = "Linux"
        elif words == "endif()" and not line.startswith(" "):
            system = None
        row = re.match(r'sbom_packaged\(("[^"]+"|\S+) ("[^"]+"|\S+) |sbom_built\((\S+) \S+ ([^)\s]+)\)', words)
        if row:
            name, licence = (word.strip('"') for word in (row.groups()[:2] if row[1] else row.groups()[2:]))
            for one in ("Linux", "Windows") if system is None else (system,):
                found[one, name] = licence
    return found


def noticed(notice):
    """The same of NOTICE: the sections are named by their system, a row is NAME  LICENCE[, REMARK]."""
    found = {}
    for system, section in re.findall(r"(?ms)^(Linux|Windows) \(\S+\)\n-+\n(.*?)(?=^\w+ \(\S+\)\n-+$|\Z)", notice):
        for name, licence in re.findall(r"(?m)^(\S[^\n]*?)  +(\S[^,\n]*)", section):
            found[system, name] = licence
    return found


class Notice(unittest.TestCase):
    def test_names_what_is_linked_in_with_its_licence(self):
        wanted = linked(text_of("scripts/cmake/sbom_list.cmake"))
        self.assertGreater(len(wanted), 14)
        self.assertEqual(wanted["Windows", "OpenSSL"], "Apache-2.0")
        self.assertNotIn(("Linux", "libcurl"), wanted)
        self.assertEqual(noticed(text_of("NOTICE")), wanted)

    def test_the_list_has_what_is_looked_for_to_be_linked(self):
        """Of the build's files: a library that is new there is new here, too."""
        names = {"Boost": "Boost.Program_options", "OpenSSL": "OpenSSL", "RapidJSON": "RapidJSON", "fmt": "fmt", "YAML": "libyaml", "Z": "zlib",
                 "CURL": "libcurl", "EXPAT": "expat", "TOMLPLUSPLUS": "toml++"}
        found = re.findall(r"(?m)^ *find_(?:package\(|library\(|path\()(\w+?)(?:_LIBRARY|_INCLUDE_DIR)? ", text_of("CMakeLists.txt"))
        self.assertEqual(set(found), set(names))
        wanted = linked(text_of("scripts/cmake/sbom_list.cmake"))
        self.assertLessEqual(set(names.values()), {name for _, name in wanted})
        # Of the libraries that are built for Windows: those of the program have their licence's words kept.
        kept = set(re.findall(r"(?m)^  licence (\S+) ", text_of("scripts/windows-deps")))
        self.assertEqual(kept, set(re.findall(r"(?m)^  sbom_built\(\S+ (\S+) ", text_of("scripts/cmake/sbom_list.cmake"))))

    def test_names_what_is_loaded(self):
        """The libraries that posix::Library opens, in the list of the bill of materials and in the notice."""
        listed = dict(re.findall(r"(?m)^  sbom_loaded\((\S+) (\S+)\)$", text_of("scripts/cmake/sbom_list.cmake")))
        opened = set()
        for folder in ("provisioner", "images", "ignition"):
            for path in glob.glob(os.path.join(ROOT, folder, "**", "*_posix.cc"), recursive=True):
                opened |= set(re.findall(r'posix::Library \w+\(\{"(lib\w+)\.so', text_of(path)))
        self.assertEqual({{"libwim": "wimlib"}.get(name, name) for name in opened}, set(listed))
        for name, licence in listed.items():
            self.assertRegex(text_of("NOTICE"), rf"\b{name} \({re.escape(licence)}\)")

    def test_the_licence_is_apache_2_in_words(self):
        self.assertEqual(hashlib.sha256(text_of("LICENSE").encode()).hexdigest(), APACHE_2)


# What scripts/windows-deps asks, of an archive whose index names a newest version of each source that it does not have. What it
# gives can't be built, which ends the script.
TOOLS = {
    "apt-get": 'case "$*" in *indextargets*) echo "deb-src http://archive.invalid x main" ;; *download-only*) ;; *) exit 0 ;; esac\n'
               'for last; do :; done; case $last in *=2:2-1) exit 100 ;; *=2:1-1) touch "${last%=*}_1-1.dsc" ;; esac',
    "apt-cache": "printf 'Version: 2:1-1\\n\\nVersion: 2:2-1\\n'",
    "dpkg-source": 'mkdir -p "$3"',
    "x86_64-w64-mingw32-g++-posix": "",
}


class WindowsLibraries(unittest.TestCase):
    """What scripts/windows-deps says that it builds."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        for name, text in TOOLS.items():
            path = os.path.join(self.folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\n" + text + "\n")
            os.chmod(path, 0o755)

    def run_script(self, *words):
        variables = {**os.environ, "PATH": self.folder + ":" + os.environ["PATH"], "XDG_CACHE_HOME": self.folder}
        done = subprocess.run([os.path.join(ROOT, "scripts/windows-deps"), *words], env=variables, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        return done

    def test_an_older_version_is_named_as_what_it_is(self):
        done = self.run_script()
        self.assertIn("WARNING: the newest openssl, 2:2-1, can't be fetched; building 2:1-1 instead", done.stderr)
        (manifest,) = glob.glob(os.path.join(self.folder, "provisioner-windeps/*.tmp/prefix/MANIFEST"))
        rows = [line.split() for line in text_of(manifest).splitlines()]
        empty = hashlib.sha256(b"").hexdigest()
        self.assertEqual(rows, [[name, "2:1-1", empty, f"{source}_1-1.dsc"] for name, source in (
            ("openssl", "openssl"), ("curl", "curl"), ("boost", "boost1.74"), ("yaml", "libyaml"), ("expat", "expat"))])

    def test_a_release_takes_the_newest_alone(self):
        done = self.run_script("--newest")
        self.assertIn("the newest openssl, 2:2-1, can't be fetched", done.stderr)
        self.assertNotIn("building", done.stdout + done.stderr)
        # Both end the script where they fail; tests/e2e/release_trust_e2e.py has what the second refuses.
        for line in ("  scripts/windows-deps --newest >", "\nscripts/provenance --packages "):
            self.assertIn(line, text_of("scripts/release"))


class Commit(unittest.TestCase):
    """What --version says of the sources that it was built from."""

    def setUp(self):
        if any(shutil.which(tool) is None for tool in ("git", "cmake")):
            print(f"SKIPPED: {self.id()}: git or cmake missing")
            self.skipTest("git or cmake missing")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.repository = os.path.join(self.folder, "repository")
        os.makedirs(os.path.join(self.repository, "scripts/cmake"))
        shutil.copy(os.path.join(ROOT, ".gitattributes"), self.repository)
        shutil.copy(os.path.join(ROOT, "scripts/cmake/commit.cmake"), os.path.join(self.repository, "scripts/cmake"))
        self.git("init", "-q")
        self.git("add", "-A")
        self.git("-c", "user.name=a", "-c", "user.email=a@b.invalid", "commit", "-qm", "x")
        self.commit = self.git("rev-parse", "HEAD").strip()

    def git(self, *words):
        return subprocess.run(["git", "-C", self.repository, *words], capture_output=True, text=True, check=True).stdout

    def told(self, source, **definitions):
        out = os.path.join(self.folder, "commit.h")
        words = ["cmake", f"-DSOURCE={source}", f"-DOUT={out}", *(f"-D{name}={value}" for name, value in definitions.items())]
        done = subprocess.run([*words, "-P", os.path.join(source, "scripts/cmake/commit.cmake")], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return done.stderr
        with open(out, encoding="utf-8") as file:
            return re.fullmatch(r'#define PROVISIONER_COMMIT "(.*)"\n', file.read())[1]

    def test_of_a_checkout(self):
        self.assertEqual(self.told(self.repository), self.commit[:12])
        with open(os.path.join(self.repository, ".gitattributes"), "a", encoding="utf-8") as file:
            file.write("# changed\n")
        self.assertEqual(self.told(self.repository), self.commit[:12] + "-dirty")

    def test_of_an_archive_and_of_one_within_another_checkout(self):
        for place in (os.path.join(self.folder, "alone"), os.path.join(self.repository, "packaging")):
            os.mkdir(place)
            self.git("archive", "-o", os.path.join(self.folder, "source.tar"), "HEAD")
            subprocess.run(["tar", "-xf", os.path.join(self.folder, "source.tar"), "-C", place], check=True)
            self.assertEqual(self.told(place), self.commit[:12], place)

    def test_of_copied_sources(self):
        place = os.path.join(self.repository, "copied")
        shutil.copytree(os.path.join(self.repository, "scripts"), os.path.join(place, "scripts"))
        self.assertEqual(self.told(place), "unknown")
        self.assertEqual(self.told(place, COMMIT="1.2.3-4.el9"), "1.2.3-4.el9")

    def test_refuses_what_would_be_code(self):
        self.assertIn("give letters, digits", self.told(self.repository, COMMIT='x"\n#error'))


class Top(unittest.TestCase):
    def test_holds_nothing_else(self):
        listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=False)
        if listed.returncode != 0:
            self.skipTest(f"SKIPPED: {ROOT} is not a git checkout")
        names = {name.split("/")[0] for name in listed.stdout.splitlines()}
        self.assertEqual({name for name in names if not name.startswith(".")} - TOP, set())


class Pages(unittest.TestCase):
    def test_scripts_and_folders_that_they_name_are_there(self):
        pages = sorted(glob.glob(os.path.join(ROOT, ".github", "*.md")))
        self.assertEqual(len(pages), 3, pages)
        for page in pages:
            text = text_of(page)
            for path in re.findall(r"\b((?:scripts|tests|provisioner)/[A-Za-z0-9_./-]*[A-Za-z0-9_])", text):
                self.assertTrue(glob.glob(os.path.join(ROOT, path)), f"{page} names {path}, which does not exist")
            for path in re.findall(r"\]\((?!https?:)([^)#]+)", text):
                self.assertTrue(os.path.exists(os.path.join(ROOT, ".github", path)), f"{page} links to {path}")

    def test_options_that_they_name_are_there(self):
        for script, option in re.findall(r"`?\b(scripts/[a-z-]+) (--[a-z-]+)", "".join(map(text_of, glob.glob(os.path.join(ROOT, ".github", "*.md"))))):
            self.assertIn(option, text_of(script), f"{script} {option}")


def steps_of(workflow):
    return [(name, step) for name, job in workflow["jobs"].items() for step in job["steps"]]


class Workflows(unittest.TestCase):
    def setUp(self):
        try:
            import yaml
        except ImportError:
            print("SKIPPED: %s: python3-yaml is not installed" % self.id())
            self.skipTest("python3-yaml is not installed")
        paths = sorted(glob.glob(os.path.join(ROOT, ".github/workflows/*.y*ml")))
        # "on" is true for YAML 1.1.
        self.workflows = {os.path.basename(path): {("on" if key is True else key): value for key, value in yaml.safe_load(text_of(path)).items()}
                          for path in paths}

    def test_each_is_a_workflow(self):
        self.assertLessEqual({"linux.yml", "windows.yml"}, set(self.workflows))
        for name, workflow in self.workflows.items():
            with self.subTest(name):
                self.assertLessEqual(set(workflow), {"name", "on", "permissions", "concurrency", "env", "defaults", "jobs"})
                self.assertTrue(workflow["on"])
                self.assertEqual(workflow["permissions"], {"contents": "read"}, "a job that needs more says so itself")
                for job in workflow["jobs"].values():
                    self.assertIn("timeout-minutes", job)
                    for needed in [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", []):
                        self.assertIn(needed, workflow["jobs"])
                for _, step in steps_of(workflow):
                    self.assertEqual(len({"run", "uses"} & set(step)), 1, step)
                    self.assertRegex(step.get("uses", "actions/x@v1"), r"^actions/[a-z-]+@v\d+$")

    def test_what_steps_run_is_there(self):
        presets = re.findall(r'"name": "(\w+)"', text_of("CMakePresets.json"))
        for name, workflow in self.workflows.items():
            for _, step in steps_of(workflow):
                run = step.get("run", "").replace("\\", "/")
                for path in re.findall(r"(?<![\w/.])((?:\.ci|scripts)/[\w./-]+)", run):
                    self.assertTrue(os.access(os.path.join(ROOT, path), os.X_OK), f"{name} runs {path}")
                for script, option in re.findall(r"(scripts/[a-z-]+)((?: --[a-z-]+)+)", run):
                    for one in option.split():
                        self.assertIn(one, text_of(script), f"{name}: {script} {one}")
                for preset in re.findall(r"--preset (\w+)", run):
                    self.assertIn(preset, presets, name)

    def test_artifacts_are_uploaded_before_they_are_downloaded(self):
        for name, workflow in self.workflows.items():
            steps = steps_of(workflow)
            up = {step["with"]["name"] for _, step in steps if step.get("uses", "").startswith("actions/upload-artifact")}
            down = {step["with"]["name"] for _, step in steps if step.get("uses", "").startswith("actions/download-artifact")}
            self.assertLessEqual(down, up, name)

    def test_windows_gives_the_verification_what_it_takes(self):
        runs = [step["run"].replace("\\", "/") for _, step in steps_of(self.workflows["windows.yml"]) if "run" in step]
        (verify,) = [run for run in runs if VERIFY in run]
        given = re.findall(r" -([A-Z]\w+)", verify)
        self.assertEqual(given, ["Provisioner", "Report", "ThrowawayMachine"])
        for parameter in given:
            self.assertRegex(text_of(VERIFY), rf"(?i)\${parameter}\b")


if __name__ == "__main__":
    unittest.main()
