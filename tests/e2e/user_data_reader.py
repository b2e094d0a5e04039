"""Decodes user data of any form to its script, as the platform's agent does, and the script to its data."""
import base64
import gzip
import json
import re


def script_of(data):
    if data.startswith(b"apiVersion:"):
        return script_of(base64.b64decode(re.search(rb"userData: (\S+)\n", data)[1], validate=True))
    if data.startswith(b"<powershell>"):
        return re.fullmatch(rb"<powershell>\n(.*)</powershell>\n<persist>true</persist>", data, re.S)[1]
    if data.startswith(b"#ps1_sysnative\n"):
        return data.split(b"\n", 1)[1]
    if data.startswith(b"H4sI"):
        return script_of(gzip.decompress(base64.b64decode(data, validate=True)))
    return data


# The here-string with the data: what PowerShell takes for its end is the first line that begins with its mark.
DATA = re.compile(rb"\$b=@'\n(.*?)\n'@", re.S)


def carried_by(script):
    """What it unpacks."""
    return gzip.decompress(base64.a85decode(DATA.search(script)[1]))


def scripts_and_container(script):
    """The two scripts that it runs, and the container."""
    blob, out = carried_by(script), []
    for _ in range(2):
        size = int.from_bytes(blob[:2], "little")
        out.append(blob[2:2 + size])
        blob = blob[2 + size:]
    return (*out, blob)


def parts_of(script):
    """What it runs, the settings, the certificates."""
    run, apply, container = scripts_and_container(script)
    settings = json.loads(container)
    return run + apply, settings, [base64.b64decode(o["value"]) for o in settings["operations"] if o["kind"] == "certificate"]
