#!/usr/bin/env python3
"""The page of `fleet status --html` in Chromium, without a window, at the widths of a phone and a desktop, light and dark.
tests/cli/fleet_page_test.cc has what is on it.

usage: fleet_html_e2e.py PROVISIONER [unittest arguments]"""
import json
import os
import unittest

import browser
from harness import argument, folder, run
from kube_api_server import ApiServer, Authority, kubeconfig

PROGRAM = argument()
PHONE, DESKTOP = 400, 1280
HOSTILE = "<img src=x onerror=document.title='hit'>"


@unittest.skipUnless(browser.program(), "no chromium: NOT CHECKED is how the page looks (scripts/setup installs it)")
class FleetPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = folder(cls)
        authority = Authority(cls.work, "ca")
        cls.server = ApiServer(authority.sign("api", "serverAuth", "IP:127.0.0.1"))
        cls.addClassCleanup(cls.server.held.close)
        cls.addClassCleanup(cls.server.close)
        cls.server.put_policies()
        cls.server.put_config("rendered-worker-1", "http://proxy.example.test:3128", "")
        (cls.work / "config").write_text(kubeconfig(cls.server.port, authority.pem))
        digest = json.loads(cls.provisioner("extract", "kube://").stdout)["digest"]
        for number in range(60):
            state = {"schema": 1, "digest": digest, "drift": 0, "rebootRequired": number % 9 == 0, "appliedAt": "2026-01-01T00:00:00Z",
                     "version": "0.1.0"}
            if number == 7:
                state |= {"digest": "0" * 64, "failure": {"code": "network", "message": HOSTILE + " no answer" * 20}}
            if number == 8:
                state |= {"digest": "0" * 64, "pending": digest,
                          "trial": {"digest": digest, "result": "rolledBack", "reason": "https://quay.io/ did not answer"}}
            cls.server.put_node(f"win-{number:02}.with-a-long-name.machines.example.test", state)
        cls.path = cls.work / "fleet.html"
        done = cls.provisioner("fleet", "status", "kube://", "--html", cls.path)
        assert done.returncode == 4, done.stderr
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.__exit__)

    @classmethod
    def provisioner(cls, *words):
        return run(PROGRAM, *words, timeout=120, env={"PATH": os.environ["PATH"], "HOME": str(cls.work), "KUBECONFIG": str(cls.work / "config")})

    def looks(self):
        for width in (PHONE, DESKTOP):
            for scheme in ("light", "dark"):
                self.browser.open(self.path, width, 900, scheme)
                yield width, scheme

    def test_it_fits_its_width_and_loads_nothing(self):
        for width, _ in self.looks():
            self.assertEqual(self.browser.complaints, [], "the browser blocked or complained")
            self.assertEqual(self.browser.requests, ["file://" + str(self.path)], "something was loaded")
            self.assertLessEqual(self.browser.ask("document.documentElement.scrollWidth"), width, "the page itself scrolls sideways")
            self.assertNotEqual(self.browser.ask("document.title"), "hit")

    def test_what_is_not_current_comes_first(self):
        self.browser.open(self.path, DESKTOP, 900, "light")
        first = self.browser.ask("[...document.querySelectorAll('#nodes tbody tr')].slice(0, 3).map(r => r.cells[1].textContent)")
        self.assertEqual(first, ["no", "reverted", "yes"])

    def test_colours_can_be_read(self):
        for _ in self.looks():
            worst, _ = self.browser.contrast()
            self.assertGreaterEqual(worst[0], browser.LEAST_CONTRAST, worst[1])


if __name__ == "__main__":
    unittest.main()
