#!/usr/bin/env python3
"""A password goes through every command, format and error path; it may come out only where it was asked for.

usage: secrets_canary.py PROVISIONER

Asked for: `--show-secrets`, `extract --format env`, `pod-env --format patch` and `--format admission-policy`, and the files that a payload's manifest marks
secret. A new command needs a row in COMMANDS, or this fails."""
import base64
import gzip
import json
import os
import re
import shutil
import unittest
import urllib.parse

from canary_sources import RemoteSources
from canary_words import ESCAPED, SIMPLE, holds
from harness import SAMPLE, argument, folder, mode_of, need, run
from rendered import BUNDLE, ENVIRONMENT
from user_data_reader import carried_by

PROVISIONER = argument()
PODS = ["SOURCE", "--pod", str(SAMPLE.with_name("deployment.yaml"))]
ROOT_PEM = SAMPLE.with_name("proxy-root.pem")

# How each command is called with SOURCE and OUT (a path that does not exist), in all its forms of output. `shows`: asks for it.
COMMANDS = {
    "extract": [(["SOURCE"], False), (["SOURCE", "--output", "json"], False), (["SOURCE", "--format", "pem"], False),
                (["SOURCE", "--format", "json"], False), (["SOURCE", "--show-secrets"], True), (["SOURCE", "--format", "env"], True)],
    "check": [(["SOURCE"], False), (["SOURCE", "--output", "json"], False), (["SOURCE", "--strict"], False),
              (["SOURCE", "--image", "127.0.0.1:9/a", "--probe-timeout", "1"], False),
              (["SOURCE", "--image", "127.0.0.1:9/a", "--probe-timeout", "1", "--output", "json"], False),
              (["SOURCE", "--image", "127.0.0.1:9/a", "--probe-timeout", "1", "--format", "required"], False),
              (["SOURCE", "--image", "127.0.0.1:9/a", "--probe-timeout", "1", "--format", "router"], False)],
    "explain": [(["SOURCE", "--url", "http://example.com/", "https://example.com/"], False),
                (["SOURCE", "--augment"], False), (["SOURCE", "--url", "http://example.com/", "--augment", "--output", "json"], False),
                (["SOURCE", "--image", "quay.io/org/app"], False), (["SOURCE", "--image", "nginx", "--output", "json"], False),
                (["SOURCE", "--url", "http://example.com/", "--html", "OUT"], False)],
    "bake": [(["SOURCE", "--out", "OUT"] + more, False) for more in (
        [], ["--output", "json"], ["--service", "kubelet", "--service", "containerd"], ["--credentials", "services", "--service", "kubelet"],
        ["--credentials", "none", "--service", "kubelet"], ["--with-wmco"], ["--scope", "certs"], ["--winhttp-octets", "--scope", "winhttp"],
        ["--registry-folder", "C:\\certs.d", "--scope", "machine,registries"],
        ["--format", "userdata", "--platform", "aws"], ["--format", "userdata", "--platform", "vsphere", "--credentials", "none", "--output", "json"])],
    "pod-env": [(PODS, False), (PODS + ["--patch", "json", "--output", "json"], False),
                (PODS + ["--format", "patch"], True), (PODS + ["--format", "patch", "--patch", "json"], True), (PODS + ["--show-secrets"], True),
                (["SOURCE", "--format", "admission-policy"], True), (["SOURCE", "--format", "admission-policy", "--output", "json"], True)],
}

# Commands that act on a Windows node. Here they read and judge the source, then say that this is none; what they show on a node is
# tested on a machine in memory (tests/cli/machine_commands_test.cc).
NODE_COMMANDS = {
    **{command: [(["SOURCE"], False), (["SOURCE", "--output", "json", "--credentials", "services", "--service", "kubelet"], False),
                 (["SOURCE", "--credentials", "none"], False)] for command in ("plan", "apply", "first-boot", "pod")},
    **{command: [([], False), (["--output", "json"], False)] for command in ("status", "doctor", "confirm", "rollback", "remove", "reconcile")},
    # The source is read before the cluster, which is not there.
    "fleet": [(["status", "kube://", "--source", "SOURCE"], False), (["status", "kube://", "--source", "SOURCE", "--output", "json"], False),
              (["rollout", "kube://", "--source", "SOURCE", "--soak", "0"], False)],
    # The cluster comes before the source: what it writes and says there is in controller_e2e.py.
    "controller": [(["--source", "SOURCE", "--once"] + more, False) for more in (
        ["--params", "a/b"], ["--params", "a/b", "--approval", "--fleet-namespace", "c"], ["--secret", "a/b", "--platform", "aws", "--output", "json"],
        ["--secret", "a/b", "--platform", "aws", "--credentials", "services"], ["--secret", "a/b", "--platform", "aws", "--credentials", "none"])],
    "service": [(["install", "--source", "SOURCE", "--output", "json"], False), (["uninstall"], False)] + [
        (["install", "--source", "SOURCE", "--credentials", place], False) for place in ("services", "none")],
}

# Commands that read no settings.
TABLE_COMMANDS = {"explain-code", "hns-proxy", "completion", "man", "router", "egress-ip", "deploy"}

# Commands whose inputs are objects of a cluster (test_published_objects).
OBJECT_COMMANDS = {"publish"}

# As one variable's value. The first ones are valid; `%s` takes the password.
VALID = ["http://egress:%s@proxy.example.com:3128", "http://egress:%s@proxy.example.com", "http://egress:%s@[2001:db8::7]:3128/",
         "http://proxy.example.com:3128/?token=%s", "http://proxy.example.com:3128#%s"]
MALFORMED = [
    "http://u:%s@proxy:port", "http://u:%s@proxy:99999", "http://u:%s@proxy:-1", "http://u:%s@proxy:31 28", "http://u:%s@:3128", "http://u:%s@",
    "http://u:%s@/", "http://u:%s@proxy:1:2", "htp://u:%s@proxy:1", "https//u:%s@proxy:1", "socks5://u:%s@proxy:1", "u:%s@proxy:1", "//u:%s@proxy:1",
    "http:u:%s@proxy:1", "http:/u:%s@proxy", "http:///u:%s@proxy", "://u:%s@proxy:1", "http://http://u:%s@proxy:1", "http://u:%s@pro xy:1",
    "http://u:%s@pro\x01xy:1", "http://u:\x07%s@proxy:1", "http://u:%s\x1b[2J@proxy:1", "http://u:%s@proxy\\:1", "http://u:%s%%zz@proxy:1",
    "http://u:%s@[::1", "http://u:%s@[1.2.3.4]:1", "http://u:%s@[fe80::1%%25eth0]:1", "http://u:%s@010.0.0.1:1", "http://u:%s@pr%%6Fxy:1",
    "http://u:%s", "http://u:%s@proxy:1?x=y", "http://u:@proxy:port/?password=%s", "http://u:%s@proxy:1 http://v:w@q:1",
    "http=u:%s@proxy:1;https=u:%s@proxy:1", "http://u:%s@proxy:0", "http://u:%s@-:1", "http://u:%s@proxy..example:1", "http://u:%s@prox\u202ey:1",
    "http://:%s@proxy.example.com:3128", "http://u:%s@proxy:", "http://u:%s%%0a@proxy:1", "http://u:%s@proxy:1/a:b",
    "http://u:%s@pr\u00f6xy:1", "http://" + "u" * 40000 + ":%s@proxy:1",
]
# As a whole line of the file: what is no assignment of a proxy at all.
LINES = [
    "HTTP_PROXY http://u:%s@proxy:1", "http://u:%s@proxy:1", "http://u:%s@proxy:1/?a=b", "export HTTP_PROXY=http://u:%s@proxy:1", "http_proxy=http://u:%s@proxy:1",
    "HTTP_PROXY: http://u:%s@proxy:1", "HTTP_PROXY='http://u:%s@proxy:1", 'HTTPS_PROXY="http://u:%s@proxy:1"', "HTTP PROXY=http://u:%s@proxy:1",
    "HTTP_PROXY=http://u:%s@proxy:1\nHTTP_PROXY=http://u:%s@proxy:2", "# http://u:%s@proxy:1\\", "HTTP_PROXY=http://u:%s@proxy:1\nNO_PROXY=a\x02b",
    "HTTP_PROXY=http://u:%s@proxy:1\n\0", "HTTP_PROXY=http://u:%s@proxy:1\nNO_PROXY=" + "a.example.com," * 4000,
]


def config(text, packed=False):
    data = text if isinstance(text, bytes) else text.encode()
    contents = {"source": "data:;base64," + base64.b64encode(gzip.compress(data) if packed else data).decode()}
    if packed:
        contents["compression"] = "gzip"
    bundle = ROOT_PEM.read_bytes()
    return json.dumps({"ignition": {"version": "3.4.0"}, "storage": {"files": [
        {"path": ENVIRONMENT, "contents": contents}, {"path": BUNDLE, "contents": {"source": "data:;base64," + base64.b64encode(bundle).decode()}}]}})


class Canary(RemoteSources, unittest.TestCase):
    def setUp(self):
        # Every bake flushes its files to the disk, and there are a thousand.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None
        self.work = folder(self, dir=memory)
        self.temporary = self.work / "tmp"
        self.temporary.mkdir()
        self.out = self.work / "out"
        self.shown = 0

    def provisioner(self, *words, data=b""):
        data = data.encode() if isinstance(data, str) else data
        environment = {"PATH": os.environ["PATH"], "TMPDIR": str(self.temporary), "HOME": str(self.temporary)}
        return run(PROVISIONER, *words, input=data, text=False, env=environment, cwd=self.temporary)

    def silent(self, result, about):
        self.assertIn(result.returncode, (0, 10, 11, 12, 13, 14), about)
        self.assertFalse(holds(result.stderr), "%s: standard error has it: %s" % (about, result.stderr[:1000]))

    def payload_is_marked(self, about):
        """Only files marked secret hold it; those have mode 0600; the manifest tells the truth about both."""
        marked = {file["path"]: file["secret"] for file in json.loads((self.out / "manifest.json").read_text())["files"]}
        self.assertEqual(set(marked) | {"manifest.json"}, {str(p.relative_to(self.out)) for p in self.out.rglob("*") if p.is_file()}, about)
        holding = {str(p.relative_to(self.out)) for p in self.out.rglob("*") if p.is_file() and holds(p.read_bytes())}
        self.assertLessEqual(holding, {path for path, secret in marked.items() if secret}, about)
        for path, secret in marked.items():
            self.assertEqual(mode_of(self.out / path) if secret else 0o600, 0o600, path)
        return holding

    def user_data_is_closed(self, about):
        """User data has one file, of mode 0600 if its data holds it; outside of the data nothing does."""
        data = self.out.read_bytes()
        self.assertFalse(holds(data), about)
        if data.startswith(b"H4sI"):
            data = gzip.decompress(base64.b64decode(data))
        carried = carried_by(data)
        if holds(carried):
            self.assertEqual(mode_of(self.out), 0o600, about)
        return {"user data"} if holds(carried) else set()

    def page_is_clean(self, about):
        """The page of explain --html is for everybody's eyes."""
        self.assertFalse(holds(self.out.read_bytes()), "%s: the page has it" % about)
        self.out.unlink()

    def every_command(self, source, about, commands=None, place="-"):
        """All commands in all forms; gives whether each payload held the secret, by its words."""
        held = {}
        for command, forms in (commands or COMMANDS).items():
            for words, shows in forms:
                about_this = "%s %s of %r" % (command, " ".join(words), about)
                words = [str(self.out) if word == "OUT" else place if word == "SOURCE" else word for word in words]
                result = self.provisioner(command, *words, data=source)
                self.silent(result, about_this)
                if not shows:
                    self.assertFalse(holds(result.stdout), "%s: standard output has it: %s" % (about_this, result.stdout[:2000]))
                self.shown += shows and holds(result.stdout)
                if command == "explain" and self.out.exists():
                    self.page_is_clean(about_this)
                elif self.out.is_file():
                    self.assertEqual(result.returncode, 0, about_this)
                    held[" ".join(words[3:])] = self.user_data_is_closed(about_this)
                    self.out.unlink()
                elif self.out.exists():
                    try:
                        self.assertEqual(result.returncode, 0, about_this)
                        held[" ".join(words[3:])] = self.payload_is_marked(about_this)
                    finally:
                        shutil.rmtree(self.out)
                self.nothing_left(about_this)
        return held

    def nothing_left(self, about):
        self.assertEqual(sorted(os.listdir(self.work)), ["tmp"], about)
        self.assertEqual(os.listdir(self.temporary), [], about)

    def test_every_command_has_its_rows(self):
        text = self.provisioner("--help").stdout.decode()
        section = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.M).group(1)
        commands = set(re.findall(r"^  ([a-z][a-z-]*) ", section, re.M))
        self.assertEqual(commands, set(COMMANDS) | set(NODE_COMMANDS) | OBJECT_COMMANDS | TABLE_COMMANDS, "a command without rows here could show passwords")
        for command in commands:
            self.assertFalse(holds(self.provisioner(command, "--help", "all").stdout))
        # Each --format and --credentials that a command's help offers is run, too.
        for command, forms in {**COMMANDS, **NODE_COMMANDS}.items():
            options = dict(re.findall(r"^  --(format|credentials) ([a-z|-]+)", self.provisioner(command, "--help", "all").stdout.decode(), re.M))
            used = [words for words, _ in forms]
            for option, values in options.items():
                for default, value in enumerate(values.split("|")):
                    given = any("--" + option in words and words[words.index("--" + option) + 1] == value for words in used)
                    self.assertTrue(given or default == 0, "%s --%s %s has no row" % (command, option, value))

    def test_node_commands(self):
        for form in VALID[:2] + MALFORMED[:12] + LINES[:6]:
            line = form % SIMPLE if form in LINES else "HTTP_PROXY=" + form % SIMPLE
            with self.subTest(line):
                self.every_command(config(line + "\n"), line, NODE_COMMANDS)
        self.every_command(config("HTTP_PROXY=http://u:%s@proxy:1\n" % SIMPLE)[:-20], "a cut document", NODE_COMMANDS)

    def test_a_url_in_no_proxy(self):
        """A whole proxy URL that was pasted into the list: nodes get the list as it is, and no output repeats the password."""
        for form in VALID + [form for form in MALFORMED if not re.search("[\x01-\x1f]|u{9}", form)]:
            url = form.replace("%s", SIMPLE).replace("%%", "%")
            source = config("HTTP_PROXY=http://proxy:1\nHTTPS_PROXY=http://proxy:1\nNO_PROXY=.svc,%s,10.0.0.0/8\n" % url)
            for command, forms in {**COMMANDS, **NODE_COMMANDS}.items():
                for words, shows in forms:
                    if "OUT" in words and "--html" not in words and words[3:] not in ([], ["--output", "json"]):
                        continue  # the messages of the other forms are these
                    words = [str(self.out) if word == "OUT" else "-" if word == "SOURCE" else word for word in words]
                    with self.subTest(url, command=command, words=words):
                        result = self.provisioner(command, *words, data=source)
                        self.silent(result, (command, words))
                        self.assertEqual(holds(result.stdout), shows and result.returncode == 0, result.stdout[:1000])
                        if self.out.is_file():
                            self.assertFalse(holds(self.out.read_bytes()), "the page has it")
                            self.out.unlink()
                        elif self.out.is_dir():
                            written = json.loads((self.out / "egress.json").read_text())["proxy"]["NO_PROXY"]
                            shutil.rmtree(self.out)
                            # systemd takes a backslash away, and what follows it as it is.
                            self.assertIn(re.sub(r"\\(.)", r"\1", url), written)

    def published(self, spec):
        """publish with this spec, in all its forms; which of the files it wrote hold the secret."""
        api = {"apiVersion": "config.openshift.io/v1", "metadata": {"name": "cluster"}}
        objects = {
            "proxy": {**api, "kind": "Proxy", "spec": spec, "status": spec},
            "infrastructure": {**api, "kind": "Infrastructure", "status": {"apiServerInternalURI": "https://api-int.example.com:6443"}},
            "network": {**api, "kind": "Network", "status": {"serviceNetwork": ["172.30.0.0/16"], "clusterNetwork": [{"cidr": "10.128.0.0/14"}]}},
        }
        words = []
        for name, value in objects.items():
            (self.temporary / name).write_text(json.dumps(value))
            words += ["--" + name, str(self.temporary / name)]
        for more in (["--out", str(self.out)], ["--out", str(self.out), "--output", "json"], ["--out", str(self.temporary / "network")]):
            result = self.provisioner("publish", *words, *more)
            self.silent(result, spec)
            self.assertFalse(holds(result.stdout), "standard output has it: %s" % result.stdout[:2000])
        files = [path for path in self.out.rglob("*") if path.is_file()]
        holding = {path.name for path in files if holds(path.read_bytes())}
        for path in files:
            self.assertEqual(mode_of(path), 0o600 if path.name in holding else 0o644, path)
        shutil.rmtree(self.out, ignore_errors=True)
        return holding

    def test_published_objects(self):
        whole = set()
        for form in VALID + MALFORMED:
            with self.subTest(form):
                url = form.replace("%s", SIMPLE).replace("%%", "%")
                whole |= self.published({"httpProxy": url})
                self.published({"httpProxy": "http://p:1", "httpsProxy": url, "noProxy": "a," + url, "readinessEndpoints": [url]})
                self.published({"httpProxy": "http://p:1", "readinessEndpoints": [url], "trustedCA": {"name": url}})
        self.assertEqual(whole, {"proxy.env", "proxy.yaml"}, "where it must be")

    def test_valid_urls(self):
        # Each form with each set of variables; the passwords take turns, so that each meets each form and each set.
        for i, form in enumerate(VALID):
            for j, variables in enumerate((["HTTP_PROXY"], ["HTTPS_PROXY"], ["HTTP_PROXY", "HTTPS_PROXY"])):
                password = (ESCAPED, ESCAPED.lower(), SIMPLE)[(i + j) % 3]
                text = "".join("%s=%s\n" % (name, form % password) for name in variables)
                with self.subTest(text):
                    self.shown = 0
                    held = self.every_command(config(text + "NO_PROXY=.svc,10.0.0.0/8\n", packed=True), text)
                    self.assertEqual(self.shown, 7, "where it is asked for it must be shown")
                    self.assertLessEqual({"egress.json", "registry/egress.reg"}, held[""])
                    self.assertIn("registry/SYSTEM.hiv", held[""])
                    self.assertEqual(held["--credentials none --service kubelet"], set())
                    self.assertEqual(held["--scope certs"], set())
                    self.assertEqual(held["--winhttp-octets --scope winhttp"], set())
                    self.assertEqual(held["--format userdata --platform aws"], {"user data"})
                    self.assertEqual(held["--format userdata --platform vsphere --credentials none --output json"], set())

    def test_a_payload_as_source(self):
        for words in ([], ["--credentials", "none"], ["--credentials", "services", "--service", "kubelet"]):
            payload = str(folder(self, dir=self.work.parent) / "payload")
            result = self.provisioner("bake", "-", "--out", payload, *words, data=config("HTTP_PROXY=http://u:%s@proxy:1\n" % SIMPLE))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.shown = 0
            self.every_command(b"", "a payload of %s" % words, place=payload)
            self.assertEqual(self.shown > 0, words != ["--credentials", "none"])

    def test_user_part_only(self):
        # A name without a password is shown as a name, but still only files marked secret hold it, and no message does.
        for name in ("HTTP_PROXY", "HTTPS_PROXY"):
            source = config("%s=http://%s@proxy.example.com:3128\n" % (name, SIMPLE))
            for words in ([], ["--credentials", "none", "--service", "kubelet"]):
                result = self.provisioner("bake", "-", "--out", str(self.out), *words, data=source)
                self.assertEqual(result.returncode, 0)
                self.silent(result, name)
                self.assertEqual(self.payload_is_marked(name) == set(), bool(words))
                shutil.rmtree(self.out)

    def test_malformed_urls(self):
        for form in MALFORMED:
            for name, password in (("HTTP_PROXY", ESCAPED), ("HTTPS_PROXY", SIMPLE)):
                value = form.replace("%s", password).replace("%%", "%")
                with self.subTest(name, value=value[-80:]):
                    self.every_command(config("%s=%s\n" % (name, value)), (name, value[-80:]))

    def test_malformed_lines(self):
        for form in LINES:
            text = form.replace("%s", SIMPLE)
            with self.subTest(text[:80]):
                self.every_command(config(text + "\n"), text[:80])
        self.every_command(config(b"HTTP_PROXY=http://u:%s@proxy:1\xff\n" % SIMPLE.encode()), "bytes that are not UTF-8")

    def test_damaged_documents(self):
        good = config("HTTP_PROXY=http://u:%s@proxy:1\n" % SIMPLE)
        url = "http://u:%s@host.example/x" % SIMPLE
        source = lambda text, **more: json.dumps({"ignition": {"version": "3.4.0"}, "storage": {"files": [{"path": ENVIRONMENT, "contents": {"source": text, **more}}]}})
        broken = [good[:len(good) * part // 10] for part in range(1, 10)] + [
            source(url), source("ftp://u:%s@host/x" % SIMPLE), source("u:%s@host" % SIMPLE), source(url, verification={"hash": "sha512-00"}),
            source("data:,HTTP_PROXY=http://u:%s@proxy:1 " % SIMPLE), source("data:,HTTP_PROXY=http://u:%s@proxy:1%%0" % SIMPLE),
            source("data:;base64,HTTP_PROXY=http://u:%s@proxy" % SIMPLE), source("data:;%s,x" % SIMPLE), source("data:%s,x" % SIMPLE),
            source("data:,http://u:%s@proxy" % SIMPLE, compression="gzip"), source("data:,http://u:%s@p" % SIMPLE, verification={"hash": "sha512-" + "0" * 128}),
            json.dumps({"ignition": {"version": "3.4.0", "config": {"merge": [{"source": url}]}}}),
            json.dumps({"ignition": {"version": "3.4.0", "config": {"replace": {"source": "data:,{" + url}}}}),
            json.dumps({"ignition": {"version": "3.4.0", "proxy": {"httpProxy": url}}}), '{"ignition": "%s' % url, "HTTP_PROXY=" + url, url,
            "HTTP_PROXY: " + url + "\n  x: y", "a: '%s" % url, "a: &x " + url, "? [" + url + "]", "a: !" + url, "a: *" + url,
        ]
        for text in broken:
            with self.subTest(text[-100:]):
                self.every_command(text, text[-100:])
        bundle = json.loads(config(""))
        for block in ("-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n", "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n", "%s"):
            secret = base64.b64encode(SIMPLE.encode() * 9).decode()
            bundle["storage"]["files"][1]["contents"]["source"] = "data:," + urllib.parse.quote(ROOT_PEM.read_text() + block % secret)
            with self.subTest(block):
                self.every_command(json.dumps(bundle), block)

    def test_urls_at_the_wrong_place(self):
        url = "https://u:%s@host.example/x" % SIMPLE
        sample = str(SAMPLE)
        calls = [[url], ["extract", url], ["extract", sample, url], ["extract", sample, "--pool"], ["--" + url], ["extract", "u:%s@host:1" % SIMPLE]]
        for command in (*COMMANDS, *NODE_COMMANDS):
            options = re.findall(r"^  --([a-z-]+)( \S+)?", self.provisioner(command, "--help", "all").stdout.decode(), re.M)
            for name, takes in options:
                # A name that the caller gives to a thing of his own is repeated to him.
                if name not in ("out", "help", "service", "name", "pool", "api-host", "service-range", "metadata-address"):
                    calls += [[command, sample, "--%s=%s" % (name, url)], [command, sample, "--" + name, url]]
        for words in calls:
            with self.subTest(words):
                result = self.provisioner(*words)
                self.silent(result, words)
                self.assertFalse(holds(result.stdout), (words, result.stdout[:500]))

    def test_no_child_and_no_file_but_the_payload(self):
        need(self, "strace")
        trace = self.work / "trace"
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}  # the leak check can't run under ptrace
        source = self.work / "source"
        source.write_text(config("".join("%s=http://u:%s@proxy:1\n" % (name, SIMPLE) for name in ("HTTP_PROXY", "HTTPS_PROXY"))))
        for command, forms in COMMANDS.items():
            for words, _ in forms:
                if command == "check" and "--image" in words:
                    continue  # it makes requests
                words = [str(self.out) if word == "OUT" else str(source) if word == "SOURCE" else word for word in words]
                result = run("strace", "-f", "-qq", "-s", "4096", "-e", "trace=execve,fork,vfork,clone,clone3,openat,open,creat,socket,connect",
                             "-o", trace, PROVISIONER, command, *words, env=environment)
                self.assertEqual(result.returncode, 0, result.stderr)
                calls = trace.read_text()
                self.assertEqual(len(re.findall(r"\bexecve\(", calls)), 1, "a child could show it in its arguments")
                self.assertIsNone(re.search(r"\b(v?fork|clone3?|socket|connect)\(", calls), calls)
                self.assertFalse(holds(calls.encode()))
                written = re.findall(r'"([^"]*)", [^)]*O_(?:WRONLY|RDWR|CREAT)', calls)
                # Beside OUT, where the result is made before it is renamed: a folder or a file.
                beside = re.compile(re.escape(str(self.work)) + r"/\.out\.provisioner-\w{6}(/.*)?")
                self.assertEqual([path for path in written if not beside.fullmatch(path)], [])
                if self.out.is_dir():
                    shutil.rmtree(self.out)
                self.out.unlink(missing_ok=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
