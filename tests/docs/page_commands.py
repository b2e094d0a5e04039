"""The commands that pages print: where they are typed, what they are to print, and whether the program has their options."""
import collections
import json
import re
import shlex
import subprocess

# `system`: "here" (behind "$ ", or a block of sh) or "node" (behind "> ", or a block of powershell). `output` is None for a
# block of sh, which shows none.
Step = collections.namedtuple("Step", "page line system command output")
PROGRAM = re.compile(r"(?:.*[/\\])?provisioner(?:\.exe)?\Z", re.IGNORECASE)
# A script or a cmdlet of PowerShell.
POWERSHELL = re.compile(r".*\.ps1\Z|[A-Z][a-z]+-[A-Z][A-Za-z]+\Z")
FENCE = re.compile(r"^( *)```([a-z]*)\s*$")


def blocks_of(text):
    """(line of the first line within, language, lines without the indentation of the fence)"""
    lines, at = text.split("\n"), 0
    while at < len(lines):
        fence = FENCE.match(lines[at])
        at += 1
        if not fence:
            continue
        begin = at
        while at < len(lines) and lines[at].strip() != "```":
            at += 1
        yield begin + 1, fence[2], [line.removeprefix(fence[1]) for line in lines[begin:at]]
        at += 1


def _console(lines):
    """(index, prompt, command, output) of each prompt. A command goes on behind a backslash and to the end of a here-document."""
    found = []
    rest = None  # what ends the command that is being read: "" a line without backslash, else the here-document's word
    for index, line in enumerate(lines):
        if rest is not None:
            found[-1][2].append(line)
        elif line.startswith(("$ ", "> ")):
            found.append((index, line[0], [line[2:]], []))
        elif found:
            found[-1][3].append(line)
            continue
        else:
            continue
        here = re.search(r"<<-?\s*'?(\w+)'?\s*$", line)
        if rest:
            rest = None if line.strip() == rest else rest
        else:
            rest = here[1] if here else "" if line.endswith("\\") else None
    return [(index, prompt, "\n".join(command), "\n".join(output)) for index, prompt, command, output in found]


def steps_of(page, text):
    """Every command of a page, in order."""
    for line, language, lines in blocks_of(text):
        if language == "console":
            for index, prompt, command, output in _console(lines):
                yield Step(page, line + index, "here" if prompt == "$" else "node", command, output)
        elif language == "sh":
            yield Step(page, line, "here", "\n".join(lines), None)
        elif language == "powershell":
            for index, command in enumerate(lines):
                if command.strip() and not command.lstrip().startswith("#"):
                    yield Step(page, line + index, "node", command, "")


def commands_in_other_blocks(text):
    """Lines that look like commands in blocks that nobody reads as such."""
    for line, language, lines in blocks_of(text):
        if language not in ("console", "sh", "powershell", "dockerfile"):
            for index, content in enumerate(lines):
                if re.match(r"\s*([$>] )?(provisioner|oc|kubectl|az) [a-z-]+ [^0-9]|\s*[$>] \w", content):
                    yield line + index, content


def _without_comment(line):
    """A line of a shell without the comment behind it."""
    quote = None
    for at, letter in enumerate(line):
        if quote:
            quote = None if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "#" and (at == 0 or line[at - 1].isspace()):
            return line[:at]
    return line


def _here_documents_gone(command):
    return re.sub(r"(?ms)<<-?\s*'?(\w+)'?[ \t]*\n.*?^\1$", "", command)


def _inner(word):
    """What stands in $( ) within a word."""
    at = word.find("$(")
    while at >= 0:
        depth, end = 1, at + 2
        while end < len(word) and depth:
            depth += {"(": 1, ")": -1}.get(word[end], 0)
            end += 1
        yield word[at + 2:end - 1]
        at = word.find("$(", end)


def shell_commands(text):
    """The simple commands of a shell's text, as lists of words without redirections and assignments."""
    text = _here_documents_gone(text).replace("\\\n", " ")
    text = "\n".join(_without_comment(line) for line in text.split("\n"))
    inner = [one for word in [text] for one in _inner(word)]
    found = [command for one in inner for command in shell_commands(one)]
    for one in inner:
        text = text.replace("$(" + one + ")", "VALUE")
    lexer = shlex.shlex(text.replace("\n", " ; "), posix=True, punctuation_chars="();<>|&")
    lexer.whitespace_split, lexer.commenters = True, ""
    words, skip = [], False
    for token in [*lexer, ";"]:
        if skip:
            skip = False
        elif token and not token.strip("<>&") and ("<" in token or ">" in token):
            skip = True
            if words and words[-1].isdigit():
                words.pop()
        elif token and not token.strip("();|&{}"):
            if words:
                found.append(words)
            words = []
        elif words or not re.match(r"\w+=", token):
            words.append(token)
    return [command[1:] if command[0] in ("sudo", "exec", "time") and len(command) > 1 else command for command in found]


def node_commands(text):
    """The same for a line that is typed on Windows."""
    text = re.sub(r"\s{2,}(\(.*\)|#.*)$", "", text)
    for part in re.split(r"[|;&]|\s{1}#\s", text):
        words = [word.strip("\"'") for word in re.findall(r'"[^"]*"|\'[^\']*\'|[^\s]+', part)]
        if words:
            yield words


class Tables:
    """The commands and options of the program, as its own --help has them."""

    def __init__(self, program):
        self.commands, self.examples = {}, {}
        names = json.loads(self._ask(program, "--help"))["commands"]
        for name in (command["name"] for command in names):
            document = json.loads(self._ask(program, name, "--help"))
            options = {option["name"]: option["value"] for option in document["options"]}
            self.commands[name] = ({"-h": "", **options}, document["positional"])
            self.examples[name] = document["example"]

    @staticmethod
    def _ask(program, *words):
        return subprocess.run([program, *words, "--output", "json"], capture_output=True, text=True, check=True, timeout=60).stdout

    def faults(self, words, whole=True):
        """What the program would not take of a command line. `whole`: SOURCE and its like have to be there, too."""
        words = [word for word in words[1:] if word not in ("[...]",)]
        while words[:1] == ["--output"]:
            words = words[2:]
        if not words or words[0] in ("--help", "-h", "--version"):
            return []
        if words[0] not in self.commands:
            return [] if words[0].isupper() or not whole and words[0] == "..." else [f"there is no command {words[0]}"]
        options, positional = self.commands[words[0]]
        found, others, at = [], [], 1
        while at < len(words):
            name, equals, value = words[at].partition("=")
            at += 1
            if not name.startswith("-") or name == "-":
                others.append(words[at - 1])
                continue
            if name not in options:
                return found + [f"{words[0]} has no option {name}"]
            if not options[name]:
                continue
            if not equals:
                if at == len(words):
                    found += [f"{name} lacks its value"] if whole else []
                    continue
                value, at = words[at], at + 1
            while options[name].endswith("...") and at < len(words) and not words[at].startswith("--"):
                at += 1
            found += self._value_faults(name, options[name], value)
        return found + (self._count_faults(words[0], positional, options, others, words) if whole else [])

    @staticmethod
    def _value_faults(name, form, value):
        choices = form.split("|")
        if len(choices) > 1 and all(re.fullmatch(r"[a-z0-9-]+", choice) for choice in choices):
            if value not in choices and re.fullmatch(r"[a-z0-9-]+", value):
                return [f"{name} takes {form}, not {value}"]
        if form in ("SECONDS", "N", "PORT") and not re.fullmatch(r"\d+|[A-Z$].*|VALUE", value):
            return [f"{name} takes a number, not {value}"]
        return []

    @staticmethod
    def _count_faults(command, positional, options, others, words):
        if "..." in others or positional.endswith("...") or "--help" in words or "-h" in words:
            return []
        wanted = positional.split()
        if len(others) > len(wanted):
            return [f"{command} takes {len(wanted)} words that are no options, not {' '.join(others)}"]
        instead = {"bake": "--format", "check": "--secret", "pod": "--remove", "explain": ""}.get(command)
        if len(others) < len(wanted) and instead not in words:
            return [f"{command} lacks {' '.join(wanted[len(others):])}"]
        return [f"{command} takes {form}, not {other}" for form, other in zip(wanted, others)
                if "|" in form and other not in form.split("|") and not other.isupper()]
