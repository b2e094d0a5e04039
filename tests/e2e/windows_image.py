"""A Windows that does not run, for tests of images: hives that our program baked, filled by hivexregedit, and some folders."""
import shutil

from harness import SAMPLE, must

CONFIG = "Windows/System32/config"
STORES = [key for store in ("ROOT", "CA", "Disallowed", "AuthRoot") for key in (store, store + "\\Certificates")]


def merge(hive, keys):
    """`keys`: {key: lines of its values}; parents come first."""
    must("hivexregedit", "--merge", hive, input="".join("[\\%s]\n%s\n" % (key, "".join(line + "\n" for line in lines)) for key, lines in keys.items()))


def control_set(name, environment=('"Path"=str(2):"C:\\\\Windows"',), containerd=('"ImagePath"=str(2):"C:\\\\k\\\\containerd.exe"',)):
    keys = {"": (), "\\Control": (), "\\Control\\Session Manager": (), "\\Control\\Session Manager\\Environment": environment, "\\Services": (),
            "\\Services\\containerd": containerd, "\\Services\\EventLog": (), "\\Services\\EventLog\\Application": ('"File"="x"',)}
    return {name + key: lines for key, lines in keys.items()}


def software():
    return {key: () for key in ("Microsoft", "Microsoft\\SystemCertificates", *("Microsoft\\SystemCertificates\\" + store for store in STORES),
                                "WOW6432Node", "WOW6432Node\\Microsoft")}


SELECT = {"Select": ['"%s"=dword:%08x' % item for item in {"Current": 1, "Default": 1, "Failed": 0, "LastKnownGood": 1}.items()]}


def put_hives(root, hives):
    """Hives with few keys, from the registry folder of a payload."""
    (root / CONFIG).mkdir(parents=True)
    for name in ("SYSTEM", "SOFTWARE"):
        shutil.copy(hives / (name + ".hiv"), root / CONFIG / name)


def make(program, root, system, software_keys):
    """The folders of a Windows, and its hives with these keys."""
    bare = root / "bare"
    must(program, "bake", SAMPLE, "--out", bare, "--scope", "winhttp")
    put_hives(root, bare / "registry")
    shutil.rmtree(bare)
    merge(root / CONFIG / "SYSTEM", system)
    merge(root / CONFIG / "SOFTWARE", software_keys)
    for made in ("Windows/Setup/Scripts", "Windows/Panther", "ProgramData", "Program Files"):
        (root / made).mkdir(parents=True)
    return root
