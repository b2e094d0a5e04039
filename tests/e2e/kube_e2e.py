#!/usr/bin/env python3
"""kube:// sources: the program against a loopback API server, with the faults that real ones have.

usage: kube_e2e.py PROVISIONER KUBE_FOLLOW [unittest arguments]"""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from kube_api_server import CONFIGS, CONTROLLER, POOLS, PROXIES, TOKEN, ApiServer, Authority, kubeconfig  # noqa: E402

PROGRAM, FOLLOW = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
SAMPLE = pathlib.Path(__file__).resolve().parents[1] / "sample"
ROOT_PEM, PROXY_PEM = ((SAMPLE / f"{name}.pem").read_text() for name in ("corporate-root", "proxy-root"))


def times(count, answer):
    """A fault for the first `count` requests."""
    left = [count]

    def fault(handler, path, query):
        if left[0] == 0:
            return False
        left[0] -= 1
        return answer(handler, path, query)

    return fault


def status(code, **headers):
    def answer(handler, *_):
        handler.status(code, "Test", "as the test wants it", **headers)
        return True

    return answer


class Kube(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if shutil.which("openssl") is None:
            print("NOT RUN: openssl is missing (Debian package openssl)", flush=True)
            sys.exit(77)
        cls.keys = pathlib.Path(tempfile.mkdtemp(prefix="provisioner-kube-keys-"))
        cls.addClassCleanup(shutil.rmtree, cls.keys)
        cls.authority, cls.other = Authority(cls.keys, "ca"), Authority(cls.keys, "other")
        cls.leaf = cls.authority.sign("api", "serverAuth", "IP:127.0.0.1")
        cls.named = cls.authority.sign("named", "serverAuth", "DNS:kubernetes.default")
        cls.client = cls.authority.sign("system:node:win-1", "clientAuth")

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="provisioner-kube-"))
        self.addCleanup(shutil.rmtree, self.work)
        self.server = self.start()
        self.server.put_config("rendered-worker-1", "http://one.example.test:3128", ROOT_PEM)
        self.config()

    def start(self, leaf=None, **more):
        server = ApiServer(leaf or self.leaf, self.authority.pem, **more)
        self.addCleanup(server.close)
        return server

    def config(self, **options):
        path = self.work / "config"
        path.write_text(kubeconfig(self.server.port, **{"ca": self.authority.pem, **options}))
        return path

    def run_program(self, *words, env=None):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120,
                              env={"PATH": os.environ["PATH"], "HOME": str(self.work), **(env or {})})
        self.assertNotIn("c4nary", done.stdout + done.stderr)
        return done

    def extract(self, source="kube:///worker", *words, **options):
        done = self.run_program("extract", source, "--kubeconfig", self.work / "config", *words, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def refused(self, exit_code, source="kube:///worker", *words):
        done = self.run_program("extract", source, "--kubeconfig", self.work / "config", *words)
        self.assertEqual(done.returncode, exit_code, done.stdout + done.stderr)
        return json.loads(done.stdout)["error"]

    def paths(self):
        return [path for path, _, _ in self.server.seen]


class Reading(Kube):
    def test_the_pool_leads_to_its_config_and_to_the_next_one(self):
        first = self.extract()
        self.assertEqual(first["source"]["name"], "rendered-worker-1")
        self.assertEqual(first["proxy"]["HTTP_PROXY"], "http://one.example.test:3128")
        self.assertEqual(len(first["trustBundle"]["certificates"]), 1)
        self.assertEqual(self.server.seen[0], (POOLS + "/worker", {}, "system:serviceaccount:test"))
        self.server.put_config("rendered-worker-2", "http://two.example.test:3128", ROOT_PEM + PROXY_PEM)
        second = self.extract("kube://loop/machineconfigpool/worker")
        self.assertEqual(second["proxy"]["HTTP_PROXY"], "http://two.example.test:3128")
        self.assertEqual(len(second["trustBundle"]["certificates"]), 2)
        self.assertEqual(self.extract("kube:///machineconfig/rendered-worker-1")["source"]["name"], "rendered-worker-1")

    def test_a_client_certificate_says_who_asks(self):
        certificate, key = self.client
        shutil.copy(key, self.work / "node.key")
        self.config(user=f"    client-certificate: {certificate}\n    client-key: node.key\n")
        self.extract()
        self.assertEqual({who for _, _, who in self.server.seen}, {"system:node:win-1"})

    def test_the_name_in_the_certificate_may_be_another(self):
        self.server.close()
        self.server = self.start(self.named)
        self.server.put_config("rendered-worker-1", "http://one.example.test:3128", ROOT_PEM)
        self.config()
        self.assertEqual(self.refused(14)["code"], "tls")
        self.assertEqual(self.server.seen, [])
        self.config(cluster="    tls-server-name: kubernetes.default\n")
        self.extract()

    def test_only_the_clusters_ca_counts(self):
        self.config(ca=self.other.pem)
        self.assertEqual(self.refused(14)["code"], "tls")
        self.assertEqual(self.server.seen, [], "nothing was sent to an unknown server")
        self.extract("kube:///worker", "--ca", self.authority.pem)
        self.config(cluster="    insecure-skip-tls-verify: true\n")
        self.assertEqual(self.refused(14)["code"], "tls")

    def test_the_proxy_with_its_config_map(self):
        self.server.put(PROXIES + "/cluster", spec={"trustedCA": {"name": "corporate"}, "httpProxy": "http://p.example.test:1"},
                        status={"httpProxy": "http://p.example.test:1", "noProxy": ".svc"})
        self.assertEqual(self.refused(11, "kube:///proxy")["code"], "not-found")
        self.server.put("/api/v1/namespaces/openshift-config/configmaps/corporate", data={"ca-bundle.crt": ROOT_PEM})
        read = self.extract("kube:///proxy")
        self.assertEqual(read["proxy"]["NO_PROXY"], ".svc")
        self.assertEqual(len(read["trustBundle"]["certificates"]), 1)

    def test_the_controller_config(self):
        import base64
        self.server.put(CONTROLLER + "/machine-config-controller", spec={
            "proxy": {"httpProxy": "http://p.example.test:1", "httpsProxy": "http://p.example.test:1", "noProxy": ".svc"},
            "additionalTrustBundle": base64.b64encode(PROXY_PEM.encode()).decode()})
        read = self.extract("kube:///controllerconfig")
        self.assertEqual(read["source"]["kind"], "ControllerConfig")
        self.assertEqual(len(read["trustBundle"]["certificates"]), 1)

    def test_refusals_say_what_to_do(self):
        self.server.denied.add(("get", "machineconfigs"))
        error = self.refused(14)
        self.assertIn('resources ["machineconfigs"]', error["message"])
        self.assertIn("system:serviceaccount:test", error["message"])
        self.server.tokens.clear()
        self.assertIn("expired", self.refused(14)["message"])
        self.server.tokens.add(TOKEN)
        self.assertEqual(self.refused(11, "kube:///infra")["code"], "not-found")
        self.server.faults.append(times(1, lambda handler, *_: handler.send(404, b"404 page not found\n", "text/plain") or True))
        self.assertIn("OpenShift", self.refused(11)["message"])
        self.config(user="    exec:\n      command: aws\n")
        self.assertIn("oc create token", self.refused(11)["message"])

    def test_what_passes_is_waited_for(self):
        self.server.faults.append(times(2, status(503)))
        self.extract()
        self.server.faults.append(times(1, status(429, Retry_After="2")))
        begin = time.monotonic()
        self.extract()
        self.assertGreaterEqual(time.monotonic() - begin, 2)
        self.server.faults.append(times(99, status(500)))
        count = len(self.server.seen)
        self.assertEqual(self.refused(14)["code"], "network")
        self.assertEqual(len(self.server.seen) - count, 5)

    def test_a_slow_answer_and_one_that_is_cut(self):
        body = json.dumps(self.server.objects[POOLS + "/worker"]).encode()

        def slow(handler, *_):
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            for at in range(0, len(body), 40):
                handler.wfile.write(body[at:at + 40])
                handler.wfile.flush()
                time.sleep(0.1)
            return True

        def cut(handler, *_):
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body[:70])
            handler.close_connection = True
            return True

        self.server.faults.append(times(1, slow))
        self.extract()
        self.server.faults.append(times(1, cut))
        self.extract()
        self.assertGreaterEqual(self.paths().count(POOLS + "/worker"), 3, "the one that was cut was asked for again")

    def test_a_pod_has_its_account_and_a_person_a_file(self):
        folder = self.work / "mounts/var/run/secrets/kubernetes.io/serviceaccount"
        folder.mkdir(parents=True)
        (folder / "token").write_text(TOKEN)
        shutil.copy(self.authority.pem, folder / "ca.crt")
        inside = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(self.server.port),
                  "CONTAINER_SANDBOX_MOUNT_POINT": str(self.work / "mounts")}
        done = self.run_program("extract", "kube:///worker", "--kubeconfig", "in-cluster", env=inside)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = self.run_program("extract", "kube:///worker", env={"KUBECONFIG": str(self.work / "config")})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.run_program("extract", "kube:///worker").returncode, 10)


class Following(Kube):
    """The waiting part of `reconcile`, in a program of its own, as there is no Windows here."""

    def follow(self, interval=60_000, rounds=1):
        process = subprocess.Popen([FOLLOW, self.work / "config", "kube:///worker", str(interval), str(rounds)], stdout=subprocess.PIPE, text=True)

        def end():
            if process.poll() is None:
                process.kill()
            process.wait()
            process.stdout.close()

        self.addCleanup(end)
        self.assertEqual(process.stdout.readline(), "waits\n")
        return process

    def until(self, condition, what, seconds=120):
        end = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def await_watch(self, count=1):
        """A watch that was asked for gets all that comes from then on: it begins with a version, and not when it is answered."""
        self.until(lambda: len(self.server.watches()) >= count, "no watch came")

    def await_handler(self, process):
        """Until SIGTERM asks the process to stop, and does not just end it."""
        status = pathlib.Path(f"/proc/{process.pid}/status")
        self.until(lambda: int(re.search(r"(?m)^SigCgt:\s*(\w+)", status.read_text())[1], 16) >> (signal.SIGTERM - 1) & 1, "SIGTERM is not listened to")

    def waited(self, process, most_ms):
        told = []
        for line in process.stdout:
            word, rest = line.rstrip("\n").split(" ", 1)
            if word != "told":
                self.assertEqual(word, "waited", line)
                self.assertLess(int(rest), most_ms)
                return told
            told.append(rest)
        self.fail("the program ended")

    def test_a_change_is_seen_at_once_and_the_counting_of_machines_is_none(self):
        process = self.follow(rounds=2)
        self.await_watch()
        self.server.count_machines()
        begin = time.monotonic()
        self.server.put_config("rendered-worker-2", "http://two.example.test:3128", ROOT_PEM)
        changed = self.server.version
        self.assertEqual(self.waited(process, 10_000), [])
        self.assertLess(time.monotonic() - begin, 3)
        # The second change comes while nobody watches: it must not get lost.
        self.assertEqual(process.stdout.readline(), "waits\n")
        self.server.put_config("rendered-worker-3", "http://three.example.test:3128", ROOT_PEM)
        self.assertEqual(self.waited(process, 5_000), [])
        # The second watch begins where the first wait ended.
        self.assertEqual(int(self.server.watches()[1]["resourceVersion"]), changed, "the counting of machines ended the wait")
        lists = [query for path, query, _ in self.server.seen if path == POOLS and "watch" not in query]
        self.assertEqual(len(lists), 1)

    def test_no_change_takes_the_interval(self):
        process = self.follow(interval=2000)
        self.assertEqual(self.waited(process, 4000), [])

    def test_bookmarks_keep_the_place_when_the_server_forgets(self):
        self.server.bookmark_seconds = 0.3
        self.follow(interval=3000, rounds=100)
        self.await_watch()
        for number in range(5):
            self.server.put(f"{CONFIGS}/other-{number}", spec={})
        # Nobody but a bookmark tells this version. Whichever watch it comes with, the next one begins there.
        self.until(lambda: self.server.version in self.server.bookmarks, "no bookmark was sent")
        watches = len(self.server.watches())
        self.await_watch(watches + 1)
        self.assertEqual(int(self.server.watches()[watches]["resourceVersion"]), self.server.version)
        self.assertEqual(len([query for path, query, _ in self.server.seen if path == POOLS and "watch" not in query]), 1)

    def test_a_version_that_is_gone_leads_to_a_new_list(self):
        process = self.follow()
        self.await_watch()
        self.server.forget_events()
        self.await_watch(2)
        self.server.put_config("rendered-worker-2", "http://two.example.test:3128", ROOT_PEM)
        self.assertEqual(self.waited(process, 20_000), [])

    def test_a_line_that_is_cut_comes_again(self):
        def cut(handler, path, query):
            if "watch" not in query:
                return False
            handler.begin_watch()
            line = json.dumps({"type": "MODIFIED", "object": handler.server.objects[POOLS + "/worker"]}).encode() + b"\n"
            handler.chunk(line[:-30])
            handler.close_connection = True
            return True

        left = []

        def once(handler, path, query):
            if left or not cut(handler, path, query):
                return False
            left.append(1)
            return True

        self.server.faults.append(once)
        process = self.follow()
        self.await_watch(2)
        self.server.put_config("rendered-worker-2", "http://two.example.test:3128", ROOT_PEM)
        self.waited(process, 20_000)

    def test_a_server_that_goes_and_comes_back(self):
        process = self.follow()
        self.await_watch()
        old = self.server
        old.close()
        self.assertEqual(process.stdout.readline().split(" ")[0], "told", "it has asked in vain")
        self.server = self.start(port=old.port, before=old)
        self.server.put_config("rendered-worker-2", "http://two.example.test:3128", ROOT_PEM)
        self.waited(process, 40_000)

    def test_without_the_right_to_watch(self):
        self.server.denied.add(("watch", "machineconfigpools"))
        process = self.follow(interval=2000)
        told = self.waited(process, 4000)
        self.assertIn('verbs ["watch"]', told[0])

    def test_a_stop_ends_a_silent_watch(self):
        process = self.follow(interval=600_000)
        self.await_watch()
        self.await_handler(process)
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        self.assertIn("stopped", process.stdout.read())
        self.assertLess(time.monotonic() - begin, 3)

    def test_a_connection_that_died_without_a_word(self):
        self.server.ends_watches = False
        process = self.follow(interval=2000)
        self.waited(process, 20_000)

    def test_a_peer_that_says_nothing_at_all(self):
        self.server.close()
        mute = socket.create_server(("127.0.0.1", 0))
        mute.settimeout(120)
        self.addCleanup(mute.close)
        self.server.port = mute.getsockname()[1]
        self.config()
        process = subprocess.Popen([FOLLOW, self.work / "config", "kube:///worker", "60000", "1"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        connection, _ = mute.accept()
        self.addCleanup(connection.close)
        connection.settimeout(120)
        self.assertTrue(connection.recv(1), "it waits for an answer from here on")
        self.await_handler(process)
        begin = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        self.assertLess(time.monotonic() - begin, 3)


if __name__ == "__main__":
    unittest.main()
