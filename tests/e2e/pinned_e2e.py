#!/usr/bin/env python3
"""Compares every file that bake makes of ten samples with the digests in tests/golden/artefacts.json.

usage: pinned_e2e.py PROVISIONER [--update]     --update: write the file anew; read its difference before it is committed

A byte that changes is then a decision, seen in review, and never a side effect. What other libraries compress or lay out
(tgz, zip, iso, and user data's container) is compared only where they are those of the file."""
import ctypes
import hashlib
import json
import pathlib
import sys
import tempfile
import zlib

from delivery import NODES, bake
from harness import SERVICES, TESTS
from program_file import make_program

PINNED = TESTS / "golden/artefacts.json"
SOURCES = TESTS / "golden/sources"
PLATFORMS = ("aws", "azure", "gcp", "vsphere", "nutanix", "openstack", "none")
# Each choice that changes what is baked stands with one sample.
SAMPLES = {
    "rendered-worker.json": (TESTS / "sample/rendered-worker.json", SERVICES),
    "aks-arm.json": (SOURCES / "aks-arm.json", ["--add-cluster-suffixes", *SERVICES]),
    "aks-show.json": (SOURCES / "aks-show.json", ["--with-wmco", *SERVICES]),
    "bundle.pem": (SOURCES / "bundle.pem", []),
    "config-map.yaml": (SOURCES / "config-map.yaml", []),
    "controller-config.json": (SOURCES / "controller-config.json", ["--credentials", "services", *SERVICES]),
    "install-config.yaml": (SOURCES / "install-config.yaml", ["--winhttp-octets", *SERVICES]),
    "proxy-list.json": (SOURCES / "proxy-list.json", ["--credentials", "none", "--generation", "7"]),
    "proxy.env": (SOURCES / "proxy.env", ["--scope", "machine,services,winhttp,wininet", "--service", "containerd"]),
    "proxy.yaml": (SOURCES / "proxy.yaml", ["--scope", "certs"]),
}
MADE_BY_LIBRARIES = ("tgz", "zip", "iso", "userdata")


def libraries():
    """What else than this program decides the bytes of the forms above."""
    try:
        function = ctypes.CDLL("libarchive.so.13").archive_version_string
        function.restype = ctypes.c_char_p
        archive = function().decode()
    except OSError:
        archive = None
    return {"zlib": zlib.ZLIB_RUNTIME_VERSION, "libarchive": archive}


def forms():
    """name of the form: options of bake."""
    yield "dir", []
    for form in ("tar", "tgz", "zip"):
        yield form, ["--format", form]
    yield "iso", ["--format", "iso"]
    for platform in PLATFORMS:
        yield "userdata/" + platform, ["--format", "userdata", "--platform", platform]


def more_forms(inputs):
    """Those that one sample shows."""
    yield "iso/cidata", ["--format", "iso", "--label", "cidata"]
    yield "dir/exe", ["--exe", inputs / "provisioner.exe"]
    yield "dir/unattend", ["--unattend", TESTS / "golden/unattend/list-with-commands.before.xml"]
    yield "dir/nodes", ["--nodes", inputs / "nodes.csv"]
    yield "tar/nodes", ["--nodes", inputs / "nodes.csv", "--format", "tar"]
    yield "iso/nodes", ["--nodes", inputs / "nodes.csv", "--format", "iso"]
    yield "iso/nodes-cidata", ["--nodes", inputs / "nodes.csv", "--format", "iso", "--label", "cidata"]
    aws = ["--format", "userdata", "--platform", "aws"]
    yield "userdata/aws-exe-url", [*aws, "--exe-url", "https://files.example.com/provisioner.exe#sha256=" + "ab" * 32]
    yield "userdata/aws-ca-transport", [*aws, "--ca-transport", "https://files.example.com/ca.pem#sha256=" + digest(inputs / "payload/trust/bundle.pem")]
    yield "userdata/aws-append", [*aws, "--append-to", inputs / "script.txt"]
    yield "userdata/aws-secret", [*aws, "--secret", "egress-user-data"]


def make(source, out, options):
    # A payload names the file that its settings are from; where this folder lies must not count.
    result = bake(out, *options, source=source.relative_to(TESTS), services=(), cwd=TESTS)
    if result.returncode != 0:
        sys.exit("%s %s\nexit %d\n%s%s" % (source, options, result.returncode, result.stdout, result.stderr))


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def artefacts():
    """"SAMPLE FORM PATH" to SHA-256, of everything that is baked."""
    out = {}
    with tempfile.TemporaryDirectory(prefix="provisioner-pinned-") as folder:
        inputs = pathlib.Path(folder) / "inputs"
        inputs.mkdir()
        (inputs / "nodes.csv").write_text(NODES)
        (inputs / "script.txt").write_text("<powershell>\nWrite-Output 'ours'\n</powershell>\n")
        (inputs / "provisioner.exe").write_bytes(make_program(bytes(range(256)) * 16))
        for number, (name, (source, options)) in enumerate(SAMPLES.items()):
            if number == 0:
                make(source, inputs / "payload", options)
            wanted = [*forms(), *(more_forms(inputs) if number == 0 else ())]
            for count, (form, more) in enumerate(wanted):
                made = pathlib.Path(folder) / ("%d-%d" % (number, count))
                make(source, made, [*options, *more])
                if made.is_file():
                    out["%s %s" % (name, form)] = digest(made)
                for path in sorted(made.rglob("*")) if made.is_dir() else ():
                    if path.is_file():
                        out["%s %s %s" % (name, form, path.relative_to(made).as_posix())] = digest(path)
    return out


def is_comparable(name, same_libraries):
    return same_libraries or name.split(" ")[1].split("/")[0] not in MADE_BY_LIBRARIES


def main():
    if sys.argv[1:] not in ([], ["--update"]):
        sys.exit(__doc__)
    found = artefacts()
    if sys.argv[1:]:
        PINNED.write_text(json.dumps({"schema": 1, "libraries": libraries(), "artefacts": found}, indent=1) + "\n")
        print("%d artefacts are pinned" % len(found))
        return 0
    pinned = json.loads(PINNED.read_text())
    same_libraries = pinned["libraries"] == libraries()
    differing = 0
    for name in sorted(pinned["artefacts"].keys() | found.keys()):
        old, new = pinned["artefacts"].get(name), found.get(name)
        if old != new and is_comparable(name, same_libraries):
            differing += 1
            print("differs: %s\n  pinned %s\n  now    %s" % (name, old or "none", new or "none"))
    compared = sum(is_comparable(name, same_libraries) for name in found)
    if not same_libraries:
        print("NOT COMPARED: %d artefacts that %s made there; here it is %s" % (len(found) - compared, pinned["libraries"], libraries()))
    print("%d artefacts compared, %d differ%s" % (compared, differing, "; --update writes tests/golden/artefacts.json anew" if differing else ""))
    assert compared > 100, "too little was compared"
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
