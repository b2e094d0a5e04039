#!/usr/bin/env python3
"""The process of the DaemonSet under Wine against a real kube-apiserver with etcd: with a token that is bound to its pod and no more
rights than `deploy` prints it follows two changes in a row, tells what its node has, stands aside where the service runs, and takes
everything off its node.

usage: cluster_node_e2e.py PROVISIONER_EXE WINDOWS_PROBE_EXE [unittest arguments]
  PROVISIONER_CLUSTER=1: else nothing is run; scripts/kube-api-server has to have run"""
import unittest

from kube_api_server import kubeconfig
from kube_node_e2e import Pod
from real_api_server import ADMIN, PLURALS, RealApiServer, cluster_programs, documents


class RealPod(Pod):
    def setUp(self):
        super().setUp()
        printed = self.program("deploy", "--print", "--image", "registry.example.test/provisioner:1").stdout
        for item in documents(printed):
            if item["kind"] in PLURALS:
                self.server.apply(item)
        self.server.put_pod("one", "win-1")
        (self.work / "wine/drive_c/hpc/var/run/secrets/kubernetes.io/serviceaccount/token").write_text(self.server.token(pod="one"))
        admin = kubeconfig(self.server.port, self.authority.pem, user=f"    token: {ADMIN}\n")
        (self.work / "wine/drive_c/egress/kubeconfig").write_text(admin)

    def make_server(self):
        folder = self.work / "cluster"
        folder.mkdir()
        server = RealApiServer(cluster_programs(), folder)
        self.authority = server.authority
        return server


# What it inherits from runs elsewhere, against a server of the tests.
del Pod

if __name__ == "__main__":
    cluster_programs()
    unittest.main()
