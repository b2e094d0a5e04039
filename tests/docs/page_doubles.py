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
    "configmap": "ConfigMap", "clusterrole": "ClusterRole", "clusterrolebinding": "ClusterRoleBinding", "deployment": "Deployment", "egressip": "EgressIP",
    "infrastructure": "Infrastructure", "machine": "Machine", "machineconfig": "MachineConfig", "machineconfigpool": "MachineConfigPool", "machineset": "MachineSet",
    "namespace": "Namespace", "network.config": "Network", "node": "Node", "pod": "Pod", "proxy": "Proxy", "role": "Role", "rolebinding": "RoleBinding", "secret": "Secret", "serviceaccount": "ServiceAccount",
    "validatingadmissionpolicies": "ValidatingAdmissionPolicy"}
# Options of each verb: those with a value, and switches. What no page uses is refused.
COMMON = {"-n", "-o"}
VERBS = {
    "get": ({"-l"}, {"-w"}), "apply": ({"-f"}, {"--server-side"}), "config": (set(), {"--minify"}), "delete": ({"-f", "-l"}, {"--ignore-not-found", "-A"}),
    "create": ({"--from-file", "--from-literal", "--role", "--duration", "--dry-run", "--verb", "--resource", "--clusterrole", "--serviceaccount"}, set()),
    "drain": (set(), {"--ignore-daemonsets", "--delete-emptydir-data"}), "uncordon": (set(), set()),
    "patch": ({"--type", "-p", "--patch-file"}, set()), "scale": ({"--replicas"}, set()), "rollout": (set(), set()), "wait": ({"--for", "--timeout"}, set()),
    "exec": ({"-c"}, {"-it"}), "logs": ({"-c", "--tail", "-l"}, {"--prefix"}), "label": (set(), set()), "describe": (set(), set()), "whoami": (set(), {"--show-server"}),
}
SUBVERBS = {"rollout": ("status",), "create": ("token", "configmap", "serviceaccount", "clusterrole", "clusterrolebinding", "rolebinding"), "config": ("view",)}


def refuse(text):
    sys.exit(f"{sys.argv[1]}: {text}")


def kind_of(word):
    for name in (word, word.removesuffix("s")):
        if name in KINDS:
            return KINDS[name]
    return refuse(f'the server doesn\'t have a resource type "{word}"')


def place(kind, name, namespace):
    return FOLDER / f"{kind},{namespace if kind not in CLUSTER else ''},{name}.json"


CLUSTER = {"ClusterRole", "ClusterRoleBinding", "ControllerConfig", "EgressIP", "Infrastructure", "MachineConfig", "MachineConfigPool", "Namespace", "Network", "Node",
           "Proxy", "SecurityContextConstraints", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy",
           "MutatingAdmissionPolicyBinding"}


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
    """Of JSONPath what pages use: {.a.b\\.c}, {.items[0].a}, {.a}{"\\n"}{.b}."""
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
            else:
                refuse(f"unknown flag: {word}")
        else:
            others.append(word + equals + value)
    return options, others


def one(options, name, default=None):
    return options[name][-1] if name in options else default


def is_selected(item, options):
    wanted = [pair.partition("=") for pair in one(options, "-l", default="").split(",") if pair]
    return all(item["metadata"].get("labels", {}).get(label) == value for label, _, value in wanted)


def get(options, others, namespace):
    if not others:
        refuse("You must specify the type of resource to get")
    kinds, names = others[0].split("/")[:1], others[1:] or others[0].split("/")[1:]
    kinds = [kind_of(kind) for kind in kinds[0].split(",")]
    form = one(options, "-o", default="")
    if names:
        found = [find(kinds[0], name, namespace) for name in names]
    else:
        found = [json.loads(path.read_text()) for kind in kinds for path in sorted(FOLDER.glob(f"{kind},*.json"))
                 if kind in CLUSTER or path.name.split(",")[1] == namespace]
        found = [item for item in found if is_selected(item, options)]
    document = found[0] if len(names) == 1 else {"apiVersion": "v1", "kind": "List", "items": found}
    if form == "json":
        print(json.dumps(document, indent=2))
    elif form == "yaml":
        print(yaml.safe_dump(document), end="")
    elif form.startswith("jsonpath="):
        print(json_path(document, form.removeprefix("jsonpath=")), end="")
    elif form in ("", "wide"):
        print("\n".join(item["metadata"]["name"] for item in found) or "No resources found")
    else:
        refuse(f'unable to match a printer suitable for the output format "{form}"')


def patch(options, others, namespace):
    if len(others) != 2:
        refuse("patch takes TYPE NAME")
    document = find(kind_of(others[0]), others[1], namespace)
    text = one(options, "-p") or pathlib.Path(one(options, "--patch-file") or refuse("must specify -p or --patch-file")).read_text()
    if one(options, "--type", default="strategic") == "merge":
        merge(document, yaml.safe_load(text))
    keep(document, namespace)


def create(options, words, namespace):
    if words[0] == "token":
        find("ServiceAccount", words[1], namespace)
        print((FOLDER / "token").read_text())
        return
    document = {"apiVersion": "v1", "kind": kind_of(words[0]), "metadata": {"name": words[-1]}}
    if words[0] == "configmap":
        document["data"] = {key: pathlib.Path(path).read_text() for key, _, path in (pair.partition("=") for pair in options.get("--from-file", []))}
        document["data"] |= dict(pair.split("=", 1) for pair in options.get("--from-literal", []))
        document["metadata"]["namespace"] = namespace
    if words[0] == "clusterrole" and not (options.get("--verb") and options.get("--resource")):
        refuse("at least one verb and one resource must be specified")
    if words[0] in ("clusterrolebinding", "rolebinding"):
        if role := one(options, "--role"):
            find("Role", role, namespace)
        else:
            find("ClusterRole", one(options, "--clusterrole") or refuse("clusterrole must be specified"), namespace)
        account = one(options, "--serviceaccount") or refuse("--serviceaccount is what pages give")
        find("ServiceAccount", account.partition(":")[2], account.partition(":")[0])
    if one(options, "--dry-run") == "client":
        print(yaml.safe_dump(document))
    else:
        keep(document, namespace)


def inspect(resources):
    """`oc adm inspect`: the objects of the cluster as files in a folder, whose number the page says."""
    for resource in resources or refuse("name the resources"):
        for document in map(lambda path: json.loads(path.read_text()), sorted(FOLDER.glob(f"{kind_of(resource)},,*.json"))):
            group = document["apiVersion"].partition("/")[0]
            folder = pathlib.Path("inspect.local.1234567/cluster-scoped-resources", group, resource)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{document['metadata']['name']}.yaml").write_text("---\n" + yaml.safe_dump(document))


def kubectl(words):
    if words[:2] == ["adm", "inspect"] and sys.argv[1] == "oc":
        return inspect(words[2:])
    while words and words[0] == "-n":
        words = words[2:3] + words[:2] + words[3:]
    if not words or words[0] not in VERBS:
        refuse(f"unknown command {words[:1]}")
    verb = words.pop(0)
    options, others = parse(words, verb)
    namespace, files = one(options, "-n", default="default"), options.get("-f", [])
    if verb in SUBVERBS and (not others or others[0] not in SUBVERBS[verb]):
        refuse(f"unknown command {verb} {others[:1]}")
    if verb == "whoami":
        print((FOLDER / "server").read_text())
    elif verb == "config":
        print(json_path({"clusters": [{"cluster": {"server": (FOLDER / "server").read_text()}}]}, one(options, "-o").removeprefix("jsonpath=")), end="")
    elif verb == "get":
        get(options, others, namespace)
    elif verb == "describe":
        print(yaml.safe_dump(find(kind_of(others[0]), others[1], namespace)), end="")
    elif verb == "patch":
        patch(options, others, namespace)
    elif verb == "create":
        create(options, others, namespace)
    elif verb == "apply":
        for document in [one for file in files or refuse("must specify -f") for one in documents(file)]:
            keep(document, namespace)
    elif verb == "delete" and files:
        for document in [item for file in files for item in documents(file) if is_selected(item, options)]:
            place(document["kind"], document["metadata"]["name"], document["metadata"].get("namespace", namespace)).unlink(missing_ok=True)
    elif verb == "delete" and "-A" in options:
        one(options, "-l") or refuse("resource(s) were provided, but no name was specified")
        for path in [path for kind in others[0].split(",") for path in FOLDER.glob(f"{kind_of(kind)},*.json")]:
            if is_selected(json.loads(path.read_text()), options):
                path.unlink()
    elif verb == "delete":
        kind = kind_of(others[0])
        for name in others[1:] or refuse("name the object"):
            if "--ignore-not-found" in options and not place(kind, name, namespace).exists():
                continue
            find(kind, name, namespace)
            place(kind, name, namespace).unlink()
    elif verb == "scale":
        kind, name = others
        document = find(kind_of(kind), name, namespace)
        document["spec"]["replicas"] = int(one(options, "--replicas"))
        keep(document, namespace)


def az(words):
    if words == ["login"]:
        return
    if words[:2] not in (["aks", "show"], ["aks", "get-credentials"]):
        refuse(f"{words[:2]} is not stood in for")
    for option in (word for word in words if word.startswith("-") and word not in ("-g", "-n", "-o")):
        refuse(f"unrecognized arguments: {option}")
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
        if word == "-i":
            pathlib.Path(words.pop(0)).read_bytes()
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
