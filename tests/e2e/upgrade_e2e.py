#!/usr/bin/env python3
"""Upgrades of the program on a node, under Wine: while its service runs and the machine is busy, killed at random moments, and
with a new program that does not start. The programs differ in the version that their file names.

usage: upgrade_e2e.py PROVISIONER_EXE WINDOWS_PROBE_EXE [unittest arguments]"""
import os
import pathlib
import signal
import subprocess
import sys
import unittest

import node_e2e
from measure import Moments

SOURCE = "C:\\egress\\worker.json"
PROXY = "http://proxy.example.test:3128"
FOLDER = "wine/drive_c/Program Files/Provisioner"


def with_version(program, *parts):
    """The version resource's numbers: each pair with the more significant one second."""
    key = program.index("VS_VERSION_INFO".encode("utf-16-le"))
    while program.find(b"\xbd\x04\xef\xfe", key, key + 64) < 0:
        key = program.index("VS_VERSION_INFO".encode("utf-16-le"), key + 1)
    at = program.index(b"\xbd\x04\xef\xfe", key) + 8
    major, minor, build, more = (*parts, 0)[:4]
    words = b"".join(part.to_bytes(2, "little") for part in (minor, major, more, build))
    return program[:at] + words + program[at + 8:]


class Upgraded(node_e2e.Node):
    def setUp(self):
        super().setUp()
        self.bytes = pathlib.Path(node_e2e.PROGRAM).read_bytes()
        self.installed = self.work / FOLDER / "provisioner.exe"
        self.write(PROXY, [self.a])

    def make(self, *version, change=lambda program: program):
        path = self.work / ("provisioner-%s.exe" % ".".join(map(str, version)))
        path.write_bytes(change(with_version(self.bytes, *version)))
        return path

    def run_program(self, program, *words, **more):
        return self.json(*words, exe=program, **more)

    def expect_installed(self, program):
        self.assertEqual(self.installed.read_bytes(), program.read_bytes())
        self.assertEqual(sorted(os.listdir(self.installed.parent)), ["provisioner.exe"], "something of the former program stays")
        self.assertEqual(self.probe("query", "Provisioner").strip(), "running")

    def test_ten_in_a_row_while_the_service_runs_and_the_machine_is_busy(self):
        first = self.make(0, 1, 0)
        self.run_program(first, "first-boot", SOURCE, "--service", "containerd")
        self.expect(PROXY, [self.a])
        ledger = self.json("status", exits=(0, 4))["ledger"]
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 2)]
        for process in busy:
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
        before = "0.1.0"
        for number in range(1, 11):
            program = self.make(0, 1, number)
            now = f"0.1.{number}"
            if number % 2 == 1:
                report = self.run_program(program, "service", "install")
                self.assertEqual((report["program"]["before"], report["program"]["version"]), (before, now))
            else:
                report = self.run_program(program, "first-boot", SOURCE, "--service", "containerd")
                self.assertEqual(report["writes"], 0, "the state is known")
            told = [finding["message"] for finding in report["findings"] if finding["code"] == "program-replaced"]
            self.assertEqual(told, [f"the program {now} replaced {before}"])
            self.expect_installed(program)
            before = now
        self.expect(PROXY, [self.a])
        status = self.json("status", exits=(0, 4))
        self.assertEqual((status["ledger"], status["drift"], status["openTransaction"]), (ledger, [], False))
        self.assertFalse(self.run_program(self.make(0, 1, 10), "service", "install")["changed"])
        # It is the last one that runs.
        self.probe("set", "HTTP_PROXY", "http://somebody:1")
        self.await_state(lambda: self.expect(PROXY, [self.a]), 120)

        refused = self.run_program(first, "service", "install", exits=(12,))
        self.assertEqual(refused["error"]["code"], "downgrade")
        self.assertIn("0.1.10", refused["error"]["message"])
        self.expect_installed(self.work / "provisioner-0.1.10.exe")
        self.run_program(first, "service", "install", "--allow-downgrade")
        self.expect_installed(first)

    def test_killed_at_random_moments(self):
        self.run_program(self.make(0, 1, 0), "service", "install", "--source", SOURCE, "--service", "containerd")
        program = self.make(0, 1, 1)
        moments = Moments(lambda: self.run_program(program, "service", "install"))
        for number in range(2, 14):
            program = self.make(0, 1, number)
            run = subprocess.Popen([node_e2e.WINE, program, "service", "install"], env=self.env, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, start_new_session=True)
            moments.end(run, lambda: os.killpg(run.pid, signal.SIGKILL))
            node_e2e.wait_for_group(run.pid)
            self.run_program(program, "service", "install")
            self.expect_installed(program)
        moments.told(self, 2)
        self.await_state(lambda: self.expect(PROXY, [self.a]))

    def test_a_program_that_does_not_start_gives_way_to_the_former_one(self):
        former = self.make(0, 1, 0)
        self.run_program(former, "service", "install", "--source", SOURCE, "--service", "containerd")
        words = b'" reconcile --service\0'
        self.assertEqual(self.bytes.count(words), 1, "the words that the service is started with")
        broken = self.make(0, 2, 0, change=lambda program: program.replace(words, b'" reconcile --servicX\0'))
        failed = self.run_program(broken, "service", "install", exits=(13,))
        self.assertIn("the former program (0.1.0) is back and its service runs", failed["error"]["message"])
        self.expect_installed(former)
        self.await_state(lambda: self.expect(PROXY, [self.a]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
