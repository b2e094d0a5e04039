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
from machine import HERE, STAND_INS, Machine as PlainMachine, adapt, put_tool, python_tool
import user_data_reader  # machine.py says where it is


def local(path):
    return path.replace("\\", "/")


def write_tool(path, name):
    """One of this file's: NAME ARGUMENT..."""
    python_tool(path, f"import sys\nsys.path.insert(0, {str(HERE)!r})\nimport user_data_machine\nsys.exit(user_data_machine.tool({name!r}, sys.argv[1:]))\n")


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


class Machine(PlainMachine):
    """One that runs user data: with the web, the task scheduler, and the program."""

    def __init__(self, root, pwsh, provisioner_program):
        super().__init__(root, pwsh)
        self.scripts = self.windows / "Setup/Scripts"
        self.work = self.scripts / "ProvisionerUserData"
        self.program = self.root / "Program Files/Provisioner/provisioner.exe"
        self.log = self.root / "log"
        self.pshome = self.root / "PowerShell"
        for folder in (self.program.parent.parent, self.pshome):
            folder.mkdir(parents=True)
        for name in ("curl", "schtasks"):
            write_tool(self.windows / "System32" / (name + ".exe"), name)
        # What Windows' own has for a separator is a letter of a file's name elsewhere.
        self.pwsh = put_tool(self.pshome / "powershell.exe", "exec %s \"${@//\\\\//}\"\n" % shlex.quote(pwsh), "#!/bin/bash")
        self.environment.update(ProgramW6432=str(self.program.parent.parent), FAKE_LOG=str(self.log), FAKE_PSHOME=str(self.pshome),
                                FAKE_PROVISIONER=provisioner_program)

    # ---- what is there

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
            run, apply, container = user_data_reader.scripts_and_container(match[0])
            parts = (load + carried_first + adapt(run), adapt(apply))
            made = gzip.compress(b"".join(len(part).to_bytes(2, "little") + part for part in parts) + container)
            digits = base64.a85encode(made, pad=True).replace(b"z", b"!!!!!")
            # In lines, as it was, none of which is the end.
            return b"$b=@'\n" + re.sub(rb"(.{100})(?!'@)", rb"\1\n", digits) + b"\n'@"

        text, count = user_data_reader.DATA.subn(carried, script)
        assert count == 1, "the script carries nothing"
        return load + first + adapt(text)

    def shell(self, *arguments):
        return super().shell("-ExecutionPolicy", "Bypass", *arguments)

    def run(self, user_data, damage=lambda script: script, **adapted):
        """Runs it as the platform's agent does: extracted, as a file."""
        script = damage(self.adapt(user_data_reader.script_of(user_data), **adapted))
        path = self.root / "user-data.ps1"
        path.write_bytes(script)
        return self.shell("-File", str(path))

    def run_task(self):
        """What the task scheduler does with the task of user data."""
        line = self.store().data["tasks"]["ProvisionerUserData"]["/tr"]
        found = re.fullmatch(r"(.+) -NoProfile -ExecutionPolicy RemoteSigned -File (.+) later", line)
        assert found and pathlib.Path(local(found[1])) == self.pshome / "powershell.exe", line
        return self.shell("-File", local(found[2]), "later")
