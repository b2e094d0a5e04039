#!/usr/bin/env python3
"""The page of `explain --html` in Chromium, without a window, at the widths of a phone and a desktop, light and dark: what is seen,
read, filtered and reached by keys. tests/cli/explain_html_test.cc and explain_page_test.cc have what is on it.

usage: explain_html_e2e.py PROVISIONER [unittest arguments]"""
import json
import unittest

import browser
from harness import argument, folder, run

PROVISIONER = argument()
PHONE, PAPER, DESKTOP = 400, 1000, 1280
HOSTILE = "<img src=x onerror=document.title='hit'>"

SETTINGS = """HTTP_PROXY=http://user:s3cret@10.0.0.9:8080
HTTPS_PROXY=http://user:s3cret@10.0.0.9:8080
NO_PROXY=.svc,10.0.0.0/8,.cluster.example.com,example.org,*.wild.example,bad name,192.168.0.1:8443
"""
ROUTER = "# registries\n!cdn.quay.io\n*.quay.io\n192.0.2.0/24\n"
REQUIRED = "https://quay.io/ proxy\nhttps://cdn.quay.io/ proxy\nhttp://10.1.2.3/ direct\n"
HOSTS = """quay.io
api-int.cluster.example.com:6443
sub.example.org
some.name.example
2001:db8::1
registry.with-a-very-long-name-of-its-own.in-a-department.of-a-company.example.net:5000
""" + "".join(f"host-{number}.example.net\n" for number in range(40))


@unittest.skipUnless(browser.program(), "no chromium: NOT CHECKED is how the page looks and works (scripts/setup installs it)")
class InChromium(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = folder(cls)
        for name, text in (("proxy.env", SETTINGS), ("router.txt", ROUTER), ("required.txt", REQUIRED), ("hosts.txt", HOSTS)):
            (cls.folder / name).write_text(text)
        cls.browser = browser.Browser()
        cls.addClassCleanup(cls.browser.__exit__)
        cls.path, cls.document = cls.explain("page.html", "proxy.env", "--hosts", "hosts.txt", "--url", "http://10.1.2.3/", "--through", "router.txt",
                                             "--required", "required.txt", "--augment")

    @classmethod
    def explain(cls, name, *words, exit=4):
        """The page and the document."""
        path = cls.folder / name
        done = run(PROVISIONER, "explain", *words, "--html", path, "--output", "json", cwd=cls.folder, timeout=120)
        assert done.returncode == exit, (done.returncode, done.stderr)
        return path, json.loads(done.stdout)

    @classmethod
    def hostile(cls):
        config = {"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfig", "metadata": {"name": HOSTILE},
                  "spec": {"config": {"ignition": {"version": "3.2.0"}, "storage": {"files": [
                      {"path": "/etc/mco/proxy.env", "contents": {"source": "data:,HTTP_PROXY=http://p:1%0ANO_PROXY=" + "".join(
                          "%%%02x" % byte for byte in f"{HOSTILE},</script><script>document.title='hit'</script>,\"'&lt;,a.example".encode()) + "%0A"}}]}}}}
        (cls.folder / "hostile.json").write_text(json.dumps(config))
        (cls.folder / HOSTILE.replace("/", "")).write_text("*.quay.io\n")
        return cls.explain("hostile.html", "hostile.json", "--url", "http://a.example/", f"http://b.example/{HOSTILE}", f"http://{HOSTILE}/", HOSTILE,
                           "--through", HOSTILE.replace("/", ""), exit=10)

    def looks(self):
        for width in (PHONE, DESKTOP):
            for scheme in ("light", "dark"):
                self.browser.open(self.path, width, 900, scheme)
                yield width, scheme

    def quiet(self):
        self.assertEqual(self.browser.complaints, [], "the browser blocked or complained")
        self.assertEqual(self.browser.requests, ["file://" + str(self.path)], "something was loaded")

    def visible(self):
        return self.browser.ask("[...document.querySelectorAll('.matrix tbody tr')].filter(r => r.offsetHeight).map(r => r.cells[0].textContent)")

    def test_it_is_a_sound_document(self):
        self.browser.open(self.path, DESKTOP)
        ids, links, without = self.browser.ask("""(names => [names('[id]', e => e.id), names('a', e => e.getAttribute('href').slice(1)),
            names('th:not([scope]), html:not([lang=en])', e => e.outerHTML)])((what, how) => [...document.querySelectorAll(what)].map(how))""")
        self.assertEqual(len(ids), len(set(ids)))
        self.assertGreater(len(links), 40)
        self.assertLessEqual(set(links), set(ids))
        self.assertEqual(without, [], "for readers of screens")

    def test_it_fits_its_width(self):
        for width, _ in self.looks():
            self.quiet()
            self.assertLessEqual(self.browser.ask("document.documentElement.scrollWidth"), width, "the page itself scrolls sideways")
            wide = self.browser.ask("(b => [b.scrollWidth, b.clientWidth])(document.querySelector('.matrix').parentElement)")
            if width == PHONE:
                self.assertGreater(wide[0], wide[1])
            else:
                self.assertEqual(*wide, "ten clients fit a desktop")

    def test_destination_and_clients_stay_in_sight(self):
        for width, _ in self.looks():
            left, top, moved = self.browser.ask("""(() => {
                const box = document.querySelector('.matrix').parentElement, edge = box.getBoundingClientRect();
                box.scrollLeft = 250; box.scrollTop = 400;
                const row = [...document.querySelectorAll('.matrix tbody tr')].find(r => r.getBoundingClientRect().top > edge.top + 150);
                return [row.cells[0].getBoundingClientRect().left - edge.left,
                        document.querySelector('.matrix thead th').getBoundingClientRect().top - edge.top,
                        row.cells[1].getBoundingClientRect().left - edge.left];
            })()""")
            self.assertAlmostEqual(left, 1, delta=1.5)
            self.assertAlmostEqual(top, 1, delta=1.5)
            if width == PHONE:
                self.assertLess(moved, 50, "the cells moved beneath the first column")

    def test_colours_can_be_read(self):
        grounds = set()
        for _, scheme in self.looks():
            worst, ground = self.browser.contrast("#filter-text")
            self.assertGreaterEqual(worst[0], browser.LEAST_CONTRAST, worst[1])
            grounds.add((scheme, ground))
        self.assertEqual(len(grounds), 2)
        self.assertEqual(len({ground for _, ground in grounds}), 2, "dark is another colour than light")

    def test_the_filter_by_keys(self):
        for _ in self.looks():
            every = self.visible()
            self.assertEqual(len(every), len(self.document["decisions"]) // 10)
            for _ in range(20):
                self.browser.press("Tab", 9)
                if self.browser.ask("document.activeElement.id") == "filter-text":
                    break
            self.assertEqual(self.browser.ask("document.activeElement.id"), "filter-text", "reached by Tab")
            self.browser.type("QUAY.io")
            self.assertEqual(self.visible(), [name for name in every if "quay.io" in name])
            self.assertEqual(self.browser.ask("document.getElementById('filter-count').textContent"), f"{len(self.visible())} of {len(every)} destinations shown")
            shown = self.browser.ask("[...document.querySelectorAll('#why details')].filter(d => d.offsetHeight).length")
            self.assertEqual(shown, len(self.visible()))
            self.browser.press("Tab", 9)
            self.assertEqual(self.browser.ask("document.activeElement.id"), "filter-kind")
            while self.browser.ask("document.activeElement.value") not in ("refused", "unknown"):
                self.browser.press("ArrowDown", 40)
            self.assertEqual(self.visible(), ["https://cdn.quay.io/"])
            self.browser.press("Tab", 9)
            self.browser.press("Enter", 13)
            self.assertEqual(self.visible(), every, "Show all")
            self.quiet()

    def test_each_kind_of_the_filter(self):
        self.browser.open(self.path, DESKTOP)
        has = {}
        for one in self.document["decisions"]:
            word = {"deny": "refused", "none": "refused", "depends": "depends", "unknown": "unknown"}.get(one["route"]["decision"], one["decision"])
            has.setdefault(one["url"], []).append(word)
        for kind in ("proxy", "direct", "invalid", "refused", "depends", "unknown"):
            self.browser.ask(f"(s => {{ s.value = '{kind}'; s.dispatchEvent(new Event('change')); }})(document.getElementById('filter-kind'))")
            self.assertEqual(set(self.visible()), {url for url, words in has.items() if kind in words}, kind)

    def test_a_link_opens_the_reasons(self):
        self.browser.open(self.path, PHONE)
        opened = self.browser.ask("""new Promise(done => {
            document.querySelectorAll('.matrix tbody a')[1].click();
            setTimeout(() => done([...document.querySelectorAll('#why details')].map(d => d.open)), 300);
        })""")
        self.assertEqual([at for at, is_open in enumerate(opened) if is_open], [1])
        self.quiet()

    def test_an_address_opens_the_reasons(self):
        """In browsers, too, that open nothing themselves: the page's own part, told that the address changed."""
        self.browser.open(self.path, DESKTOP)
        opened = self.browser.ask("""(() => {
            history.replaceState(null, '', '#why-3');
            window.dispatchEvent(new Event('hashchange'));
            return [...document.querySelectorAll('#why details')].map(d => d.open);
        })()""")
        self.assertEqual([at for at, is_open in enumerate(opened) if is_open], [2])

    def test_print_cuts_nothing_off(self):
        self.browser.open(self.path, PAPER)
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        try:
            wide, box, high, shown, filter_, reasons = self.browser.ask("""(() => {
                const table = document.querySelector('.matrix'), box = table.parentElement;
                return [table.scrollWidth, box.clientWidth, table.offsetHeight, box.clientHeight,
                        document.getElementById('filter').offsetHeight,
                        [...document.querySelectorAll('#why details')].filter(d => d.offsetHeight).length];
            })()""")
            self.assertLessEqual(wide, box, "columns are beside the paper")
            self.assertLessEqual(high, shown, "rows are below the box")
            self.assertEqual((filter_, reasons), (0, 0), "what needs a hand")
        finally:
            self.browser.call("Emulation.setEmulatedMedia", media="")

    def test_without_scripts_everything_is_shown(self):
        self.browser.open(self.path, DESKTOP, script=False)
        try:
            self.assertEqual(self.browser.ask("document.getElementById('filter').offsetHeight"), 0)
            self.assertEqual(len(self.visible()), len(self.document["decisions"]) // 10)
        finally:
            self.browser.call("Emulation.setScriptExecutionDisabled", value=False)

    def test_a_hostile_page_does_nothing(self):
        path, _ = self.hostile()
        self.browser.open(path, DESKTOP)
        self.assertEqual(self.browser.complaints, [])
        self.assertEqual(len(self.browser.requests), 1)
        self.assertNotEqual(self.browser.ask("document.title"), "hit")
        self.assertEqual(self.browser.ask("[document.images.length, document.scripts.length]"), [0, 1])

    def test_the_policy_holds(self):
        """What a fault in the escaping would let in is stopped by the page's policy."""
        text = self.path.read_text().replace("</main>", "<script>document.title='hit'</script><img src=x.png onerror=\"document.title='hit'\">"
                                             "<p style=\"color:red\" id=styled>x</p></main>")
        (self.folder / "changed.html").write_text(text)
        self.browser.open(self.folder / "changed.html", DESKTOP)
        self.assertNotEqual(self.browser.ask("document.title"), "hit")
        self.assertGreaterEqual(len(self.browser.complaints), 3, self.browser.complaints)
        self.assertNotEqual(self.browser.ask("getComputedStyle(document.getElementById('styled')).color"), "rgb(255, 0, 0)")


if __name__ == "__main__":
    unittest.main()
