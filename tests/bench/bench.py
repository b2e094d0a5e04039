#!/usr/bin/env python3
"""Compares the program with its peers: paired runs in one go, ratios of minima and of medians, a Markdown table.

usage: bench.py BUILD_FOLDER WORK_FOLDER     (scripts/bench builds both)

Times are CPU seconds of a process (user and system), which other work on the machine disturbs least; only starting a program is
measured by the clock on the wall.
"""
import base64
import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import time

BUILD, WORK = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "e2e"))
import machine_config_server
PROVISIONER, BENCH, MEASURE = BUILD / "provisioner", BUILD / "tests/bench/provisioner_bench", BUILD / "tests/bench/measure"
SAMPLE = HERE.parent / "sample/rendered-worker.json"
rows, missing = [], []


def process(command, stdin=None):
    """Wall and CPU seconds and peak KiB of one run."""
    read, write = os.pipe()
    with open(stdin or os.devnull) as source, open(os.devnull, "w") as sink:
        child = subprocess.Popen([str(c) for c in (MEASURE, write, *command)], stdin=source, stdout=sink, stderr=sink,
                                 pass_fds=(write,))
        os.close(write)
        child.wait()
    with os.fdopen(read) as result:
        wall, cpu, peak, status = (int(word) for word in result.read().split())
    if status != 0:
        raise RuntimeError("%s: exit %d" % (command, status))
    return wall / 1e9, cpu / 1e9, peak


def paired(ours, peer, rounds, figure):
    """Runs both in turn; lists of one figure (0 wall, 1 CPU) and our peak memory."""
    a, b, peak = [], [], 0
    for _ in range(rounds):
        result = process(ours)
        a.append(result[figure])
        peak = max(peak, result[2])
        b.append(process(peer)[figure])
    return sorted(a), sorted(b), peak


def shown(seconds):
    return "%.2f ms" % (seconds * 1e3) if seconds < 1 else "%.2f s" % seconds


def row(work, against, ours, peer, wanted, note=""):
    """`ours` and `peer` are (minimum, median) in seconds; `wanted` the highest ratio that is good enough, if there is one."""
    low, middle = ours[0] / peer[0], ours[1] / peer[1]
    verdict = "" if wanted is None else "yes" if low <= wanted else "**no**"
    rows.append("| %s | %s | %s | %s | %.3g (%.3g) | %s | %s | %s |" %
                (work, against, shown(ours[0]), shown(peer[0]), low, middle, "" if wanted is None else "%.3g" % wanted, verdict, note))
    print(rows[-1], flush=True)


def both(values):
    return values[0], values[len(values) // 2]


def in_process(command):
    words = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=True).stdout.split()
    return (int(words[0]) / 1e9, int(words[1]) / 1e9), words[2]


def have(tool):
    if shutil.which(tool):
        return True
    missing.append("%s is not installed: what is compared with it was left out" % tool)
    return False


def make_config(path, size, bundle):
    """A rendered-worker of about `size` bytes: plain files of 4 KiB as base64, the two wanted ones among them."""
    url = lambda data: "data:text/plain;charset=utf-8;base64," + base64.b64encode(data).decode()
    entry = lambda name, data: {"contents": {"source": url(data)}, "mode": 420, "overwrite": True, "path": name}
    proxy = b"HTTP_PROXY=http://u:p%40ss@proxy.example.com:3128\nHTTPS_PROXY=http://u:p%40ss@proxy.example.com:3128\nNO_PROXY=.svc,localhost\n"
    filler = (b"a line of configuration text, of the length that such lines have\n" * 64)[:4096]
    wanted = [entry("/etc/mco/proxy.env", proxy),
              entry("/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt", bundle)]
    count = max(0, (size - len(json.dumps(wanted))) // (len(json.dumps(entry("/usr/share/filler/000000", filler))) + 2))
    files = [entry("/usr/share/filler/%06d" % n, filler) for n in range(count)]
    files[count // 2:count // 2] = wanted
    document = {"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfig",
                "metadata": {"name": "rendered-worker-" + "0" * 32},
                "spec": {"config": {"ignition": {"version": "3.4.0"}, "storage": {"files": files}}}}
    path.write_text(json.dumps(document, separators=(",", ":")))


def inputs():
    for count in (144, 10000):
        pem = WORK / ("bundle-%d.pem" % count)
        if not pem.exists():
            with open(str(pem) + ".new", "wb") as out:
                subprocess.run([BUILD / "tests/bench/make_certificates", str(count)], stdout=out, check=True)
            os.rename(str(pem) + ".new", pem)
    for name, size, count in (("small", 850_000, 144), ("medium", 20_000_000, 144), ("large", 84_000_000, 10000)):
        path = WORK / (name + ".json")
        if not path.exists():
            make_config(path, size, (WORK / ("bundle-%d.pem" % count)).read_bytes())
    for count in (144, 10000):
        write_blobs(WORK / ("bundle-%d.pem" % count), WORK / ("blobs-%d.bin" % count))
    for count in (144, 10000):
        reg = WORK / ("certificates-%d.reg" % count)
        if not reg.exists():
            write_reg(WORK / ("bundle-%d.pem" % count), reg)


def certificate_blobs(pem):
    """Name of the key and blob of each certificate, as stores of Windows have them."""
    for block in pem.read_text().split("-----BEGIN CERTIFICATE-----")[1:]:
        der = base64.b64decode(block.split("-----END")[0])
        prop = lambda number, data: number.to_bytes(4, "little") + b"\1\0\0\0" + len(data).to_bytes(4, "little") + data
        digest = hashlib.sha1(der)
        yield digest.hexdigest().upper(), prop(3, digest.digest()) + prop(32, der)


def write_blobs(pem, out):
    """What hive_edit and its peer take."""
    out.write_bytes(b"".join(name.encode() + len(blob).to_bytes(4, "little") + blob for name, blob in certificate_blobs(pem)))


def write_reg(pem, reg):
    """The same blobs as hivexregedit takes them."""
    lines = ["Windows Registry Editor Version 5.00\n"]
    for key in ("Microsoft", r"Microsoft\SystemCertificates", r"Microsoft\SystemCertificates\ROOT", r"Microsoft\SystemCertificates\ROOT\Certificates"):
        lines.append("[\\%s]\n" % key)
    for name, blob in certificate_blobs(pem):
        lines.append("[\\Microsoft\\SystemCertificates\\ROOT\\Certificates\\%s]\n\"Blob\"=hex:%s\n" % (name, ",".join("%02x" % b for b in blob)))
    reg.write_text("\n".join(lines))


def bench_extract():
    go = WORK / "peer-json"
    go_there = have("go") and subprocess.run(["go", "build", "-o", go, HERE / "peers/json.go"]).returncode == 0
    query = '.spec.config.storage.files[] | select(.path == "/etc/mco/proxy.env" or (.path | endswith("openshift-config-user-ca-bundle.crt"))) | .contents.source'
    jq_there = have("jq")
    for name, rounds, jq_wanted in (("small", 15, 1 / 4), ("medium", 5, 1 / 3), ("large", 3, 1 / 3)):
        path = WORK / (name + ".json")
        size = path.stat().st_size
        ours = [PROVISIONER, "extract", path]
        work = "`extract`, %.2f MB, process CPU" % (size / 1e6)
        if jq_there:
            a, b, peak = paired(ours, ["jq", "-r", query, path], rounds, 1)
            row(work, "jq", both(a), both(b), jq_wanted, "peak memory %.2f × the input" % (peak * 1024 / size))
        if go_there:
            a, b, _ = paired(ours, [go, path], rounds, 1)
            row(work, "Go encoding/json, crypto/x509", both(a), both(b), None)


def bench_parse():
    path = WORK / "large.json"
    ours, found = in_process([BENCH, "extract", path, 7])
    peer, same = in_process([BENCH, "simdjson", path, 7])
    if same == "absent":
        missing.append("simdjson is not installed: parsing was not compared with it")
        return
    assert found == same, (found, same)
    row("parse and decode in process, %.0f MB, CPU" % (path.stat().st_size / 1e6), "simdjson on-demand", ours, peer, 1.3)


def bench_certificates():
    go = WORK / "peer-x509"
    go_there = have("go") and subprocess.run(["go", "build", "-o", go, HERE / "peers/x509.go"]).returncode == 0
    for count, rounds in ((144, 60), (10000, 5)):
        pem = WORK / ("bundle-%d.pem" % count)
        ours, found = in_process([BENCH, "certificates", pem, rounds])
        assert found.startswith("%d/" % count), found
        work = "%d certificates read and classified in process, CPU" % count
        if have("openssl"):
            runs = sorted(process(["openssl", "storeutl", "-certs", "-noout", pem])[1] for _ in range(5))
            row(work, "openssl storeutl, process CPU", ours, both(runs), 1 / 15)
        if go_there:
            peer, same = in_process([go, pem, rounds])
            assert int(same) == count, same
            row(work, "Go crypto/x509 with the same digests", ours, peer, 1 / 2)


def bench_no_change():
    """What a service does at each round while nothing changes; there is no peer, so the limit stands in its place."""
    for work in ("status", "plan"):
        ours, found = in_process([BENCH, work, WORK / "bundle-144.pem", 60])
        assert found.startswith("15"), found  # 144 certificates, variables, services, WinHTTP views
        assert found.endswith("/0"), found
        row("`%s` in process where nothing changed, 144 certificates, CPU" % work, "5 ms", ours, (0.005, 0.005), 1)


def bench_hive():
    if not have("hivexregedit"):
        return
    minimal = WORK / "minimal.hiv"
    empty = WORK / "empty.pem"
    empty.write_text("")
    subprocess.run([BENCH, "hive", empty, minimal], check=True)
    for count, rounds, wanted in ((144, 9, 1 / 3), (10000, 1, 1 / 200)):
        out = WORK / "ours.hiv"
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(process([BENCH, "hive", WORK / ("bundle-%d.pem" % count), out])[1])
            target = WORK / "theirs.hiv"
            shutil.copy(minimal, target)
            theirs.append(process(["hivexregedit", "--merge", target, WORK / ("certificates-%d.reg" % count)])[1])
        if rounds == 1:
            ours += [process([BENCH, "hive", WORK / ("bundle-%d.pem" % count), out])[1] for _ in range(6)]
        row("new hive with %d certificates from PEM, process CPU" % count, "hivexregedit --merge of the same blobs", both(sorted(ours)), both(sorted(theirs)), wanted,
            "%.2f MB, theirs %.1f MB" % (out.stat().st_size / 1e6, (WORK / "theirs.hiv").stat().st_size / 1e6))


def bench_hive_edit():
    ours, peer = BUILD / "tests/bench/hive_edit", BUILD / "tests/bench/hivex_edit"
    if not peer.exists():
        missing.append("libhivex-dev is not installed: editing hives was not compared with libhivex")
        return
    large = WORK / "large.hiv"
    if not large.exists():
        subprocess.run([ours, "make", large], check=True)
    before = large.stat().st_size
    for count, rounds, wanted in ((144, 15, 1.5), (10000, 1, 1 / 100)):
        blobs = WORK / ("blobs-%d.bin" % count)
        a, b, _ = paired([ours, blobs, large, WORK / "ours.hiv"], [peer, blobs, large, WORK / "theirs.hiv"], rounds, 1)
        if rounds == 1:
            a = sorted(a + [process([ours, blobs, large, WORK / "ours.hiv"])[1] for _ in range(6)])
        grown, theirs = ((WORK / name).stat().st_size - before for name in ("ours.hiv", "theirs.hiv"))
        payload = blobs.stat().st_size - 4 * count  # names and blobs
        row("%d certificates into a hive of %.0f MB, verified, process CPU" % (count, before / 1e6), "libhivex, unverified", both(a), both(b), wanted,
            "grows by %.2f × the payload, theirs by %.2f ×" % (grown / payload, theirs / payload))


def write_nodes(path, count):
    path.write_text("name,address,gateway,dns,mac\n" + "".join(
        "node-%05d,10.%d.%d.5/24,10.%d.%d.1,10.0.0.2,00-15-5D-%02X-%02X-00\n" % (n, 1 + n // 250, n % 250, 1 + n // 250, n % 250, n // 250, n % 250)
        for n in range(count)))


def bake_nodes(count, form, out):
    return [PROVISIONER, "bake", SAMPLE, "--out", out, "--format", form, "--nodes", WORK / ("nodes-%d.csv" % count), "--service", "containerd"]


def members(path):
    with tarfile.open(path) as tar:
        return {m.name: hashlib.sha256(tar.extractfile(m).read()).digest() for m in tar if m.isfile()}


def fleet_templates(folder, node):
    """What the peer renders: the files of one node with its values taken out."""
    folder.mkdir(exist_ok=True)
    for path in sorted(node.iterdir()):
        text = path.read_bytes().decode()
        text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "{{.Id}}", text)
        for value, name in (("node-00000", "Name"), ("10.1.0.5/24", "Address}}/{{.Prefix"), ("10.1.0.5", "Address"), ("255.255.255.0", "Netmask"), ("10.1.0.1", "Gateway"),
                            ("10.0.0.2", "Dns"), ("00:15:5d:00:00:00", "Mac"), ("00-15-5D-00-00-00", "Adapter")):
            text = text.replace(value, "{{.%s}}" % name)
        (folder / path.name).write_bytes(text.encode())


def bench_fleet():
    for count in (1, 1000, 10000):
        write_nodes(WORK / ("nodes-%d.csv" % count), count)
    one = WORK / "one"
    shutil.rmtree(one, ignore_errors=True)
    subprocess.run([str(word) for word in bake_nodes(1, "dir", one)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    ours = WORK / "fleet.tar"
    tar = bake_nodes(10000, "tar", ours)
    peer = WORK / "peer-fleet"
    if have("go") and subprocess.run(["go", "build", "-o", peer, HERE / "peers/fleet.go"]).returncode == 0:
        fleet_templates(WORK / "fleet-templates", one / "nodes/node-00000")
        theirs = WORK / "peer-fleet.tar"
        a, b, peak = paired(tar, [peer, one / "common", WORK / "fleet-templates", WORK / "nodes-10000.csv", theirs], 5, 1)
        assert members(ours) == members(theirs)
        row("10000 nodes into one tar of %.0f MB, process CPU" % (ours.stat().st_size / 1e6), "Go text/template, archive/tar", both(a), both(b), 1 / 4, "peak memory %.0f MiB" % (peak / 1024))
    per_node = sorted(process(bake_nodes(10000, "tgz", WORK / "fleet.tgz"))[1] / 10000 for _ in range(3))
    packed = sorted(process(["tar", "-C", one, "-czf", WORK / "one.tgz", "."])[1] for _ in range(9))
    row("tgz of 10000 nodes, process CPU of a node", "`tar -z` of one", both(per_node), both(packed), 1 / 20, "%.1f MB" % ((WORK / "fleet.tgz").stat().st_size / 1e6))
    for count, form in ((10000, "tar"), (10000, "tgz"), (10000, "zip"), (1000, "iso")):
        out = WORK / ("memory-" + form)
        shutil.rmtree(out, ignore_errors=True)
        peak = process(bake_nodes(count, form, out))[2]
        rows.append("| %d nodes, `--format %s`, peak memory | 64 MiB | %.1f MiB | | %.2g | 1 | %s | |" % (count, form, peak / 1024, peak / 65536, "yes" if peak < 65536 else "**no**"))
        print(rows[-1], flush=True)


def bench_explain():
    words = subprocess.run([BUILD / "tests/bench/explain_bench", "50"], capture_output=True, text=True, check=True).stdout.split()
    ours, noted = int(words[0]) / 1e6, int(words[3]) / 1e6
    rows.append("| `explain` of 10,000 destinations × 10 clients, in process, CPU | 50 ms | %.1f ms | | %.2g | 1 | %s | %.1f ms with a note for each |" % (ours, ours / 50, "yes" if ours <= 50 else "**no**", noted))
    print(rows[-1], flush=True)


def bench_drive():
    if not have("genisoimage"):
        return
    payload = WORK / "drive-payload"
    shutil.rmtree(payload, ignore_errors=True)
    subprocess.run([PROVISIONER, "bake", SAMPLE, "--out", payload, "--service", "containerd"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    tree = WORK / "drive-tree"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(payload, tree / "provisioner")
    (tree / "openstack/latest").mkdir(parents=True)
    for name in ("meta_data.json", "user_data"):
        (tree / "openstack/latest" / name).write_text("x" * 1000)
    theirs = sorted(process(["genisoimage", "-quiet", "-J", "-R", "-V", "config-2", "-o", WORK / "theirs.iso", tree])[1] for _ in range(25))
    ours, size = in_process([BUILD / "tests/bench/drive_bench", payload, WORK / "ours.iso", 200])
    row("a drive with the sample's payload, in process, CPU", "genisoimage, process CPU", ours, both(theirs), 1 / 10, "%s bytes, theirs %d" % (size, (WORK / "theirs.iso").stat().st_size))
    whole = [PROVISIONER, "bake", SAMPLE, "--out", WORK / "whole.iso", "--format", "iso", "--label", "config-2", "--service", "containerd"]
    a = sorted(process(whole)[1] for _ in range(25))
    row("`bake --format iso` of the sample, process CPU", "genisoimage, process CPU", both(a), both(theirs), None, "reads, decides and renders the payload, too")


def bench_poll():
    if not have("openssl"):
        return
    keys = WORK / "poll-keys"
    shutil.rmtree(keys, ignore_errors=True)
    keys.mkdir()
    ca = machine_config_server.Authority(keys, "ca")
    server = machine_config_server.Server(*ca.leaf())
    server.pools["worker"] = machine_config_server.config("http://proxy.example.com:3128", [ca], size=350000)
    words = subprocess.run([BUILD / "tests/bench/poll_bench", server.mcs(), ca.pem, "60"], capture_output=True, text=True, check=True).stdout.split()
    server.close()
    poll, transfer, reading = ((int(words[i]) / 1e9, int(words[i + 1]) / 1e9) for i in (0, 2, 4))
    more = poll[0] - transfer[0]
    row("a poll of a Machine Config Server where nothing changed, 350 KB, CPU", "the transfer alone", poll, transfer, None,
        "%s beyond the transfer (wanted: 5 ms: %s); %s where it changed" % (shown(more), "yes" if more <= 0.005 else "**no**", shown(reading[0] - transfer[0])))


def bench_start():
    a, b, _ = paired([PROVISIONER, "--help"], [BUILD / "tests/bench/empty_static"], 200, 0)
    row("`--help`, process, wall", "an empty static program", both(a), both(b), 3)


def machine():
    model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.machine())
    memory = next(int(l.split()[1]) // 1048576 for l in open("/proc/meminfo") if l.startswith("MemTotal"))
    return "%s, %d CPUs, %d GiB, %s" % (model, os.cpu_count(), memory, platform.freedesktop_os_release().get("PRETTY_NAME", platform.system()))


WORK.mkdir(parents=True, exist_ok=True)
inputs()
print("Measured on %s; load %.1f at the start.\n" % (machine(), os.getloadavg()[0]))
print("| work | against | ours, minimum | theirs, minimum | ratio of minima (medians) | wanted | met | |\n|---|---|---|---|---|---|---|---|")
for part in (bench_start, bench_extract, bench_parse, bench_certificates, bench_no_change, bench_poll, bench_hive, bench_hive_edit, bench_drive, bench_explain, bench_fleet):
    part()
for line in dict.fromkeys(missing):
    print("\nNot compared: " + line)
