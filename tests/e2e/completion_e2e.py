#!/usr/bin/env python3
"""The completion scripts, each run by its own shell: what `provisioner completion SHELL` prints completes commands, options,
their values and files. And the manual page: it has every option of every command, and groff finds no fault with it.

usage: completion_e2e.py PROVISIONER
bash and zsh are taken from PATH; PWSH names PowerShell's program. What is missing is told and left out."""
import json
import os
import pty
import re
import select
import time
import unittest

from harness import PWSH, argument, folder, must, need, powershell, run, skip, which

PROVISIONER = argument()


def document(*words):
    return json.loads(must(PROVISIONER, *words, "--output", "json"))


HELP = {row["name"]: document(row["name"], "--help") for row in document("--help")["commands"]}
OPTIONS = {name: {option["name"] for option in said["options"]} for name, said in HELP.items()}


class Shell:
    """What every shell must be able to do. `answers(lines)` gives for each line the texts that its end may become."""

    def setUp(self):
        program = self.program()
        if program is None:
            skip(self, self.missing)
        self.path = program
        self.folder = folder(self)
        self.script = self.folder / self.file_name
        self.script.write_text(must(PROVISIONER, "completion", self.shell), encoding="ascii")
        self.work = self.folder / "work"
        self.work.mkdir()
        (self.work / "rendered worker.json").touch()

    missing = "it is not installed"

    def program(self):
        return which(self.shell)

    def answer(self, line):
        return self.answers([line])[0]

    def test_completes_a_command(self):
        self.assertEqual(self.answer("provisioner ba"), ["bake"])
        self.assertLessEqual(set(HELP), set(self.answer("provisioner ")))

    def test_completes_every_option_of_every_command(self):
        names = sorted(HELP)
        for name, offered in zip(names, self.answers([f"provisioner {name} --" for name in names])):
            with self.subTest(name):
                self.assertEqual({word.rstrip("=") for word in offered}, OPTIONS[name])

    def test_completes_the_values_of_an_option(self):
        lines = ["provisioner extract x.json --format e", "provisioner extract x.json --format=e", "provisioner bake x.json --format ",
                 "provisioner bake --platform a"]
        one, joined, forms, platforms = self.answers(lines)
        self.assertEqual(one, ["env"])
        self.assertEqual([word.removeprefix("--format=") for word in joined], ["env"])
        self.assertEqual(set(forms), {"dir", "tar", "tgz", "zip", "iso", "userdata", "oci"})
        self.assertEqual(set(platforms), {"aws", "azure"})

    def test_completes_a_command_behind_an_option(self):
        behind, joined, options, action = self.answers(["provisioner --output json ba", "provisioner --output=json ba",
                                                        "provisioner --output json bake --platf", "provisioner --output json service "])
        self.assertEqual((behind, joined), (["bake"], ["bake"]))
        self.assertEqual([word.rstrip("=") for word in options], ["--platform"])
        self.assertEqual(set(action), {"install", "uninstall"})

    def test_completes_an_action(self):
        first, router = self.answers(["provisioner service ", "provisioner router re"])
        self.assertEqual(set(first), {"install", "uninstall"})
        self.assertEqual(router, ["render"])

    def test_completes_a_code(self):
        first, second, options = self.answers(["provisioner explain-code proxy-url-a", "provisioner explain-code usage proxy-url-a",
                                               "provisioner explain-code usage --mark"])
        self.assertEqual((first, second), (["proxy-url-at"], ["proxy-url-at"]))
        self.assertEqual([word.rstrip("=") for word in options], ["--markdown"])

    def test_completes_files(self):
        lines = ["provisioner extract rend", "provisioner bake x.json --unattend rend", "provisioner extract x.json --kubeconfig rend"]
        for line, offered in zip(lines, self.answers(lines)):
            with self.subTest(line):
                # Each shell quotes a blank in its own way.
                plain = [re.sub(r"^(& )?'|'$|\\(?= )", "", word).removeprefix("./") for word in offered]
                self.assertEqual(plain, ["rendered worker.json"])

    def test_offers_nothing_where_anything_may_stand(self):
        offered = [word for word in self.answer("provisioner extract x.json --pool work") if word != "worker"]
        self.assertEqual(offered, [])


class Bash(Shell, unittest.TestCase):
    shell, file_name = "bash", "provisioner.bash"

    def answers(self, lines):
        out = []
        for line in lines:
            # As bash splits it: at blanks, and at "=".
            words = [word for part in line.split(" ") for word in (re.split("(=)", part) if part else [""])]
            asked = must(self.path, "--norc", "-uc", 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _provisioner; '
                        '[[ ${#COMPREPLY[@]} -eq 0 ]] || printf "%s\\n" "${COMPREPLY[@]}"', "bash", self.script, *words, cwd=self.work)
            out.append(asked.splitlines())
        return out

    def test_is_registered_for_the_program(self):
        self.assertIn("-F _provisioner provisioner", must(self.path, "--norc", "-c", 'source "$1"; complete -p provisioner', "bash", self.script))

    def test_is_understood_by_shellcheck(self):
        need(self, "shellcheck")
        must("shellcheck", "-s", "bash", self.script)


class Zsh(Shell, unittest.TestCase):
    """An interactive zsh on a terminal of its own: completion works in its line editor only."""
    shell, file_name = "zsh", "_provisioner"

    SETUP = r"""
PS1=; RPS1=; unsetopt zle_bracketed_paste prompt_sp beep list_ambiguous; setopt no_auto_menu no_list_beep
autoload -Uz compinit; compinit -u -D
%s
typeset -ga collected
compadd() {
  local -a hits; local arg
  # Calls that fill arrays add nothing.
  for arg in "$@"; do case $arg in (-|--) break ;; (-[OAD]) builtin compadd "$@"; return ;; esac; done
  builtin compadd -A hits "$@"
  collected+=("${hits[@]}")
  builtin compadd "$@"
}
capture() { collected=(); _main_complete; print -rl -- "${collected[@]}" end-of-answer > $ANSWER; compstate[insert]=; compstate[list]= }
zle -C capture complete-word capture
bindkey '^T' capture
print ready > $ANSWER
"""

    load = 'source "$SCRIPT"'

    def wait(self, terminal, answer, end):
        stop = time.monotonic() + 60
        text = ""
        while time.monotonic() < stop:
            if select.select([terminal], [], [], 0.02)[0]:
                os.read(terminal, 65536)
            if answer.exists():
                text = answer.read_text()
                if text.endswith(end + "\n"):
                    answer.unlink()
                    return text
        return self.fail(f"zsh did not answer: {text!r}")

    def answers(self, lines):
        answer, setup = self.folder / "answer", self.folder / "setup.zsh"
        setup.write_text(self.SETUP % self.load)
        environment = {**os.environ, "SCRIPT": str(self.script), "ANSWER": str(answer), "TERM": "dumb", "FOLDER": str(self.folder)}
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.work)
            os.execve(self.path, [self.path, "-f", "-i"], environment)
        out = []
        try:
            os.write(terminal, f"source {setup}\n".encode())
            self.wait(terminal, answer, "ready")
            for line in lines:
                # ^U: what is left of the line before.
                os.write(terminal, b"\x15" + line.encode() + b"\x14")
                out.append(list(dict.fromkeys(self.wait(terminal, answer, "end-of-answer").splitlines()[:-1])))
        finally:
            os.write(terminal, b"\x15exit\n")
            os.close(terminal)
            os.waitpid(child, 0)
        return [[word for word in words if word] for words in out]


class ZshFromFpath(Zsh):
    """The same as an installed file: compinit finds it by its first line."""

    load = ":"
    SETUP = Zsh.SETUP.replace("autoload -Uz compinit", "fpath=($FOLDER $fpath); autoload -Uz compinit")


class PowerShell(Shell, unittest.TestCase):
    shell, file_name = "powershell", "provisioner.ps1"
    missing = "PWSH does not name PowerShell's program"

    def program(self):
        return PWSH

    def answers(self, lines):
        asked, wanted = self.folder / "ask.ps1", self.folder / "lines.json"
        asked.write_text("param($Script, $Lines)\n. $Script\n"
                         "foreach ($line in (Get-Content -LiteralPath $Lines | ConvertFrom-Json)) {\n"
                         "  $found = (TabExpansion2 -inputScript $line -cursorColumn $line.Length).CompletionMatches\n"
                         "  ConvertTo-Json -Compress -InputObject @($found | ForEach-Object { $_.CompletionText })\n}\n")
        wanted.write_text(json.dumps(lines))
        done = powershell("-File", asked, self.script, wanted, cwd=self.work, env={"HOME": str(self.folder)})
        self.assertEqual(done.returncode, 0, done.stderr)
        return [[word for word in json.loads(row) if word] for row in done.stdout.splitlines()]


class ManualPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = must(PROVISIONER, "man")

    def sections(self):
        """{command: its part of the page, without roff's marks}, and the options that several commands have under ''."""
        plain = re.sub(r"\\f[BIRP]|\\&", "", self.page).replace("\\-", "-").replace("\\(aq", "'").replace("\\(ga", "`")
        plain = plain.replace("\\(ti", "~").replace("\\(ha", "^").replace("\\e", "\\")
        commands = plain.split("\n.SH COMMANDS\n")[1].split("\n.SH AFTER")[0]
        commands, shared = commands.split("\n.SH OPTIONS OF SEVERAL COMMANDS\n")
        found = dict(re.findall(r"(?ms)^\.SS (\S+)\n(.*?)(?=^\.SS |\Z)", commands))
        return {**found, "": shared}

    def test_says_what_each_option_does(self):
        sections = self.sections()
        for name, said in HELP.items():
            for option in said["options"]:
                described = f".TP\n{option['name']}{' ' + option['value'] if option['value'] else ''}\n{option['help']}"
                own, shared = described in sections[name], described in sections[""]
                self.assertEqual(own + shared, 1, f"{name} {option['name']}: described {own + shared} times")
                if shared:
                    uses = re.search(re.escape(described) + r"[^\n]*\n\.br\nWith: (.*)", sections[""])[1]
                    self.assertTrue(uses == "every command" or name in uses.split(", "), f"{name} {option['name']}: {uses}")

    def test_has_the_version_and_no_mark_left(self):
        self.assertTrue(self.page.startswith(f'.TH PROVISIONER 1 "" "provisioner {document("--version")["version"]}" '))
        self.assertNotRegex(self.page, r"@[A-Z]+@|\r|[^\x00-\x7f]")

    def test_groff_finds_no_fault(self):
        need(self, "groff")
        done = run("groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=100n", input=self.page)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for heading in ("NAME", "COMMANDS", "OPTIONS OF SEVERAL COMMANDS", "EXIT STATUS", "FILES", "EXAMPLES"):
            self.assertIn(f"\n{heading}\n", done.stdout)
        self.assertIn("provisioner bake SOURCE [OPTION]...", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
