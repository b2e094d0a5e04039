"""What the end-to-end tests share: where things are, runs of programs, folders, small servers, and what is said of what is not run."""
import argparse
import hashlib
import http.server
import os
import pathlib
import shutil
import stat
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
SAMPLE = TESTS / "sample/rendered-worker.json"
SHARED = ROOT.parent / "shared"  # cases of others, beside the repository
SERVICES = ["--service", "containerd", "--service", "kubelet"]
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
PWSH = shutil.which(os.environ.get("PWSH", "pwsh"))  # PowerShell 7
# Debian's, of programs that are in one of another name.
PACKAGES = {"7z": "p7zip-full", "apt-get": "apt", "bsdtar": "libarchive-tools", "cc": "gcc", "ctr": "containerd", "dpkg-deb": "dpkg", "dpkg-shlibdeps": "dpkg-dev",
            "hivexregedit": "libwin-hivex-perl", "hivexsh": "libhivex-bin", "ip": "iproute2", "iptables-restore": "iptables", "isoinfo": "genisoimage",
            "kubectl": "kubernetes-client", "mitmdump": "mitmproxy", "mkntfs": "ntfs-3g", "nft": "nftables", "nginx": "nginx-light", "node": "nodejs",
            "objdump": "binutils", "qemu-img": "qemu-utils", "qemu-storage-daemon": "qemu-system-common", "rpmbuild": "rpm", "setpriv": "util-linux", "sfdisk": "fdisk",
            "unshare": "util-linux", "wimlib-imagex": "wimtools", "xmllint": "libxml2-utils"}


def argument():
    """The next argument of the test, a program or folder, as a path that holds everywhere."""
    return os.path.abspath(sys.argv.pop(1))


def options(**defaults):
    """The program, which is the test's first argument, and options with these defaults."""
    parser = argparse.ArgumentParser()
    parser.add_argument("provisioner", type=os.path.abspath)
    for name, default in defaults.items():
        parser.add_argument("--" + name, type=type(default), default=default)
    given, sys.argv[1:] = parser.parse_known_args()
    return given


# ---- what is not run: scripts/test lists what begins with this word

def end_unrun(reason):
    """Ends a test of which nothing can run here. 77 is ctest's SKIP_RETURN_CODE."""
    print("SKIPPED: %s: %s" % (pathlib.Path(sys.argv[0]).name, reason), flush=True)
    sys.exit(77)


def skip(case, reason):
    print("SKIPPED: %s: %s" % (case.id(), reason), flush=True)
    case.skipTest(reason)


def which(tool):
    return shutil.which(tool, path=PATH)


def missing(*tools):
    """What is not installed of these programs, with the packages, as one text; "": nothing."""
    return ", ".join("%s (Debian package %s)" % (tool, PACKAGES.get(tool, tool)) for tool in tools if not which(tool))


def need(case, *tools):
    if lacking := missing(*tools):
        skip(case, "missing: " + lacking)


# ---- programs

def run(*words, **options):
    return subprocess.run([str(word) for word in words], **{"capture_output": True, "text": True, **options})


def must(*words, **options):
    """Its standard output; an error where it fails."""
    done = run(*words, **options)
    if done.returncode != 0:
        raise RuntimeError("%s: exit %d\n%s%s" % (" ".join(map(str, words)), done.returncode, done.stdout[-2000:], done.stderr[-2000:]))
    return done.stdout


def powershell(*words, env=None, **options):
    """PowerShell with these words, and the variables `env` more."""
    variables = {**os.environ, "NO_COLOR": "1", "POWERSHELL_TELEMETRY_OPTOUT": "1", **(env or {})}
    return run(PWSH, "-NoProfile", "-NonInteractive", *words, **{"timeout": 300, **options, "env": variables})


def put_tool(path, text, shell="#!/bin/sh"):
    """A script that is found as a program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(shell + "\n" + text)
    path.chmod(0o755)
    return path


# ---- files

def folder(case, prefix="provisioner-e2e-", **options):
    """A new one, for as long as the test runs, or the tests of a class."""
    made = pathlib.Path(tempfile.mkdtemp(prefix=prefix, **options))
    (case.addClassCleanup if isinstance(case, type) else case.addCleanup)(shutil.rmtree, made, ignore_errors=True)
    return made


def digests(place):
    """{path: SHA-256, or where a link leads} of all files of a folder."""
    return {str(path.relative_to(place)): "-> " + os.readlink(path) if path.is_symlink() else hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(place.rglob("*")) if path.is_symlink() or path.is_file()}


def mode_of(path):
    return stat.S_IMODE(os.stat(path).st_mode)


# ---- servers

class Handler(http.server.BaseHTTPRequestHandler):
    """Logs nothing."""

    def log_message(self, *_):
        pass

    def reply(self, status, body, reason=None, **headers):
        """`headers`: with '_' for '-'."""
        self.send_response(status, reason)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)


def serve(case, handler, address="127.0.0.1", port=0):
    """A server whose requests a Handler answers, for as long as the test runs, or the tests of a class."""
    server = http.server.ThreadingHTTPServer((address, port), handler)
    server.daemon_threads = True
    add = case.addClassCleanup if isinstance(case, type) else case.addCleanup
    add(server.server_close)
    add(server.shutdown)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return server
