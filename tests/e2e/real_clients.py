"""Clients of the proxy variables that are on this machine, asked where they would connect to. Nothing is sent.

curl: the system's libcurl, and one in each folder that PROVISIONER_CURLS names (':' between them). Such a folder holds
the unpacked packages of one release of Debian: libcurl4t64, what it depends on, and libc6. `dpkg-deb -x PACKAGE FOLDER`
unpacks one. .NET: the SDK whose `dotnet` is on PATH. Python's urllib and requests, of each Python, and Java. Node.js: the
packages of npm in the folder node, which scripts/setup installs."""
import glob
import ipaddress
import json
import os
import pathlib
import re
import shutil
import subprocess

ORACLES = pathlib.Path(__file__).resolve().parent.parent / "differential"
NODES = pathlib.Path(__file__).resolve().parent / "node/node_modules"
LINKER = "lib64/ld-linux-x86-64.so.2"
PYTHONS = ["python3", "/usr/bin/python3"]  # often the same


class Missing(Exception):
    """What keeps a client from being asked, for a person."""


class Answer:
    """Where a client connects to first; host is None where it makes no connection."""

    def __init__(self, line):
        host, _, rest = line.partition(" ")
        self.host = None if host == "-" else bytes.fromhex(host).decode()
        self.port = None if host == "-" else int(rest)
        self.reason = rest if host == "-" else ""

    def __repr__(self):
        return "no request (%s)" % self.reason if self.host is None else "%s port %d" % (self.host, self.port)


class Client:
    def __init__(self, dialect, command):
        self.dialect = dialect
        self.command = command
        self.version = self.run([])[0]

    def run(self, rows):
        text = "".join("\t".join(field.encode().hex() for field in row) + "\n" for row in rows)
        environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
        result = subprocess.run(self.command, input=text, capture_output=True, text=True, env=environment)
        lines = result.stdout.splitlines()
        if result.returncode != 0 or len(lines) != len(rows) + 1:
            raise Missing("%s fails: %s" % (" ".join(map(str, self.command)), result.stderr.strip()[:500]))
        return lines

    def ask(self, rows):
        """`rows` of HTTP_PROXY, HTTPS_PROXY, NO_PROXY, URL, and names with addresses (HOST:PORT:ADDRESS …)."""
        return [Answer(line) for line in self.run(rows)[1:]]


def curl_dialect(version):
    """Which of our readings is this release's; None: none is known for it."""
    major, minor = map(int, re.match(r"(\d+)\.(\d+)", version).groups())
    if (major, minor) >= (8, 18):
        return "curl"
    return {(8, 14): "curl8", (7, 88): "curl7"}.get((major, minor))


def compile_curl_oracle(work):
    if shutil.which("cc") is None:
        raise Missing("a C compiler is missing (Debian package gcc)")
    program = work / "curl_oracle"
    result = subprocess.run(["cc", "-O1", "-o", program, ORACLES / "curl_oracle.c", "-ldl"], capture_output=True, text=True)
    if result.returncode != 0:
        raise Missing("curl_oracle.c can't be compiled (Debian package libcurl4-openssl-dev): " + result.stderr[:300])
    return program


def curls(work):
    """All of them, and what is missing."""
    found, lacking = [], []
    try:
        program = compile_curl_oracle(work)
    except Missing as error:
        return [], [str(error)]
    commands = [("the system's libcurl", [program])]
    for folder in filter(None, os.environ.get("PROVISIONER_CURLS", "").split(":")):
        root = pathlib.Path(folder)
        linker = next((path for path in (root / "usr" / LINKER, root / LINKER) if path.exists()), None)
        if linker is None:
            lacking.append("%s holds no %s" % (folder, LINKER))
            continue
        libraries = glob.glob(str(root / "usr/lib/*-linux-gnu")) + glob.glob(str(root / "lib/*-linux-gnu"))
        commands.append((folder, [linker, "--library-path", ":".join(libraries), program]))
    for name, command in commands:
        try:
            client = Client("", command)
        except Missing as error:
            lacking.append("%s: %s" % (name, error))
            continue
        client.dialect = curl_dialect(client.version)
        if client.dialect is None:
            lacking.append("%s: curl %s is between the releases that explain has readings for" % (name, client.version))
        elif client.dialect not in [one.dialect for one in found]:
            found.append(client)
    lacking += ["no curl for the reading %s (see PROVISIONER_CURLS in %s)" % (name, pathlib.Path(__file__).name)
                for name in ("curl7", "curl8", "curl") if name not in [one.dialect for one in found]]
    return found, lacking


def others():
    """urllib and requests, of each version that is here, Java, and what is missing."""
    found, lacking = {}, []
    oracle, java = ORACLES / "clients_oracle.py", ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", ORACLES / "ClientsOracle.java"]
    for dialect, command, package in [*(("python", [python, oracle], "python3") for python in PYTHONS),
                                      *(("requests", [python, oracle, "requests"], "python3-requests") for python in PYTHONS),
                                      ("java", ["java", *java], "openjdk-17-jdk-headless")]:
        try:
            client = Client(dialect, command)
            found.setdefault((dialect, client.version), client)
        except (Missing, OSError) as error:
            lacking.append("%s (Debian package %s): %s" % (dialect, package, str(error).splitlines()[-1]))
    return list(found.values()), lacking


def newest(pattern):
    found = glob.glob(pattern)
    if not found:
        raise Missing("this .NET has no %s" % pattern)
    return max(found, key=lambda path: [int(number) for number in re.findall(r"\d+", path)])


def dotnet(work):
    """The SDK's own compiler and reference assemblies: no package is needed."""
    program = shutil.which("dotnet")
    if program is None:
        raise Missing("no `dotnet` on PATH (the .NET SDK)")
    root = os.path.dirname(os.path.realpath(program))
    compiler = newest(root + "/sdk/*/Roslyn/bincore/csc.dll")
    runtime = newest(root + "/shared/Microsoft.NETCore.App/*")
    references = glob.glob(newest(root + "/packs/Microsoft.NETCore.App.Ref/*/ref/net*") + "/*.dll")
    output = work / "DotnetOracle.dll"
    environment = {**os.environ, "DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1"}
    result = subprocess.run([program, compiler, "-nologo", "-nostdlib", "-optimize", "-out:%s" % output,
                             *("-r:" + path for path in references), ORACLES / "DotnetOracle.cs"],
                            capture_output=True, text=True, env=environment)
    if result.returncode != 0:
        raise Missing("DotnetOracle.cs can't be compiled: " + (result.stdout + result.stderr)[:500])
    options = {"runtimeOptions": {"framework": {"name": "Microsoft.NETCore.App", "version": os.path.basename(runtime)},
                                  "configProperties": {"System.Globalization.Invariant": False}}}
    (work / "DotnetOracle.runtimeconfig.json").write_text(json.dumps(options))
    client = Client("dotnet", [program, output])
    client.dialect = "dotnet" if int(client.version.split(".")[0]) < 11 else "dotnet11"
    return client


def nodes():
    """Node's two ways to ask, of each version that is here, and what is missing."""
    found, lacking = [], []
    for package, fetch in [("node-24", "nodefetch24"), ("node-26", "nodefetch")]:
        try:
            for dialect, api in [("nodehttp", "http"), (fetch, "fetch")]:
                found.append(Client(dialect, [NODES / package / "bin/node", ORACLES / "node_oracle.mjs", api]))
        except (Missing, OSError) as error:
            lacking.append("Node.js (\"npm ci --ignore-scripts\" in tests/e2e/node): " + str(error).splitlines()[-1])
    return found, lacking


def same_host(one, other):
    """Names in any case or in punycode, addresses in any form."""
    def plain(host):
        host = host.strip("[]").lower()
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return host if host.isascii() else host.encode("idna").decode()
        return getattr(address, "ipv4_mapped", None) or address
    return plain(one) == plain(other)
