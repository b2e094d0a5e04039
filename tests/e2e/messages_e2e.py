#!/usr/bin/env python3
"""What the program says of some 200 mistakes (message_situations.py), by its form: one line that names its subject, the place and
what to do; and the same as one document where JSON is asked for.

usage: messages_e2e.py PROVISIONER [unittest arguments]"""
import contextlib
import json
import os
import pty
import re
import shlex
import shutil
import time
import unittest

import message_situations
import windows_image
from harness import Handler, argument, folder, run, serve

PROVISIONER = argument()
EXITS = {"usage": 10, "target": 13, "io": 13, "hns": 13, "unsupported": 13, "network": 14, "tls": 14, "lock": 15, "internal": 20,
         **dict.fromkeys("empty shrink dirty-hive hive fail-open size-limit reserved-name downgrade owner signature manifest".split(), 12)}
LINE = re.compile(r"provisioner: error \[([a-z0-9-]+)\]: (.*)")
# A sentence that begins with its verb lacks its subject.
VERBS = re.compile(r"\A(already|is|not|are|was|has|have|had|must|may|can|can't|does|do|needs|takes|holds|names|says|gets|belongs|exists|ends|begins|contains|leads|makes|runs|shows|stays|turns|rewrites)\b")
# What is to be done is said with one of these words, or by naming an option, a command or what would be right.
REMEDY = re.compile(
    r"(?<!cannot )\b(add|allow|ask|assign|bake|check|choose|compare|copy|correct|delete|did you mean|encode|end|export|find|free|get|give|have|install|leave|lists?|make|"
    r"mount|move|name|open|pass|point|probe|put|remove|rename|replace|restore|run|save|see|serve|set|show|start|take|try|use|wait|write|wanted)\b"
    r"|--[a-z]|\b(takes|known are|one of|expected|must|such as)\b|\?( |$)|line \d+, column \d+", re.IGNORECASE)


class Web(Handler):
    def do_GET(self):
        word = self.path.strip("/")
        if word == "slow":
            time.sleep(4)
        body = {"html": b"<!DOCTYPE html><html></html>", "text": b"HTTP_PROXY=http://p:1\n"}.get(word, b"no\n")
        with contextlib.suppress(OSError):  # who asked may be gone
            self.reply(int(word) if word.isdigit() else 200, body)


class Messages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = folder(cls).resolve()
        cls.web = serve(cls, Web)
        message_situations.prepare(cls.folder, lambda out: cls.run_program("bake", "sample.json", "--out", out))

    @classmethod
    def run_program(cls, *words):
        env = {"PATH": os.environ["PATH"], "HOME": str(cls.folder), "NO_COLOR": "1"}
        return run(PROVISIONER, *words, cwd=cls.folder, env=env, timeout=120, input="")

    @classmethod
    def situations(cls):
        values = {"web": "http://127.0.0.1:%d" % cls.web.server_address[1], "zeros": "0" * 64}
        for row in message_situations.SITUATIONS.strip().splitlines():
            code, place, words = (part.strip() for part in row.split("|", 2))
            yield code, place.format(**values), shlex.split(words.format(**values))

    def error_of(self, done):
        """(code, text) of the one line that an error is."""
        errors = [line for line in done.stderr.splitlines() if LINE.fullmatch(line)]
        self.assertEqual(len(errors), 1, done.stderr)
        return LINE.fullmatch(errors[0]).groups()

    def check_document(self, done, code, place):
        document = json.loads(done.stdout)  # refuses a second one
        self.assertEqual((document["schema"], document["error"]["code"]), (1, code), document)
        self.assertTrue(document["error"]["where"], document)
        self.assertIn(place, " ".join(document["error"].values()), document)
        self.assertNotRegex(document["error"]["message"], VERBS)

    def test_each_line_has_a_subject_a_place_and_a_remedy(self):
        """The line is the same with and without --output json, so each situation runs once."""
        count = 0
        for code, place, words in self.situations():
            with self.subTest(words=" ".join(words)):
                plain = "--output" in words
                done = self.run_program(*words[:1], *([] if plain else ["--output", "json"]), *words[1:])
                self.assertEqual(done.returncode, EXITS.get(code, 11), done.stderr)
                if not plain:
                    self.check_document(done, code, place)
                said, text = self.error_of(done)
                self.assertEqual(said, code, text)
                self.assertNotRegex(text, VERBS, "begins with its verb")
                self.assertIn(place, text, "the place is not named")
                self.assertRegex(text.replace(place, "", 1), REMEDY, "no word of what to do")
                self.assertNotRegex(text, r"\(\)|: *$|\b(.{8,})[:,]? \(\1\)", "a place is empty, or there twice")
                count += 1
        self.assertGreaterEqual(count, 200)

    def test_a_review_shows_what_differs(self):
        """HTTP_PROXY is there before us, as secret.env has it."""
        environment = ['"HTTP_PROXY"="http://u:c4nary@p:1"']
        image = windows_image.make(PROVISIONER, self.folder / "windows", {**windows_image.control_set("ControlSet001", environment), **windows_image.SELECT},
                                   windows_image.software())
        for number, row in enumerate(message_situations.CHANGES.strip().splitlines()):
            first, text, words = (part.strip() for part in row.split("|"))
            with self.subTest(row=row):
                here = shutil.copytree(image, self.folder / ("windows-%d" % number))
                self.assertEqual(self.run_program("apply", first, "--service", "containerd", "--root", here).returncode, 0)
                done = self.run_program(*shlex.split(words), "--root", here)
                self.assertIn(done.returncode, (0, 4), done.stderr)
                self.assertIn(text, done.stdout + done.stderr)
                self.assertNotIn("c4nary", done.stdout + done.stderr)

    def on_a_terminal(self, *words):
        """What a person sees of both streams."""
        master, slave = pty.openpty()
        try:
            run(PROVISIONER, *words, cwd=self.folder, env={"PATH": os.environ["PATH"], "TERM": "dumb"}, input="", capture_output=False, stdout=slave,
                stderr=slave, timeout=60)
            os.close(slave)
            shown = b""
            with contextlib.suppress(OSError):  # the end of a terminal
                while piece := os.read(master, 65536):
                    shown += piece
        finally:
            os.close(master)
        return shown.decode()

    def test_a_terminal_shows_an_error_once(self):
        for words in (["extract", "bad.json"], ["extract"], ["publish"], ["check", "bad.json"], ["extrac"]):
            shown = self.on_a_terminal(*words)
            self.assertEqual(len(shown.splitlines()), 1, shown)
            self.assertRegex(shown.strip(), LINE)
        for words in (["check", "bad.json", "--output", "json"], ["extract", "bad.json", "--output", "json"], ["extrac", "--output=json"]):
            shown = self.on_a_terminal(*words)
            self.assertIn("error", json.loads(shown), shown)


if __name__ == "__main__":
    unittest.main(verbosity=2)
