#!/usr/bin/env python3
"""Compares the program with its peers: paired runs in one go, ratios of minima and of medians, a Markdown table.

usage: bench.py BUILD_FOLDER WORK_FOLDER [--small]     (scripts/bench builds the one and makes the other)
  --small   every row once, with inputs so small that its figures say nothing: only whether all programs still run and still
            agree with each other

Times are CPU seconds of a process (user and system), which other work on the machine disturbs least; only starting a program is
measured by the clock on the wall.

Exit status: 0; 1 if a program failed or two disagreed; 10 for a wrong command line; 77 if --small finds nothing built.
"""
import base64
import hashlib
import json
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback

OPTIONS = [word for word in sys.argv[1:] if word.startswith("-")]
FOLDERS = [word for word in sys.argv[1:] if not word.startswith("-")]
if len(FOLDERS) != 2 or OPTIONS not in ([], ["--small"]):
    print(__doc__, file=sys.stderr)
    sys.exit(10)
BUILD, WORK = map(pathlib.Path, FOLDERS)
SMALL = bool(OPTIONS)
HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = BUILD / "tests/bench"
PROVISIONER, BENCH, MEASURE = BUILD / "provisioner", PROGRAMS / "provisioner_bench", PROGRAMS / "measure"
NEEDED = [PROVISIONER] + [PROGRAMS / name for name in ("provisioner_bench", "measure", "make_certificates", "hive_edit", "empty_static")]
SAMPLE = HERE.parent / "sample/rendered-worker.json"
PACKAGES = {"jq": "jq", "go": "golang-go", "openssl": "openssl", "hivexregedit": "libwin-hivex-perl"}  # Debian's
rows, missing = [], []


def amount(usual, small):
    return small if SMALL else usual


def rounds(usual):
    return amount(usual, 1)


FEW, MANY = amount(144, 3), amount(10000, 12)  # certificates
CONFIGS = (("small", amount(850_000, 30_000), FEW), ("large", amount(84_000_000, 120_000), MANY))


class Failed(Exception):
    """A program failed, or two of them disagree. The text says what to look at."""


def need(condition, message):
    if not condition:
        raise Failed(message)


def command_line(command):
    return shlex.join(map(str, command))


def complaint(command, status, stderr):
    """One text for a failed program: its command, to be run by hand, and the end of what it said."""
    said = stderr.decode(errors="replace").strip()[-2000:]
    return "exit status %d of: %s\n%s" % (status, command_line(command), said or "(it said nothing on standard error)")


def run(command):
    """Standard output of one run that is not measured."""
    result = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True)
    need(result.returncode == 0, complaint(command, result.returncode, result.stderr))
    return result.stdout


def process(command):
    """Wall and CPU seconds and peak KiB of one run."""
    read, write = os.pipe()
    with open(os.devnull) as source, open(os.devnull, "w") as sink, tempfile.TemporaryFile() as errors:
        child = subprocess.Popen([str(c) for c in (MEASURE, write, *command)], stdin=source, stdout=sink, stderr=errors, pass_fds=(write,))
        os.close(write)
        child.wait()
        errors.seek(0)
        said = errors.read()
    with os.fdopen(read) as result:
        words = result.read().split()
    need(len(words) == 4, "measure gave no figures (it writes four): " + complaint(command, child.returncode, said))
    wall, cpu, peak, status = map(int, words)
    need(status == 0, complaint(command, status, said))
    return wall / 1e9, cpu / 1e9, peak


def paired(ours, peer, times, figure):
    """Runs both in turn; lists of one figure (0 wall, 1 CPU) and our peak memory."""
    a, b, peak = [], [], 0
    for _ in range(times):
        result = process(ours)
        a.append(result[figure])
        peak = max(peak, result[2])
        b.append(process(peer)[figure])
    return sorted(a), sorted(b), peak


def shown(seconds):
    return "%.2f ms" % (seconds * 1e3) if seconds < 1 else "%.2f s" % seconds


def megabytes(size):
    return "%.0f MB" % (size / 1e6) if size >= 10e6 else "%.2f MB" % (size / 1e6)


def verdict(good):
    return amount("yes" if good else "**no**", "not measured: small inputs")


def row(work, against, ours, peer, wanted, note=""):
    """`ours` and `peer` are (minimum, median) in seconds; `wanted` the highest ratio that is good enough, if there is one."""
    low, middle = ours[0] / peer[0], ours[1] / peer[1]
    rows.append("| %s | %s | %s | %s | %.3g (%.3g) | %s | %s | %s |" %
                (work, against, shown(ours[0]), shown(peer[0]), low, middle, "" if wanted is None else "%.3g" % wanted,
                 "" if wanted is None else verdict(low <= wanted), note))
    print(rows[-1], flush=True)


def both(values):
    return values[0], values[len(values) // 2]


def in_process(command):
    """Minimum and median, and what it found, of a program that measures itself."""
    words = run(command).decode().split(maxsplit=2)
    need(len(words) == 3, "not two times and what was found, but %s: %s" % (" ".join(words) or "nothing", command_line(command)))
    return (int(words[0]) / 1e9, int(words[1]) / 1e9), words[2].strip()


def have(tool):
    if shutil.which(tool):
        return True
    missing.append("%s is not installed (Debian package %s): what is compared with it was left out" % (tool, PACKAGES[tool]))
    return False


def go_peer(name):
    """The program of peers/NAME.go, or None without Go. One that does not compile is a failure: left out, nobody would notice."""
    if not have("go"):
        return None
    out = WORK / ("peer-" + name)
    run(["go", "build", "-o", out, HERE / "peers" / (name + ".go")])
    return out


def remake(path):
    """Whether to make an input. Large ones are kept for the next run; small ones are not, so that making them is seen to work."""
    return SMALL or not path.exists()


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
    for count in (FEW, MANY):
        pem, reg = WORK / ("bundle-%d.pem" % count), WORK / ("certificates-%d.reg" % count)
        if remake(pem):
            new = pathlib.Path(str(pem) + ".new")
            new.write_bytes(run([PROGRAMS / "make_certificates", count]))
            new.rename(pem)  # one that was interrupted is not taken for a whole one
        write_blobs(pem, WORK / ("blobs-%d.bin" % count))
        if remake(reg):
            write_reg(pem, reg)
    for name, size, count in CONFIGS:
        path = WORK / (name + ".json")
        if remake(path):
            make_config(path, size, (WORK / ("bundle-%d.pem" % count)).read_bytes())


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


def digests(proxy, bundle):
    return hashlib.sha256(proxy).hexdigest(), hashlib.sha256(bundle).hexdigest()


def found_by_us(command):
    document = json.loads(run(command))
    return document["proxyFile"]["sha256"], document["trustBundle"]["sha256"], len(document["trustBundle"]["certificates"])


def bench_extract():
    go = go_peer("json")
    query = '.spec.config.storage.files[] | select(.path == "/etc/mco/proxy.env" or (.path | endswith("openshift-config-user-ca-bundle.crt"))) | .contents.source'
    jq_there = have("jq")
    for (name, _, count), times, jq_wanted in zip(CONFIGS, (15, 3), (1 / 4, 1 / 3)):
        path = WORK / (name + ".json")
        size = path.stat().st_size
        ours = [PROVISIONER, "extract", path]
        found = found_by_us(ours)
        need(found[2] == count, "extract found %d of the %d certificates of %s" % (found[2], count, path))
        work = "`extract`, %.2f MB, process CPU" % (size / 1e6)
        if jq_there:
            peer = ["jq", "-r", query, path]
            theirs = digests(*(base64.b64decode(line.partition(b",")[2]) for line in run(peer).splitlines()))
            need(found[:2] == theirs, "SHA-256 of the two files of %s: extract says %s, by jq they are %s" % (path, found[:2], theirs))
            a, b, peak = paired(ours, peer, rounds(times), 1)
            row(work, "jq", both(a), both(b), jq_wanted, "peak memory %.2f × the input" % (peak * 1024 / size))
        if go:
            proxy, _, number = run([go, path]).rstrip(b"\n").rpartition(b"\n")
            theirs = hashlib.sha256(proxy + b"\n").hexdigest(), int(number)
            need(theirs == (found[0], found[2]), "SHA-256 of proxy.env and certificates of %s: extract says %s and %d, peers/json.go %s and %d" % (path, found[0], found[2], *theirs))
            a, b, _ = paired(ours, [go, path], rounds(times), 1)
            row(work, "Go encoding/json, crypto/x509", both(a), both(b), None)


def bench_parse():
    path = WORK / "large.json"
    ours, found = in_process([BENCH, "extract", path, rounds(7)])
    need(re.fullmatch(r"\d+\+\d+", found), "provisioner_bench extract could not read %s: %s" % (path, found))
    peer, same = in_process([BENCH, "simdjson", path, rounds(7)])
    if same == "absent":
        missing.append("simdjson is not built in (Debian package libsimdjson-dev): parsing was not compared with it")
        return
    need(found == same, "bytes of the two files of %s (proxy.env+bundle): ours finds %s, simdjson %s" % (path, found, same))
    row("parse and decode in process, %s, CPU" % megabytes(path.stat().st_size), "simdjson on-demand", ours, peer, 1.3)


def bench_certificates():
    pem = WORK / ("bundle-%d.pem" % MANY)
    ours, found = in_process([BENCH, "certificates", pem, rounds(5)])
    need(found.startswith("%d/" % MANY), "%s holds %d certificates; provisioner_bench certificates found (all/roots): %s" % (pem, MANY, found))
    work = "%d certificates read and classified in process, CPU" % MANY
    if have("openssl"):
        peer = ["openssl", "storeutl", "-certs", "-noout", pem]
        total = re.search(rb"Total found: (\d+)", run(peer))
        need(total and int(total[1]) == MANY, "%s holds %d certificates; openssl storeutl: %s" % (pem, MANY, total and total[0].decode()))
        runs = sorted(process(peer)[1] for _ in range(rounds(5)))
        row(work, "openssl storeutl, process CPU", ours, both(runs), 1 / 15)
    go = go_peer("x509")
    if go:
        peer, same = in_process([go, pem, rounds(5)])
        need(same == str(MANY), "%s holds %d certificates; peers/x509.go read %s" % (pem, MANY, same))
        row(work, "Go crypto/x509 with the same digests", ours, peer, 1 / 2)


STORE = r"Microsoft\SystemCertificates\ROOT\Certificates"


def same_store(ours, theirs):
    """That both hives hold the same certificates, as hivexregedit reads them."""
    a, b = (run(["hivexregedit", "--export", hive, "\\" + STORE]).decode().split("\n[") for hive in (ours, theirs))
    differing = sorted(set(a) ^ set(b))
    need(not differing, "the certificates of %s and %s differ, in %d keys; one that only one of them has: %.200s" % (ours, theirs, len(differing), differing[:1]))


def bench_hive():
    if not have("hivexregedit"):
        return
    minimal = WORK / "minimal.hiv"
    empty = WORK / "empty.pem"
    empty.write_text("")
    run([BENCH, "hive", empty, minimal])
    for count, pairs, more, wanted in ((FEW, 9, 0, 1 / 3), (MANY, 1, 6, 1 / 200)):
        out, target = WORK / "ours.hiv", WORK / "theirs.hiv"
        command = [BENCH, "hive", WORK / ("bundle-%d.pem" % count), out]
        ours, theirs = [], []
        for _ in range(rounds(pairs)):
            ours.append(process(command)[1])
            shutil.copy(minimal, target)
            theirs.append(process(["hivexregedit", "--merge", target, WORK / ("certificates-%d.reg" % count)])[1])
        ours += [process(command)[1] for _ in range(more and rounds(more))]  # the peer takes a minute
        same_store(out, target)
        row("new hive with %d certificates from PEM, process CPU" % count, "hivexregedit --merge of the same blobs", both(sorted(ours)), both(sorted(theirs)), wanted,
            "%.2f MB, theirs %.1f MB" % (out.stat().st_size / 1e6, target.stat().st_size / 1e6))


def bench_hive_edit():
    ours, peer = PROGRAMS / "hive_edit", PROGRAMS / "hivex_edit"
    if not peer.exists():
        missing.append("hivex_edit is not built (Debian package libhivex-dev): editing hives was not compared with libhivex")
        return
    large, out, target = WORK / "large.hiv", WORK / "ours.hiv", WORK / "theirs.hiv"
    if remake(large):
        run([ours, "make", amount(300, 3), large])
    before = large.stat().st_size
    for count, pairs, more, wanted in ((FEW, 15, 0, 1.5), (MANY, 1, 6, 1 / 100)):
        blobs = WORK / ("blobs-%d.bin" % count)
        a, b, _ = paired([ours, blobs, large, out], [peer, blobs, large, target], rounds(pairs), 1)
        a = sorted(a + [process([ours, blobs, large, out])[1] for _ in range(more and rounds(more))])
        if have("hivexregedit"):
            same_store(out, target)
        grown, theirs = (path.stat().st_size - before for path in (out, target))
        payload = blobs.stat().st_size - 4 * count  # names and blobs
        row("%d certificates into a hive of %s, verified, process CPU" % (count, megabytes(before)), "libhivex, unverified", both(a), both(b), wanted,
            "grows by %.2f × the payload, theirs by %.2f ×" % (grown / payload, theirs / payload))


def bench_start():
    a, b, _ = paired([PROVISIONER, "--help"], [PROGRAMS / "empty_static"], rounds(200), 0)
    row("`--help`, process, wall", "an empty static program", both(a), both(b), 3)


def machine():
    model = next((l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")), platform.machine())
    memory = next(int(l.split()[1]) // 1048576 for l in open("/proc/meminfo") if l.startswith("MemTotal"))
    return "%s, %d CPUs, %d GiB, %s" % (model, os.cpu_count(), memory, platform.freedesktop_os_release().get("PRETTY_NAME", platform.system()))


def check_built():
    absent = [path for path in NEEDED if not path.exists()]
    if not absent:
        return
    how = "cmake --build %s --target bench_programs" % BUILD
    if SMALL and not any(path.exists() for path in NEEDED if path.parent == PROGRAMS):
        print("SKIPPED: the benchmark's programs are not built (%s)" % how)
        sys.exit(77)
    sys.exit("bench.py: not built: %s (%s)" % (", ".join(map(str, absent)), how))


def cpu_seconds():
    return sum(os.times()[:4])  # of this process and of those that it waited for


def main():
    began = cpu_seconds()
    check_built()
    WORK.mkdir(parents=True, exist_ok=True)
    inputs()
    print("Measured on %s; load %.1f at the start.\n" % (machine(), os.getloadavg()[0]))
    print("| work | against | ours, minimum | theirs, minimum | ratio of minima (medians) | wanted | met | |\n|---|---|---|---|---|---|---|---|", flush=True)
    failed = 0
    for part in (bench_start, bench_extract, bench_parse, bench_certificates, bench_hive, bench_hive_edit):
        try:
            part()
        except Exception as error:  # the other rows are worth having
            failed += 1
            print("FAILED: %s: %s" % (part.__name__, error if isinstance(error, Failed) else traceback.format_exc()), file=sys.stderr, flush=True)
    for line in dict.fromkeys(missing):
        print("\nSKIPPED: " + line)
    if SMALL:
        print("\n%d rows, %.1f s of CPU" % (len(rows), cpu_seconds() - began))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
