#!/usr/bin/env python3
"""rollout_audit.py finds what is wrong in logs that are.

usage: rollout_audit_test.py [unittest arguments]"""
import datetime
import json
import unittest

import rollout_audit
from harness import folder
from rollout_audit import APPROVED, ORDER, STATE, Rules, faults_of_turns, faults_of_waves

NEW, OLD = "b" * 64, "a" * 64


class Log:
    """An audit log that is written by hand; each line is a second later."""

    def __init__(self, case):
        self.path, self.now, self.lines = folder(case) / "audit.log", 1_800_000_000.0, []

    def wait(self, seconds):
        self.now += seconds

    def add(self, user, verb, resource, name, body, code=200):
        self.now += 1
        text = datetime.datetime.fromtimestamp(self.now, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        self.lines.append({"stage": "ResponseComplete", "verb": verb, "user": {"username": user}, "objectRef": {"resource": resource, "name": name},
                           "requestObject": body, "responseStatus": {"code": code}, "requestReceivedTimestamp": text})

    def approve(self, name, digest=NEW, user="one", attempt=1, **more):
        order = json.dumps({"schema": 1, "attempt": attempt})
        self.add(user, "patch", "nodes", name, {"metadata": {"annotations": {APPROVED: digest, ORDER: order if digest else None}}}, **more)

    def state(self, name, digest, trial=None, attempt=1):
        state = {"digest": digest, "trial": trial and {"digest": NEW, "result": trial, "attempt": attempt}}
        self.add(f"system:serviceaccount:egress-provisioner:{name}", "patch", "nodes", name, {"metadata": {"annotations": {STATE: json.dumps(state)}}})

    def confirm(self, *names):
        for name in names:
            self.state(name, NEW, "confirmed")

    def ready(self, name, status):
        self.add("kubelet", "create", "nodes", name, {"status": {"conditions": [{"type": "Ready", "status": status}]}})

    def lease(self, user, holder):
        self.add(user, "patch", "leases", rollout_audit.LEASE, {"spec": {"holderIdentity": holder}})

    def record(self, user):
        self.add(user, "patch", "secrets", rollout_audit.SECRET, {"metadata": {}})

    def read(self):
        self.path.write_text("".join(json.dumps(line) + "\n" for line in self.lines) + '{"cut')
        return rollout_audit.writes(self.path)


class Audit(unittest.TestCase):
    def setUp(self):
        self.log = Log(self)
        self.rules = Rules(NEW, canaries=1, wave=2)

    def waves(self):
        return faults_of_waves(self.log.read(), self.rules)

    def assert_fault(self, text):
        faults, _ = self.waves()
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(text, faults[0])

    def test_a_proper_rollout_has_no_fault(self):
        for names in ["a"], ["b", "c"], ["d", "e"], ["f"]:
            for name in names:
                self.log.approve(name)
            self.log.confirm(*names)
        self.assertEqual(self.waves(), ([], [["a"], ["b", "c"], ["d", "e"], ["f"]]))

    def test_an_empty_log_shows_nothing(self):
        self.log.state("a", OLD)
        self.assertEqual(self.waves(), (["nobody was approved"], []))

    def test_more_canaries_than_there_may_be(self):
        self.log.approve("a")
        self.log.approve("b")
        self.assert_fault("b was approved as number 2 of a wave of 1; not confirmed: ['a']")

    def test_a_wave_before_the_last_one_is_confirmed(self):
        self.log.approve("a")
        self.log.confirm("a")
        for name in "b", "c":
            self.log.approve(name)
        self.log.confirm("b")
        self.log.approve("d")
        self.assert_fault("d was approved as number 3 of a wave of 2; not confirmed: ['c']")

    def test_a_state_without_a_confirmed_trial_is_no_proof(self):
        for trial in None, "running":
            with self.subTest(trial):
                self.log = Log(self)
                self.log.approve("a")
                self.log.state("a", NEW, trial)
                self.log.approve("b")
                self.assert_fault("not confirmed: ['a']")

    def test_a_wave_that_did_not_soak(self):
        self.rules.soak = 10
        self.log.approve("a")
        self.log.confirm("a")
        self.log.wait(5)
        self.log.approve("b")
        self.assert_fault("not soaked: ['a']")

    def test_a_node_after_one_took_back(self):
        self.log.approve("a")
        self.log.confirm("a")
        self.log.approve("b")
        self.log.state("b", OLD, "rolledBack")
        self.log.approve("c")  # of the same wave: it may have been on its way
        self.assertEqual(self.waves()[0], [])
        self.log.confirm("b", "c")
        self.log.approve("d")
        self.assert_fault("d was approved after ['b'] had taken")

    def test_another_attempt_begins_anew(self):
        self.log.approve("a")
        self.log.state("a", OLD, "rolledBack")
        self.log.approve("a", None)
        self.log.approve("a", attempt=2)
        self.log.state("a", NEW, "confirmed", attempt=2)
        self.log.approve("b", attempt=2)
        self.assertEqual(self.waves(), ([], [["a"], ["b"]]))
        self.log.approve("c", attempt=1)
        self.assert_fault("attempt 1 after attempt 2")

    def test_what_the_server_refused_is_no_approval(self):
        self.log.approve("a")
        self.log.approve("b", code=409)
        self.assertEqual(self.waves(), ([], [["a"]]))

    def test_who_goes_on_approves_the_same_nodes(self):
        self.log.approve("a")
        self.log.confirm("a")
        for name in "b", "b", "c", "b":
            self.log.approve(name)
        self.assertEqual(self.waves()[0], [])

    def test_nodes_out_of_reach(self):
        for name in "a", "b", "c", "d":
            self.log.ready(name, "True")
        self.log.ready("d", "Unknown")
        self.log.approve("a")
        self.log.ready("a", "Unknown")
        self.log.approve("b")
        self.assert_fault("out of reach: ['a']")
        self.rules.most_unreachable = 1
        self.assertEqual(self.waves()[0], [])
        self.log.approve("d")
        self.assert_fault("d was approved while it was not reachable")

    def test_all_that_are_out_of_reach_are_approved_at_the_end(self):
        for name in "b", "c":
            self.log.ready(name, "Unknown")
        self.log.approve("a")
        self.log.confirm("a")
        self.log.approve("b")
        self.log.approve("c")
        self.assertEqual(self.waves(), ([], [["a"]]))

    def test_who_writes_without_the_lease(self):
        self.log.approve("a", user="one")
        self.log.lease("one", "x")
        self.log.record("one")
        self.log.record("two")
        self.log.approve("b", user="two")
        self.log.lease("one", "")
        self.log.approve("c", user="one")
        self.assertEqual(faults_of_turns(self.log.read(), 15), [
            "one wrote approval a, and nobody has the Lease", "two wrote record confirmed, and one has the Lease",
            "two wrote approval b, and one has the Lease", "one wrote approval c, and nobody has the Lease"])

    def test_who_takes_a_lease_too_early(self):
        self.log.lease("one", "x")
        self.log.wait(5)
        self.log.lease("two", "y")
        self.log.approve("a", user="one")
        self.log.wait(20)
        self.log.lease("one", "x")
        self.log.lease("two", "")
        self.assertEqual(faults_of_turns(self.log.read(), 15), [
            "two took the Lease 6.0 seconds after one had renewed it", "one wrote approval a, and two has the Lease", "two released the Lease of one"])

    def test_requests_are_counted_by_who_made_them(self):
        self.log.approve("a")
        self.log.confirm("a")
        self.log.record("somebody")
        self.log.read()
        counted = rollout_audit.Requests(self.log.path, 0, self.log.now, ["one"])
        self.assertEqual(counted.count, {"coordinator": 1, "nodes": 1})
        self.assertEqual(rollout_audit.tried(self.log.read(), NEW), ({"a"}, {"a"}))


if __name__ == "__main__":
    unittest.main(verbosity=2)
