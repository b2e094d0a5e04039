"""Recording stand-ins for reg.exe, certutil.exe and icacls.exe, on a registry and certificate store in one JSON file.

Run as `fakes.py TOOL ARGUMENT...`. Environment: FAKE_STORE is the JSON file, FAKE_LOG receives one JSON list per call,
FAKE_FAULT injects one fault:
  import-skips   reg import changes nothing, prints success and gives 0 (as the real one does with a line it can't read)
  add-nothing    certutil -addstore gives 0 and adds nothing
  kill:N         the Nth changing call is carried out and then ends its caller, as a power cut would
  kill-before:N  the same, but the call is not carried out
"""
import hashlib
import json
import os
import re
import signal
import sys

ROOTS = {"hklm": "HKEY_LOCAL_MACHINE", "hku": "HKEY_USERS", "hkey_local_machine": "HKEY_LOCAL_MACHINE"}
HEADER = "Windows Registry Editor Version 5.00"
OPEN_SDDL = "O:BAG:SYD:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;0x1200a9;;;BU)"


class Store:
    def __init__(self, path):
        self.path = path
        self.data = {"keys": {}, "certs": {}, "policy": {}, "sddl": {}, "elevated": True, "writes": 0}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                self.data.update(json.load(file))

    def save(self):
        with open(self.path, "w", encoding="utf-8") as file:
            json.dump(self.data, file, indent=1, sort_keys=True)

    # Registry. A value is [name, type, hex]; names compare case-insensitively and keep their first spelling.
    def key(self, path):
        return self.data["keys"].get(path.lower())

    def make_key(self, path):
        parts = path.split("\\")
        for count in range(1, len(parts) + 1):
            part = "\\".join(parts[:count])
            self.data["keys"].setdefault(part.lower(), {"name": part, "values": {}})
        return self.key(path)

    def set(self, path, name, kind, data):
        values = self.make_key(path)["values"]
        spelling = values.get(name.lower(), [name])[0]
        values[name.lower()] = [spelling, kind, data]

    def get(self, path, name):
        key = self.key(path)
        return tuple(key["values"][name.lower()][1:]) if key and name.lower() in key["values"] else None

    def delete(self, path, name):
        if self.key(path):
            self.key(path)["values"].pop(name.lower(), None)

    def delete_tree(self, path):
        for found in list(self.data["keys"]):
            if found == path.lower() or found.startswith(path.lower() + "\\"):
                del self.data["keys"][found]

    def below(self, path):
        prefix = path.lower() + "\\"
        return [key for low, key in sorted(self.data["keys"].items()) if low.startswith(prefix)]


def full_path(text):
    root, _, rest = text.partition("\\")
    root = ROOTS.get(root.lower())
    return root + ("\\" + rest if rest else "") if root else None


def utf16(text):
    return text.encode("utf-16-le", "surrogatepass").hex()


def sz(text):
    return (1, utf16(text) + "0000")


def multi_sz(entries):
    return (7, "".join(utf16(entry) + "0000" for entry in entries) + "0000")


def multi_entries(value):
    text = bytes.fromhex(value[1]).decode("utf-16-le", "surrogatepass")
    return [entry for entry in text.split("\0") if entry]


def escape(text):
    return text.replace("\\", "\\\\").replace('"', '\\"')


def format_value(name, kind, data):
    head = ("@" if name == "" else '"' + escape(name) + '"') + "="
    if kind == 1 and data.endswith("0000") and len(data) % 4 == 0:
        text = bytes.fromhex(data[:-4]).decode("utf-16-le", "surrogatepass")
        if "\0" not in text:
            return head + '"' + escape(text) + '"'
    if kind == 4 and len(data) == 8:
        return head + "dword:" + bytes.fromhex(data)[::-1].hex()
    line = head + ("hex:" if kind == 3 else f"hex({kind:x}):")
    lines = []
    for index in range(0, len(data), 2):
        last = index + 2 >= len(data)
        line += data[index:index + 2] + ("" if last else ",")
        if not last and len(line) > 76:
            lines.append(line + "\\")
            line = "  "
    return "\r\n".join(lines + [line])


def export_text(store, path):
    sections = []
    for key in [store.key(path)] + store.below(path):
        lines = ["[" + key["name"] + "]"] + [format_value(*value) for _, value in sorted(key["values"].items())]
        sections.append("\r\n".join(lines) + "\r\n")
    return HEADER + "\r\n\r\n" + "\r\n".join(sections) + "\r\n"


STRING = r'"((?:[^"\\]|\\.)*)"'
VALUE = re.compile(r"(?:@|" + STRING + r')=(?:(-)|' + STRING + r"|dword:([0-9a-fA-F]{8})|hex(?:\(([0-9a-fA-F]+)\))?:([0-9a-fA-F, \t\\\r\n]*?))"
                   r"[ \t]*(?:;[^\r\n]*)?(?=\r?\n[\[\"@;\r\n]|\r?\n?\Z)", re.S)


def unescape(text):
    return re.sub(r"\\(.)", r"\1", text, flags=re.S)


def apply_reg_file(store, raw):
    """What reg import does; False when the file is refused as a whole. A line that makes no sense is skipped."""
    if not raw.startswith(b"\xff\xfe"):
        return False
    text = raw[2:].decode("utf-16-le", "surrogatepass")
    if not re.match(re.escape(HEADER) + r"\r?\n", text):
        return False
    at, path = text.index("\n") + 1, None
    while at < len(text):
        value = VALUE.match(text, at)
        end = text.find("\n", at)
        line = text[at:len(text) if end < 0 else end].rstrip("\r\n")
        if value and path:
            name = unescape(value[1] or "")
            if value[2]:
                store.delete(path, name)
            elif value[3] is not None:
                store.set(path, name, *sz(unescape(value[3])))
            elif value[4]:
                store.set(path, name, 4, bytes.fromhex(value[4])[::-1].hex())
            else:
                compact = re.sub(r"\\\r?\n[ \t]*", "", value[6])
                if re.fullmatch(r"(?:[0-9a-fA-F]{2}(?:,[0-9a-fA-F]{2})*)?", compact):
                    store.set(path, name, int(value[5] or "3", 16), compact.replace(",", "").lower())
            at = value.end()
            continue
        section = re.fullmatch(r"\[(-?)(.*)\]\s*", line)
        if section:
            path = full_path(section[2]) if section[2].upper().startswith("HKEY_") else None
            if path and section[1]:
                store.delete_tree(path)
                path = None
            elif path:
                store.make_key(path)
        at = len(text) if end < 0 else end + 1
    return True


def reg(store, arguments, fault):
    verb = arguments[0].lower()
    if "/reg:64" not in arguments and arguments[1:2] != ["HKU\\S-1-5-19"]:
        return 1
    if verb == "import":
        store.data["writes"] += 1
        with open(arguments[1], "rb") as file:
            raw = file.read()
        return 0 if fault == "import-skips" or apply_reg_file(store, raw) else 1
    path = full_path(arguments[1])
    if path == "HKEY_USERS\\S-1-5-19":
        return 0 if store.data["elevated"] else 1
    if path is None or not store.key(path):
        print("ERROR: The system was unable to find the specified registry key or value.", file=sys.stderr)
        return 1
    if verb == "export":
        if "/y" not in arguments and os.path.exists(arguments[2]):
            return 1
        with open(arguments[2], "wb") as file:
            file.write(b"\xff\xfe" + export_text(store, path).encode("utf-16-le", "surrogatepass"))
        return 0
    if verb == "query":
        key = store.key(path)
        print("\n" + key["name"])
        for name, kind, data in key["values"].values():
            print(f"    {name}    {kind}    {data}")
        depth = path.count("\\") + 1
        for child in store.below(path):
            if child["name"].count("\\") == depth:
                print(child["name"])
        return 0
    return 1


def certutil(store, arguments, fault):
    force = arguments[0] == "-f"
    verb, name, what = arguments[1:] if force else arguments
    own = store.data["certs"].setdefault(name.upper(), [])
    policy = store.data["policy"].get(name.upper(), [])
    if verb == "-store":
        return 0 if what.lower() in own + policy else 0x11  # the low byte of NTE_NOT_FOUND
    if verb == "-addstore":
        store.data["writes"] += 1
        with open(what, "rb") as file:
            der = file.read()
        if not der.startswith(b"\x30"):
            return 0x0D
        if fault != "add-nothing":
            sha1 = hashlib.sha1(der).hexdigest()
            if sha1 not in own:
                own.append(sha1)
        return 0
    if verb == "-delstore":
        store.data["writes"] += 1
        if what.lower() in own:
            own.remove(what.lower())
        return 0
    return 1


def icacls(store, arguments, fault):
    path = os.path.realpath(arguments[0])
    sddl = store.data["sddl"].get(path, OPEN_SDDL)
    if arguments[1:] == ["/setowner", "*S-1-5-32-544"]:
        store.data["sddl"][path] = re.sub(r"\AO:.*?(?=[GD]:)", "O:BA", sddl)
    elif arguments[1:] == ["/inheritance:r", "/grant:r", "*S-1-5-18:(OI)(CI)F", "*S-1-5-32-544:(OI)(CI)F"]:
        head = sddl[:sddl.index("D:")]
        explicit = [ace for ace in re.findall(r"\(([^)]*)\)", sddl) if "ID" not in ace.split(";")[1] and ace[-2:] not in ("SY", "BA")]
        aces = explicit + ["A;OICI;FA;;;SY", "A;OICI;FA;;;BA"]
        store.data["sddl"][path] = head + "D:PAI" + "".join(f"({ace})" for ace in aces)
    else:
        return 87
    store.data["writes"] += 1
    return 0


def changes_something(tool, arguments):
    return tool == "icacls" or arguments[0] in ("import", "-f", "-delstore")


def run(tool, arguments):
    store = Store(os.environ["FAKE_STORE"])
    fault = os.environ.get("FAKE_FAULT", "")
    with open(os.environ["FAKE_LOG"], "a", encoding="utf-8") as log:
        log.write(json.dumps([tool] + arguments) + "\n")
    if tool == "sddl":
        print(store.data["sddl"].get(os.path.realpath(arguments[0]), OPEN_SDDL))
        return 0
    kill = re.fullmatch(r"(kill|kill-before):(\d+)", fault)
    due = False
    if kill and changes_something(tool, arguments):
        store.data["calls"] = store.data.get("calls", 0) + 1
        due = store.data["calls"] == int(kill[2])
        store.save()
        if due and kill[1] == "kill-before":
            os.kill(os.getppid(), signal.SIGKILL)
            return 1
    code = {"reg": reg, "certutil": certutil, "icacls": icacls}[tool](store, arguments, fault)
    store.save()
    if due:
        os.kill(os.getppid(), signal.SIGKILL)
    return code


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2:]))
