"""A machine that runs user data under a real PowerShell 7: its registry, certificate stores and the web are one JSON store.

The baked scripts are run as they are, but for a few names: PowerShell 7 lacks a method that Windows PowerShell has, and
.NET has no registry outside of Windows. ADAPTED says what stands for what; stand-ins.ps1 has the substitutes."""
import base64
import gzip
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import fakes

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import user_data_reader  # noqa: E402

STAND_INS = HERE / "stand-ins.ps1"
ADAPTED = [(b"[Microsoft.Win32.RegistryKey]", b"[StandInKey]"), (b"[IO.Directory]", b"[StandInDirectory]"),
           (b"[IO.File]", b"[StandInFile]"), (b"Security.AccessControl.DirectorySecurity", b"StandInSecurity"),
           (b"[Security.Principal.NTAccount]", b"[StandInAccount]"), (b"$PSHOME\\", b"$env:FAKE_PSHOME\\")]

CONTROL = "HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\"
ENVIRONMENT = CONTROL + "Environment"
BOOT = CONTROL + "Memory Management\\PrefetchParameters"
SERVICES = "HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Services\\"
CONNECTIONS = "Microsoft\\Windows\\CurrentVersion\\Internet Settings\\Connections"
WINHTTP = ["HKEY_LOCAL_MACHINE\\SOFTWARE\\" + CONNECTIONS, "HKEY_LOCAL_MACHINE\\SOFTWARE\\WOW6432Node\\" + CONNECTIONS]

# A program of Windows is a program of this file: TOOL ARGUMENT...
TOOL = "#!{python}\nimport sys\nsys.path.insert(0, {here!r})\nimport user_data_machine\nsys.exit(user_data_machine.tool({name!r}, sys.argv[1:]))\n"


def local(path):
    return path.replace("\\", "/")


def write_tool(path, name):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TOOL.format(python=sys.executable, here=str(HERE), name=name))
    path.chmod(0o755)


def tool(name, arguments):
    """curl.exe, schtasks.exe and provisioner.exe, as far as user data uses them."""
    store = fakes.Store(os.environ["FAKE_STORE"])
    proxies = {n: v for n, v in os.environ.items() if n in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")}
    with open(os.environ["FAKE_LOG"], "a", encoding="utf-8") as log:
        log.write(json.dumps({"tool": name, "arguments": arguments, "proxies": proxies}) + "\n")
    code = {"curl": curl, "schtasks": schtasks, "provisioner": provisioner}[name](store, arguments)
    store.save()
    return code


def curl(store, arguments):
    # The URL comes by a config file: what stands on a command line can be seen by every user of the machine.
    config = pathlib.Path(local(arguments[arguments.index("-K") + 1]))
    assert not any("://" in word for word in arguments), arguments
    url = re.fullmatch(r"url=(\S+)\r?\n", config.read_text())[1]
    out = pathlib.Path(local(arguments[arguments.index("-o") + 1]))
    page = store.data.setdefault("web", {}).get(url)
    if page is None:
        return 22
    if page.get("failures", 0) > 0:
        page["failures"] -= 1
        return 6
    shutil.copyfile(page["file"], out)
    out.chmod(0o755)
    return 0


def schtasks(store, arguments):
    if store.data.get("tasks_broken"):
        return 1
    tasks = store.data.setdefault("tasks", {})
    value = {n: arguments[arguments.index(n) + 1] for n in ("/tn", "/tr", "/sc", "/ru") if n in arguments}
    name = value["/tn"]
    if "/create" in arguments:
        tasks[name] = value
    elif name not in tasks:
        return 1
    elif "/run" in arguments:
        tasks[name]["runs"] = tasks[name].get("runs", 0) + 1
    elif "/delete" in arguments:
        del tasks[name]
    return 0


def provisioner(store, arguments):
    """bake is the real program's; first-boot installs this stand-in, as the real one installs itself."""
    if arguments[0] == "bake":
        return subprocess.run([os.environ["FAKE_PROVISIONER"], "bake", *map(local, arguments[1:])], stdout=subprocess.DEVNULL, check=False).returncode
    payload = pathlib.Path(local(arguments[1]))
    assert arguments[0] == "first-boot" and (payload / "egress.json").exists(), arguments
    code = store.data.get("first_boot_code", 0)
    if code == 0:
        installed = pathlib.Path(os.environ["ProgramW6432"]) / "Provisioner/provisioner.exe"
        if not installed.exists():
            installed.parent.mkdir(parents=True)
            shutil.copy(sys.argv[0], installed)
    return code


class Machine:
    def __init__(self, root, pwsh, provisioner_program):
        self.root, self.pwsh = pathlib.Path(root).resolve(), pwsh
        self.windows = self.root / "Windows"
        self.scripts = self.windows / "Setup/Scripts"
        self.work = self.scripts / "ProvisionerUserData"
        self.state = self.root / "ProgramData/Provisioner"
        self.program = self.root / "Program Files/Provisioner/provisioner.exe"
        self.log = self.root / "log"
        self.pshome = self.root / "PowerShell"
        self.temporary = self.root / "tmp"  # a PowerShell that is killed leaves its sockets and pipes
        for folder in (self.windows / "System32", self.state.parent, self.program.parent.parent, self.pshome, self.temporary):
            folder.mkdir(parents=True)
        for name in ("curl", "schtasks"):
            write_tool(self.windows / "System32" / (name + ".exe"), name)
        shell = self.pshome / "powershell.exe"
        # What Windows' own has for a separator is a letter of a file's name elsewhere.
        shell.write_text("#!/bin/bash\nexec %s \"${@//\\\\//}\"\n" % shlex.quote(pwsh))
        shell.chmod(0o755)
        self.environment = {n: v for n, v in os.environ.items() if not n.upper().endswith("_PROXY") and not n.startswith("FAKE_")}
        self.environment.update(SystemRoot=str(self.windows), ProgramData=str(self.state.parent), ProgramW6432=str(self.program.parent.parent),
                                FAKE_STORE=str(self.root / "store.json"), FAKE_LOG=str(self.log), FAKE_PSHOME=str(self.pshome),
                                FAKE_PROVISIONER=provisioner_program, TMPDIR=str(self.temporary), COMPUTERNAME="NODE", NO_COLOR="1", POWERSHELL_TELEMETRY_OPTOUT="1", DOTNET_TieredPGO="0")
        store = self.store()
        for key in (ENVIRONMENT, SERVICES + "containerd", WINHTTP[0], "HKEY_LOCAL_MACHINE\\SOFTWARE\\WOW6432Node"):
            store.make_key(key)
        store.set(ENVIRONMENT, "Path", 2, fakes.utf16("%SystemRoot%\\system32") + "0000")
        store.set(BOOT, "BootId", 4, "07000000")
        store.save()

    # ---- what is there

    def store(self):
        return fakes.Store(str(self.root / "store.json"))

    def change(self, action):
        store = self.store()
        action(store)
        store.save()

    def writes(self):
        return self.store().data["writes"]

    def env(self, name):
        value = self.store().get(ENVIRONMENT, name)
        return bytes.fromhex(value[1]).decode("utf-16-le").rstrip("\0") if value else None

    def service(self, name):
        value = self.store().get(SERVICES + name, "Environment")
        return fakes.multi_entries(value) if value else None

    def certificates(self):
        return {name: sorted(found) for name, found in self.store().data["certs"].items() if found}

    def record(self):
        """What script-state.json says."""
        document = json.loads((self.state / "script-state.json").read_text(encoding="utf-8"))
        assert document["schema"] == 2, document
        return document

    def put_record(self, text):
        (self.state / "script-state.json").write_text(text, encoding="utf-8")

    def rewritten_by_install_egress(self):
        """The record as Install-Egress.ps1 writes what it has read."""
        script = (HERE.parents[2] / "templates/Install-Egress.ps1").read_text(encoding="ascii")
        (self.root / "functions.ps1").write_text(script[:script.index("\n$exitCode = 20\ntry {\n")])
        folder = str(self.state).replace("'", "''")
        (self.root / "rewrite.ps1").write_text(f". \"$PSScriptRoot/functions.ps1\"\n$script:stateDir = '{folder}'\nOpen-State\nSave-State\n")
        assert self.shell("-File", str(self.root / "rewrite.ps1")) == 0 and not self.output, self.output
        return (self.state / "script-state.json").read_text(encoding="ascii")

    def calls(self, name):
        if not self.log.exists():
            return []
        return [call for call in map(json.loads, self.log.read_text().splitlines()) if call["tool"] == name]

    def serve(self, url, data, failures=0):
        path = self.root / ("web-" + hashlib.sha256(url.encode()).hexdigest()[:16])
        path.write_bytes(data)
        self.change(lambda store: store.data.setdefault("web", {}).update({url: {"file": str(path), "failures": failures}}))

    # ---- what runs

    @staticmethod
    def adapt(script, first=b"", carried_first=b""):
        """The script with the stand-ins, both its own text and what it carries."""
        load = b". '%s';" % str(STAND_INS).encode()

        def carried(match):
            blob = user_data_reader.carried_by(match[0])
            end = 2 + int.from_bytes(blob[:2], "little")
            inner = blob[2:end]
            for old, new in ADAPTED:
                inner = inner.replace(old, new)
            inner = load + carried_first + inner
            made = gzip.compress(len(inner).to_bytes(2, "little") + inner + blob[end:])
            digits = base64.a85encode(made, pad=True).replace(b"z", b"!!!!!")
            # In lines, as it was, none of which is the end.
            return b"$b=@'\n" + re.sub(rb"(.{100})(?!'@)", rb"\1\n", digits) + b"\n'@"

        text, count = user_data_reader.DATA.subn(carried, script)
        assert count == 1, "the script carries nothing"
        for old, new in ADAPTED:
            text = text.replace(old, new)
        return load + first + text

    def shell(self, *arguments, fault=""):
        answer = subprocess.run([str(self.pshome / "powershell.exe"), "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", *arguments],
                                capture_output=True, text=True, env={**self.environment, "FAKE_FAULT": fault}, timeout=300, check=False)
        self.output = answer.stdout + answer.stderr
        return answer.returncode

    def run(self, user_data, fault="", damage=lambda script: script, **adapted):
        """Runs it as the platform's agent does: extracted, as a file, or by the command of a cloud-config."""
        script = damage(self.adapt(user_data_reader.script_of(user_data), **adapted))
        command = re.search(rb"\n- (powershell\.exe .* -Command) \"(.*)\"\n", user_data)
        path = self.root / "user-data.ps1"
        path.write_bytes(script)
        if not command:
            return self.shell("-File", str(path), fault=fault)
        # The file of the cloud-config lies where Windows has it.
        named = re.search(r"path: (\S+)\n", user_data.decode())[1]
        placed = self.root / local(named).removeprefix("C:/")
        placed.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(path, placed)
        code = self.shell("-Command", command[2].decode().replace(named, shlex.quote(str(placed))), fault=fault)
        assert not placed.exists(), "the command left the script there"
        return code

    def run_task(self):
        """What the task scheduler does with the task of user data."""
        line = self.store().data["tasks"]["ProvisionerUserData"]["/tr"]
        found = re.fullmatch(r"(.+) -NoProfile -ExecutionPolicy RemoteSigned -File (.+) later", line)
        assert found and pathlib.Path(local(found[1])) == self.pshome / "powershell.exe", line
        return self.shell("-File", local(found[2]), "later")
