#!/usr/bin/env python3
"""Writes rendered-worker.json: a MachineConfig with the shape of a real rendered one, made of this project's own text.

usage: make_sample.py [--check]     --check: compare with the file that is there, exit 1 if it differs
"""
import argparse
import base64
import gzip
import hashlib
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE / "rendered-worker.json"

# What a percent-escaping renderer leaves as it is.
UNRESERVED = set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()")

PROXY = "http://egress-user:S3cret%40%23%25%26%27p@proxy.example.com:3128"
NO_PROXY = [".cluster.local", ".eu-west-1.compute.internal", ".example.internal", ".svc", "10.0.0.0/16", "10.128.0.0/14",
            "127.0.0.1", "169.254.169.254", "172.30.0.0/16", "api-int.sample.example.com", "localhost"]


def percent(data: bytes) -> str:
    return "data:," + "".join(chr(b) if b in UNRESERVED else "%%%02X" % b for b in data)


def base64_url(data: bytes, mime: str = "text/plain;charset=utf-8") -> str:
    return "data:%s;base64,%s" % (mime, base64.b64encode(data).decode())


def file(path, text, mode=0o644, how="percent"):
    data = text.encode() if isinstance(text, str) else text
    contents = {}
    if how == "percent":
        contents["source"] = percent(data)
    elif how == "base64":
        contents["source"] = base64_url(data)
    elif how == "gzip":
        packed = bytearray(gzip.compress(data, 9, mtime=0))
        packed[9] = 255  # operating system: unknown, so that every Python writes the same
        contents["compression"] = "gzip"
        contents["source"] = base64_url(bytes(packed), "")
        contents["verification"] = {"hash": "sha512-" + hashlib.sha512(data).hexdigest()}
    return {"contents": contents, "mode": mode, "overwrite": True, "path": path}


def proxy_env() -> str:
    return "".join([
        "# Egress settings of the cluster, written by its operators; do not edit on the node.\n",
        "# Services read this with 'EnvironmentFile=/etc/mco/proxy.env', where %40 and %% stay as they are.\n",
        "HTTP_PROXY=", PROXY, "\n",
        "HTTPS_PROXY=", PROXY, "\n",
        "NO_PROXY=", ",".join(NO_PROXY), "\n",
    ])


def bundle() -> str:
    names = ["corporate-root", "proxy-root", "corporate-intermediate"]
    return "".join((HERE / (name + ".pem")).read_text() for name in names)


def files():
    out = [
        file("/etc/mco/proxy.env", proxy_env()),
        file("/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt", bundle(), 0o600),
        file("/etc/kubernetes/apiserver-url.env", "KUBERNETES_SERVICE_HOST='api-int.sample.example.com'\nKUBERNETES_SERVICE_PORT='6443'\n"),
        file("/etc/kubernetes/kubelet.conf", "kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\nclusterDNS:\n- 172.30.0.10\n"),
        file("/etc/kubernetes/cloud.conf", ""),
        file("/etc/containers/registries.conf", 'unqualified-search-registries = ["registry.example.com"]\n', how="base64"),
        file("/etc/containers/policy.json", json.dumps({"default": [{"type": "insecureAcceptAnything"}]}) + "\n", how="base64"),
        file("/etc/crio/crio.conf.d/00-sample", "[crio.runtime]\nlog_level = \"info\"\n# 100% of the lines below are defaults\n", how="gzip"),
        file("/usr/local/bin/sample-wait-for-address.sh",
             "#!/bin/bash\n# Waits until the node has an address: \"ready\" is printed then.\nset -eu\nuntil ip -4 route get 1.1.1.1 >/dev/null; do sleep 1; done\necho ready\n", 0o755),
        file("/etc/motd.d/10-sample", "Gr\u00fc\u00dfe vom Cluster \u2013 \u65e5\u672c\n"),
    ]
    for n in range(12):
        out.append(file("/etc/sysctl.d/%02d-sample.conf" % n, "# setting %d of the sample\nvm.sample_%d = %d\n" % (n, n, n * 7)))
    for n in range(10):
        out.append(file("/etc/NetworkManager/conf.d/%02d-sample.conf" % n, "[connection-%d]\nipv6.addr-gen-mode=%d\n" % (n, n % 4), how="base64"))
    for n in range(10):
        text = "".join("line %d of the documentation file %d; it only makes the sample as long as a real config\n" % (i, n) for i in range(60))
        out.append(file("/usr/local/share/sample/doc-%02d.txt" % n, text, how="gzip" if n % 2 else "percent"))
    out.append({"path": "/etc/sample/touched", "mode": 0o644, "overwrite": True, "contents": {"source": ""}})
    return sorted(out, key=lambda f: f["path"])


def units():
    drop_in = {"name": "10-mco-default-env.conf", "contents": "[Service]\nEnvironmentFile=/etc/mco/proxy.env\n"}
    out = [{"name": name, "dropins": [drop_in]} for name in ("crio.service", "kubelet.service")]
    for n in range(18):
        text = ("[Unit]\nDescription=Sample unit %d\nAfter=network-online.target\n\n[Service]\nType=oneshot\nEnvironmentFile=/etc/mco/proxy.env\n"
                "ExecStart=/usr/bin/echo sample %d\n\n[Install]\nWantedBy=multi-user.target\n" % (n, n))
        out.append({"name": "sample-%02d.service" % n, "enabled": n % 3 != 0, "contents": text})
    return out


def document():
    spec = {
        "baseOSExtensionsContainerImage": "",
        "config": {"ignition": {"version": "3.4.0"},
                   "passwd": {"users": [{"name": "core", "sshAuthorizedKeys": ["ssh-ed25519 AAAASAMPLE sample@example.com"]}]},
                   "storage": {"files": files()}, "systemd": {"units": units()}},
        "extensions": [], "fips": False, "kernelArguments": ["systemd.unified_cgroup_hierarchy=1"], "kernelType": "default", "osImageURL": "",
    }
    name = "rendered-worker-" + hashlib.sha256(json.dumps(spec, sort_keys=True).encode()).hexdigest()[:32]
    return {
        "apiVersion": "machineconfiguration.openshift.io/v1",
        "kind": "MachineConfig",
        "metadata": {
            "annotations": {"machineconfiguration.openshift.io/generated-by-controller-version": "0" * 40},
            "creationTimestamp": "2026-01-15T10:20:30Z", "generation": 1, "name": name,
            "ownerReferences": [{"apiVersion": "machineconfiguration.openshift.io/v1", "blockOwnerDeletion": True, "controller": True,
                                 "kind": "MachineConfigPool", "name": "worker", "uid": "00000000-0000-4000-8000-000000000001"}],
            "resourceVersion": "4242", "uid": "00000000-0000-4000-8000-000000000002",
        },
        "spec": spec,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    text = json.dumps(document(), indent=4, ensure_ascii=True) + "\n"
    if parser.parse_args().check:
        if OUT.read_text() != text:
            sys.exit("%s differs from what make_sample.py writes; run it again" % OUT)
        return
    OUT.write_text(text)


if __name__ == "__main__":
    main()
