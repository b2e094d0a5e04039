"""A registry, certificate stores and the protection of folders in one JSON file, the encoding of registry values, and a stand-in
for icacls.exe on that file.

Run as `fakes.py sddl PATH`: prints the protection of a folder. Environment: FAKE_STORE is the JSON file."""
import json
import os
import re
import sys

OPEN_SDDL = "O:BAG:SYD:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;0x1200a9;;;BU)"


class Store:
    def __init__(self, path):
        self.path = path
        self.data = {"keys": {}, "policy": {}, "sddl": {}, "elevated": True, "writes": 0}
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


def utf16(text):
    return text.encode("utf-16-le", "surrogatepass").hex()


def sz(text):
    return (1, utf16(text) + "0000")


def multi_sz(entries):
    return (7, "".join(utf16(entry) + "0000" for entry in entries) + "0000")


def multi_entries(value):
    text = bytes.fromhex(value[1]).decode("utf-16-le", "surrogatepass")
    return [entry for entry in text.split("\0") if entry]


def icacls(store, arguments):
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
    return 0


def run(tool, arguments):
    store = Store(os.environ["FAKE_STORE"])
    if tool == "sddl":
        print(store.data["sddl"].get(os.path.realpath(arguments[0]), OPEN_SDDL))
        return 0
    assert tool == "icacls", tool
    code = icacls(store, arguments)
    store.save()
    return code


if __name__ == "__main__":
    sys.exit(run(sys.argv[1], sys.argv[2:]))
