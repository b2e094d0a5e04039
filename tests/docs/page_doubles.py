#!/usr/bin/env python3
"""Stands in for what pages call beside our program: oc, kubectl, az, skopeo, ssh, scp. Its first argument is the name. It refuses
what the real one would refuse of a command line, reads every file that is named, and keeps the objects of a cluster as files in
$DOUBLES, so that a page's later commands find what the earlier ones made.

It is not a cluster: objects have no effect."""
import base64
import json
import os
import pathlib
import re
import subprocess
import sys

import yaml

FOLDER = pathlib.Path(os.environ.get("DOUBLES", "."))
KINDS = {
    "configmap": "ConfigMap", "clusterrole": "ClusterRole", "clusterrolebinding": "ClusterRoleBinding", "controllerconfig": "ControllerConfig", "daemonset": "DaemonSet",
    "deployment": "Deployment", "egressip": "EgressIP", "infrastructure": "Infrastructure", "machine": "Machine",
    "machineconfig": "MachineConfig", "machineconfigpool": "MachineConfigPool", "machineset": "MachineSet", "namespace": "Namespace",
    "network.config": "Network", "node": "Node", "pod": "Pod", "proxy": "Proxy", "secret": "Secret", "serviceaccount": "ServiceAccount",
    "machine.machine.openshift.io": "Machine", "machineset.machine.openshift.io": "MachineSet"}
# Options of each verb: those with a value, and switches.
COMMON = {"-n", "--namespace", "--context", "--kubeconfig"}
VERBS = {
    "get": ({"-o", "--output", "-l", "--selector"}, {"-w", "--watch", "-A", "--all-namespaces"}),
    "apply": ({"-f", "--filename"}, {"--server-side"}),
    "create": ({"-f", "--filename", "--from-file", "--from-literal", "--duration", "--bound-object-kind", "--bound-object-name", "--dry-run", "-o", "--verb", "--resource",
                "--clusterrole", "--serviceaccount"}, set()),
    "config": ({"-o", "--output"}, {"--minify"}),
    "delete": ({"-f", "--filename", "-l", "--selector"}, {"--ignore-not-found", "--all"}),
    "patch": ({"--type", "-p", "--patch", "--patch-file"}, set()),
    "scale": ({"--replicas"}, set()),
    "rollout": ({"--timeout"}, set()),
    "wait": ({"--for", "--timeout", "-l"}, {"--all"}),
    "exec": ({"-c", "--container"}, {"-i", "-t", "-it"}),
    "logs": ({"-c", "--container", "--tail", "-l", "--since"}, {"-f"}),
    "label": (set(), {"--overwrite"}),
    "annotate": (set(), {"--overwrite"}),
    "describe": (set(), set()),
    "extract": ({"--keys", "--to"}, {"--confirm"}),
    "whoami": (set(), {"--show-server"}),
    "adm": ({"-z"}, {"--ignore-daemonsets", "--delete-emptydir-data", "--force"}),
}
SUBVERBS = {"rollout": ("status", "restart"), "adm": ("cordon", "uncordon", "drain", "policy"),
            "create": ("token", "configmap", "secret", "namespace", "serviceaccount", "clusterrole", "clusterrolebinding"), "config": ("view",)}


def refuse(text):
    sys.exit(f"{sys.argv[1]}: {text}")


def kind_of(word):
    word = word.lower()
    aliases = {"mcp": "machineconfigpool", "mc": "machineconfig", "cm": "configmap", "infrastructures": "infrastructure", "proxies": "proxy", "sa": "serviceaccount",
               "ds": "daemonset"}
    word = aliases.get(word, word)
    for name in (word, word.removesuffix("s"), word.removesuffix("es")):
        if name in KINDS:
            return KINDS[name]
    return refuse(f'the server doesn\'t have a resource type "{word}"')


def place(kind, name, namespace):
    return FOLDER / f"{kind},{namespace if kind not in CLUSTER else ''},{name}.json"


CLUSTER = {"ClusterRole", "ClusterRoleBinding", "ControllerConfig", "EgressIP", "Infrastructure", "MachineConfig", "MachineConfigPool", "Namespace", "Network", "Node",
           "Proxy", "SecurityContextConstraints", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}


def find(kind, name, namespace):
    path = place(kind, name, namespace)
    if not path.exists():
        refuse(f'Error from server (NotFound): {kind} "{name}" not found in namespace "{namespace}"')
    return json.loads(path.read_text())


def keep(document, namespace):
    metadata = document.get("metadata", {})
    for member in ("kind", "apiVersion"):
        if not document.get(member):
            refuse(f"{member} not set")
    if not metadata.get("name"):
        refuse("resource name may not be empty")
    if document["kind"] == "Secret" and any(not isinstance(v, str) or base64.b64decode(v, validate=True) is None for v in document.get("data", {}).values()):
        refuse("a Secret's data is base64")
    path = place(document["kind"], metadata["name"], metadata.get("namespace", namespace))
    path.write_text(json.dumps(document))
    return path


def documents(name):
    text = sys.stdin.read() if name == "-" else pathlib.Path(name).read_text()
    found = [one for one in yaml.safe_load_all(text) if one]
    if not found:
        refuse(f"no objects passed to apply: {name}")
    return [item for one in found for item in (one["items"] if one.get("kind") == "List" else [one])]


def merge(target, patch):
    for name, value in patch.items():
        if value is None:
            target.pop(name, None)
        elif isinstance(value, dict):
            merge(target.setdefault(name, {}), value)
        else:
            target[name] = value


def json_path(document, path):
    """Of JSONPath what pages use: {.a.b\\.c}, {.items[0].a}, {range .items[*]}{.a}{"\\n"}{end}."""
    ranged = re.fullmatch(r"\{range (\S+)\[\*\]\}(.*)\{end\}", path)
    if ranged:
        return "".join(json_path(item, ranged[2]) for item in value_at(document, ranged[1]))
    out = ""
    for part in re.findall(r"\{([^}]*)\}|([^{]+)", path):
        out += part[1] if part[1] else part[0][1:-1].encode().decode("unicode_escape") if part[0].startswith('"') else shown(value_at(document, part[0]))
    return out


def value_at(document, path):
    for part in re.findall(r"((?:\\.|[^.\[\\])+)|\[(\d+)\]", path):
        key = int(part[1]) if part[1] else part[0].replace("\\.", ".")
        try:
            document = document[key]
        except (KeyError, IndexError, TypeError):
            return ""  # as kubectl does for a key that is absent
    return document


def shown(value):
    return value if isinstance(value, str) else json.dumps(value)


def parse(words, verb):
    valued, switches = VERBS[verb]
    options, others = {}, []
    while words:
        word, equals, value = words.pop(0).partition("=")
        if word == "--":
            break  # what follows is the container's command
        if word.startswith("-") and word != "-":
            if word in valued | COMMON:
                if not equals and not words:
                    refuse(f"flag needs an argument: {word}")
                options.setdefault(word, []).append(value if equals else words.pop(0))
            elif word in switches and not equals:
                options[word] = [""]
            elif re.fullmatch(r"-n\S+", word):
                options["-n"] = [word[2:]]
            else:
                refuse(f"unknown flag: {word}")
        else:
            others.append(word + equals + value)
    return options, others


def one(options, *names, default=None):
    for name in names:
        if name in options:
            return options[name][-1]
    return default


def get(options, others, namespace):
    if not others:
        refuse("You must specify the type of resource to get")
    kinds, names = others[0].split("/")[:1], others[1:] or others[0].split("/")[1:]
    kinds = [kind_of(kind) for kind in kinds[0].split(",")]
    form = one(options, "-o", "--output", default="")
    if names:
        found = [find(kinds[0], name, namespace) for name in names]
    else:
        everywhere = "-A" in options or "--all-namespaces" in options
        found = [json.loads(path.read_text()) for kind in kinds for path in sorted(FOLDER.glob(f"{kind},*.json"))
                 if kind in CLUSTER or everywhere or path.name.split(",")[1] == namespace]
        label, _, value = one(options, "-l", "--selector", default="").partition("=")
        found = [item for item in found if not label or item["metadata"].get("labels", {}).get(label) == value]
    document = found[0] if len(names) == 1 else {"apiVersion": "v1", "kind": "List", "items": found}
    if form == "json":
        print(json.dumps(document, indent=2))
    elif form == "yaml":
        print(yaml.safe_dump(document), end="")
    elif form.startswith("jsonpath="):
        print(json_path(document, form.removeprefix("jsonpath=")), end="")
    elif form in ("", "wide", "name"):
        print("\n".join(item["metadata"]["name"] for item in found) or "No resources found")
    else:
        refuse(f'unable to match a printer suitable for the output format "{form}"')


def patch(options, others, namespace):
    if len(others) != 2:
        refuse("patch takes TYPE NAME")
    document = find(kind_of(others[0]), others[1], namespace)
    text = one(options, "-p", "--patch") or pathlib.Path(one(options, "--patch-file") or refuse("must specify -p or --patch-file")).read_text()
    body = yaml.safe_load(text)
    way = one(options, "--type", default="strategic")
    if way in ("merge", "strategic"):
        merge(document, body) if way == "merge" else None
    elif way != "json" or not isinstance(body, list):
        refuse(f"--type {way} does not fit the patch")
    keep(document, namespace)


def create(options, words):
    if words[:1] == ["token"]:
        find("ServiceAccount", words[1], one(options, "-n", "--namespace", default="default"))
        print((FOLDER / "token").read_text())
    elif words[:1] == ["configmap"]:
        data = {}
        for pair in options.get("--from-file", []):
            key, _, path = pair.rpartition("=")
            data[key or pathlib.Path(path).name] = pathlib.Path(path).read_text()
        namespace = one(options, "-n", "--namespace", default="default")
        document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": words[1], "namespace": namespace}, "data": data}
        if one(options, "--dry-run") == "client" and one(options, "-o") == "yaml":
            print(yaml.safe_dump(document))
        else:
            keep(document, namespace)
    elif words:
        namespace = one(options, "-n", "--namespace", default="default")
        if words[0] == "clusterrole" and not (options.get("--verb") and options.get("--resource")):
            refuse("at least one verb and one resource must be specified")
        if words[0] == "clusterrolebinding":
            find("ClusterRole", one(options, "--clusterrole") or refuse("clusterrole must be specified"), namespace)
            account = one(options, "--serviceaccount") or refuse("--serviceaccount is what pages give")
            find("ServiceAccount", account.partition(":")[2], account.partition(":")[0])
        keep({"apiVersion": "v1", "kind": kind_of(words[0]), "metadata": {"name": words[-1]}}, namespace)


def kubectl(words):
    while words and words[0] in ("-n", "--namespace"):
        words = words[2:3] + words[:2] + words[3:]
    if not words or words[0] not in VERBS:
        refuse(f"unknown command {words[:1]}")
    verb = words.pop(0)
    options, others = parse(words, verb)
    namespace = one(options, "-n", "--namespace", default="default")
    files = [file for name in ("-f", "--filename") for file in options.get(name, [])]
    if verb in SUBVERBS and (not others or others[0] not in SUBVERBS[verb]) and not files:
        refuse(f"unknown command {verb} {others[:1]}")
    if verb == "whoami":
        print((FOLDER / "server").read_text())
    elif verb == "config":
        print(json_path({"clusters": [{"cluster": {"server": (FOLDER / "server").read_text()}}]}, one(options, "-o", "--output").removeprefix("jsonpath=")), end="")
    elif verb == "get":
        get(options, others, namespace)
    elif verb == "describe":
        print(yaml.safe_dump(find(kind_of(others[0]), others[1], namespace)), end="")
    elif verb == "patch":
        patch(options, others, namespace)
    elif verb == "create" and not files:
        create(options, others)
    elif verb in ("apply", "create"):
        for document in [one for file in files or refuse("must specify -f") for one in documents(file)]:
            keep(document, namespace)
    elif verb == "delete" and files:
        for document in [one for file in files for one in documents(file)]:
            place(document["kind"], document["metadata"]["name"], document["metadata"].get("namespace", namespace)).unlink(missing_ok=True)
    elif verb == "delete":
        kind = kind_of(others[0])
        for name in others[1:] or ([] if one(options, "-l") else refuse("name the object, or give -l")):
            find(kind, name, namespace)
            place(kind, name, namespace).unlink()
    elif verb == "scale":
        kind, name = others if len(others) == 2 else others[0].split("/")
        document = find(kind_of(kind), name, namespace)
        document["spec"]["replicas"] = int(one(options, "--replicas"))
        keep(document, namespace)
    elif verb == "extract":
        kind, name = others[0].split("/")
        for key, value in find(kind_of(kind), name, namespace)["data"].items():
            (pathlib.Path(one(options, "--to", default=".")) / key).write_text(value)


def az(words):
    if words == ["login"]:
        return
    if words[:2] not in (["aks", "show"], ["aks", "create"], ["aks", "update"], ["aks", "nodepool"], ["aks", "get-credentials"]):
        refuse(f"{words[:2]} is not stood in for")
    known = {"-g", "--resource-group", "-n", "--name", "-o", "--output", "--http-proxy-config", "--cluster-name", "--os-type", "--query"}
    for option in (word for word in words if word.startswith("-")):
        if option not in known:
            refuse(f"unrecognized arguments: {option}")
    for file in (value for option, value in zip(words, words[1:]) if option == "--http-proxy-config"):
        json.loads(pathlib.Path(file).read_text())
    if words[1] == "show":
        print((FOLDER / "aks.json").read_text())


def skopeo(words):
    if words[0] != "copy" or len(words) != 3 or not words[2].startswith("docker://"):
        refuse("copy SOURCE docker://REFERENCE is stood in for")
    subprocess.run([os.environ["REAL_SKOPEO"], "inspect", "--raw", words[1]], check=True, capture_output=True)


def remote(words):
    """ssh and scp: every local file is there. What ssh runs of our program is checked by pages_test.py."""
    paths = []
    while words:
        word = words.pop(0)
        if word in ("-i", "-o", "-J", "-p", "-P", "-l"):
            value = words.pop(0)
            if word == "-i":
                pathlib.Path(value).read_bytes()
        elif not word.startswith("-"):
            paths.append(word)
            if sys.argv[1] == "ssh":
                return  # the rest is for the other machine
    if len(paths) < 2:
        refuse("names no machine, or nothing to copy")
    for name in paths[:-1]:
        if ":" not in name:
            pathlib.Path(name).read_bytes()


if __name__ == "__main__":
    {"oc": kubectl, "kubectl": kubectl, "az": az, "skopeo": skopeo, "ssh": remote, "scp": remote}[sys.argv[1]](sys.argv[2:])
