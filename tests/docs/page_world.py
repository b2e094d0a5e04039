"""The world in which the commands of a page run: a folder with sample inputs, doubles of other people's programs, and an API
server on loopback with the same objects."""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time

import yaml

import harness
import page_doubles
import windows_image
from harness import TESTS
from kube_api_server import NODES, TOKEN, ApiServer, Authority, kubeconfig
from program_file import make_program

CONFIG = "rendered-worker-2bc062aab478c8eedb51de6562f88c21"  # of the sample
OPERATORS = """<powershell>
New-Item -Force C:\\ProgramData\\ssh\\administrators_authorized_keys | Out-Null
Add-Content C:\\ProgramData\\ssh\\administrators_authorized_keys 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 key'
</powershell>
<persist>true</persist>
"""
# Of the MachineSets. On vSphere and Azure their names have at most 9 characters.
PLATFORMS = ("aws", "azure", "gcp", "vs", "nutanix")
# What asks servers that are not there prints nothing and succeeds.
WRAPPER = """for word; do
  case $word in
    mcs://*|http://*|https://*) [ "$1" = explain ] || [ "$1" = router ] || case $last in --exe-url|--ca-transport|--source) ;; *) exit 0 ;; esac ;;
    --probe|--watch) exit 0 ;;
    --image) [ "$1" != check ] || exit 0 ;;
  esac
  last=$word
done
exec %s "$@"
"""


def secret(name, namespace, **data):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "namespace": namespace},
            "data": {key: base64.b64encode(text.encode()).decode() for key, text in data.items()}}


def config_map(name, namespace, **data):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": data}


def machine_set(platform):
    return {"apiVersion": "machine.openshift.io/v1beta1", "kind": "MachineSet", "metadata": {"name": "win-" + platform, "namespace": "openshift-machine-api"},
            "spec": {"replicas": 1, "template": {"spec": {"providerSpec": {"value": {"userDataSecret": {"name": "windows-user-data"}, "template": "windows"}}}}}}


def deployment(namespace="shop"):
    pod = {"nodeSelector": {"kubernetes.io/os": "windows"}, "containers": [{"name": "web", "image": "web", "env": [{"name": "NO_PROXY", "value": "localhost"}]}]}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": namespace},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": pod}}}


def egress_nodes():
    """Two nodes for egress IPs, and what asks for one."""
    labels = {"k8s.ovn.org/egress-assignable": "", "kubernetes.io/os": "linux"}
    nodes = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"worker-{at}", "labels": labels, "annotations": {
        "k8s.ovn.org/node-primary-ifaddr": json.dumps({"ipv4": f"10.0.0.{10 + at}/24"}),
        "k8s.ovn.org/host-cidrs": json.dumps([f"10.0.0.{10 + at}/24"])}},
        "status": {"addresses": [{"type": "InternalIP", "address": f"10.0.0.{10 + at}"}]}} for at in (1, 2)]
    spaces = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"team": name}}} for name in ("billing", "web")]
    address = {"apiVersion": "k8s.ovn.org/v1", "kind": "EgressIP", "metadata": {"name": "billing"},
               "spec": {"egressIPs": ["10.0.0.100"], "namespaceSelector": {"matchLabels": {"team": "billing"}}}}
    return [address, *nodes, *spaces]


def proxy(spec_proxy):
    spec = {"httpProxy": spec_proxy, "httpsProxy": spec_proxy, "noProxy": ".example.internal", "trustedCA": {"name": "user-ca-bundle"}}
    return {"apiVersion": "config.openshift.io/v1", "kind": "Proxy", "metadata": {"name": "cluster"}, "spec": spec,
            "status": {**{key: spec[key] for key in ("httpProxy", "httpsProxy")}, "noProxy": ".cluster.local,.example.internal,.svc,10.0.0.0/16,localhost"}}


def objects():
    """What `oc get` finds when a page begins."""
    sample = json.loads((TESTS / "sample/rendered-worker.json").read_text())
    root = (TESTS / "sample/corporate-root.pem").read_text()
    url = "http://egress-user:S3cret%40%23%25%26%27p@proxy.example.com:3128"
    pool = {"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfigPool", "metadata": {"name": "worker"},
            "spec": {"configuration": {"name": CONFIG}}, "status": {"configuration": {"name": CONFIG}}}
    nodes = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/os": "windows"}},
              "status": {"addresses": [{"type": "InternalIP", "address": address}]}} for name, address in (("win-1", "10.0.0.5"), ("win-2", "10.0.0.6"))]
    infrastructure = {"apiVersion": "config.openshift.io/v1", "kind": "Infrastructure", "metadata": {"name": "cluster"},
                      "status": {"platform": "AWS", "platformStatus": {"type": "AWS", "aws": {"region": "eu-west-1"}},
                                 "apiServerInternalURI": "https://api-int.sample.example.com:6443"}}
    network = {"apiVersion": "config.openshift.io/v1", "kind": "Network", "metadata": {"name": "cluster"},
               "status": {"clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}], "serviceNetwork": ["172.30.0.0/16"]}}
    machines = [{"apiVersion": "machine.openshift.io/v1beta1", "kind": "Machine", "metadata": {"name": f"win-{one}-{end}", "namespace": "openshift-machine-api",
                 "labels": {"machine.openshift.io/cluster-api-machineset": f"win-{one}"}}} for one in PLATFORMS for end in ("abcde", "fghij")]
    binding = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "egress-provisioner-source"}}
    return [sample, pool, *nodes, infrastructure, network, proxy(url), binding, deployment(), deployment("default"), *egress_nodes(), *map(machine_set, PLATFORMS), *machines,
            secret("windows-user-data", "openshift-machine-api", userData=OPERATORS),
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "cloud-private-key", "namespace": "openshift-windows-machine-config-operator"},
             "data": {"private-key.pem": base64.b64encode(b"no key").decode()}},
            secret("worker-user-data-managed", "openshift-machine-api", userData=json.dumps(sample["spec"]["config"])),
            config_map("machine-config-server-ca", "openshift-machine-config-operator", **{"ca-bundle.crt": root}),
            config_map("user-ca-bundle", "openshift-config", **{"ca-bundle.crt": root}),
            config_map("cluster-config-v1", "kube-system", **{"install-config": "apiVersion: v1\nnetworking:\n  machineNetwork:\n  - cidr: 10.0.0.0/16\n"})]


def aks(url="http://proxy.example.com:3128/"):
    return {"name": "CLUSTER", "type": "Microsoft.ContainerService/ManagedClusters", "provisioningState": "Succeeded", "location": "westeurope",
            "fqdn": "cluster-dns-1234.hcp.westeurope.azmk8s.io", "networkProfile": {"serviceCidr": "10.0.0.0/16", "podCidr": "10.244.0.0/16"},
            "httpProxyConfig": {"httpProxy": url, "httpsProxy": url, "noProxy": ["localhost", "127.0.0.1", "10.0.0.0/16", ".example.internal"],
                                "trustedCa": base64.b64encode((TESTS / "sample/corporate-root.pem").read_bytes()).decode()}}


def make_image(program, folder):
    """A made-up Windows: what hivexregedit makes of hives that we baked, with one service. None without that tool."""
    if shutil.which("hivexregedit") is None:
        return None
    return windows_image.make(program, folder, {**windows_image.SELECT, **windows_image.control_set("ControlSet001")}, windows_image.software())


def node_texts(program, folder, with_wmco):
    """What `first-boot`, `status` and `remove --all` print on a node with containerd: what they print of an image like it, with
    what only a machine that runs adds. `status` lacks its line `source`."""
    windows = make_image(program, folder / "windows")
    none = "[-\\Microsoft\\Windows\\CurrentVersion\\Internet Settings\\Connections]\n"
    harness.must("hivexregedit", "--merge", windows / windows_image.CONFIG / "SOFTWARE", input=none)
    reboot = "" if with_wmco else "required: services and system processes see machine variables after the next boot\n"

    def text(*words):
        done = subprocess.run([program, *words, "--root", windows], capture_output=True, text=True, check=True, timeout=60)
        return "".join(line + "\n" for line in done.stdout.splitlines() if not line.startswith("unseen ")).replace(f"image {windows}", "this machine")

    scope = ["--with-wmco"] if with_wmco else []
    first = text("apply", TESTS / "sample/rendered-worker.json", "--service", "containerd", "--service", "kubelet", *scope)
    status = re.sub(r"(?m)^source .*\n", "", text("status"))
    status = re.sub(r"(?m)^(applied .*\n)", r"\1boot     the service Provisioner 0.1.0 runs (process 2044)\n", status)
    if reboot:
        status = status.replace(", no drift\n", ", no drift\nreboot   required: services see machine variables after the next boot\n")
    installed = "the service Provisioner is installed; its program is C:\\Program Files\\Provisioner\\provisioner.exe\n"
    removed = re.sub(r"(?m)^(\d+ writes )", r"  - deleted  service      Provisioner\n\1", text("remove", "--all"))
    return {"first-boot": first + (f"reboot {reboot}" if reboot else "") + installed, "status": status, "remove": removed}


class World:
    """A new one for each page. `source`: the file whose settings the nodes of its cluster have."""

    def __init__(self, program, folder, keys, source=TESTS / "sample/rendered-worker.json"):
        self.program, self.folder = program, pathlib.Path(folder)
        self.bin, self.objects = self.folder / ".bin", self.folder / ".objects"
        for made in (self.bin, self.objects, self.folder / ".home/.kube", self.folder / ".ran"):
            made.mkdir(parents=True)
        double = TESTS / "docs/page_doubles.py"
        for name in ("oc", "kubectl", "az", "ssh", "scp", "skopeo"):
            harness.put_tool(self.bin / name, f'exec "{sys.executable}" -B "{double}" {name} "$@"\n')
        harness.put_tool(self.bin / "provisioner", WRAPPER % program)
        for name in ("tests", "images", "templates", "images/recipes/packer"):
            (self.folder / pathlib.Path(name).name).symlink_to(TESTS.parent / name)
        self._write_inputs()
        self._serve(keys, source or self.objects / "aks.json")

    def _write_inputs(self):
        page_doubles.FOLDER = self.objects
        for document in objects():
            page_doubles.keep(document, "default")
        (self.objects / "aks.json").write_text(json.dumps(aks()))
        (self.folder / "provisioner.exe").write_bytes(make_program())
        with tarfile.open(self.bin / "tree.tar", "w") as tree:
            tree.add(self.program, "./usr/bin/provisioner")
        subprocess.run([self.program, "bake", "--format", "oci", "--os", "linux", "--tree", self.bin / "tree.tar", "--out",
                        self.folder / "provisioner-controller-0.1.0-linux-amd64.oci"], check=True, capture_output=True)
        sample = json.loads((TESTS / "sample/rendered-worker.json").read_text())
        (self.folder / "rendered-worker.json").write_text(json.dumps(sample))
        (self.folder / "rendered-worker.yaml").write_text(yaml.safe_dump(sample))
        (self.folder / "worker.ign").write_text(json.dumps(sample["spec"]["config"]))
        shutil.copy(TESTS / "sample/proxy-root.pem", self.folder / "new-ca.pem")
        (self.folder / "deployment.yaml").write_text(yaml.safe_dump(deployment()))

    def add_images(self):
        """The folder `windows`, and two images in install.wim and in what stands for an ISO. False where a tool is missing."""
        image = shutil.which("wimlib-imagex") and make_image(self.program, self.folder / "windows")
        for verb, name in (("capture", "SERVERSTANDARDCORE"), ("append", "SERVERSTANDARD")) if image else ():
            subprocess.run(["wimlib-imagex", verb, image, self.folder / "install.wim", f"Windows Server 2022 {name}"], check=True, capture_output=True)
        if image:
            shutil.copy(self.folder / "install.wim", self.folder / "server2022.iso")
        return bool(image)

    def _serve(self, keys, source):
        """Loopback has the config and the nodes, which are all current."""
        authority, leaf = keys
        self.server = ApiServer(leaf, authority.pem)
        (self.folder / ".home/.kube/config").write_text(kubeconfig(self.server.port, ca=authority.pem))
        (self.objects / "server").write_text(f"https://127.0.0.1:{self.server.port}")
        (self.objects / "token").write_text(TOKEN)
        page_doubles.keep(config_map("kube-root-ca.crt", "default", **{"ca.crt": authority.pem.read_text()}), "default")
        (self.folder / "kubeconfig").write_text(kubeconfig(self.server.port, ca=authority.pem).replace("loop", "prod"))
        document = json.loads((TESTS / "sample/rendered-worker.json").read_text())
        self.server.put("/apis/machineconfiguration.openshift.io/v1/machineconfigs/" + CONFIG, spec=document["spec"])
        for pool in ("worker", "infra"):
            self.server.put("/apis/machineconfiguration.openshift.io/v1/machineconfigpools/" + pool, spec={"configuration": {"name": CONFIG}},
                            status={"configuration": {"name": CONFIG}})
        digest = json.loads(subprocess.run([self.program, "extract", source], capture_output=True, text=True, check=True).stdout)["digest"]
        self._tell(digest)
        # Two minutes ago is two minutes before somebody asks, however long the commands before took.
        self.server.faults.append(lambda _handler, path, _query: path == NODES and self._tell(digest))
        pod = {**deployment()["spec"]}
        self.server.put("/apis/apps/v1/namespaces/shop/deployments/web", spec=pod)
        self.server.put("/api/v1/namespaces/trust/configmaps/corporate-cas", data={"trust-bundle.pem": (TESTS / "sample/corporate-root.pem").read_text()})

    def _tell(self, digest):
        then = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 125))
        for name in ("win-1", "win-2"):
            self.server.put_node(name, {"schema": 1, "digest": digest, "credentialDigest": None, "generation": None, "appliedAt": then,
                                        "readAt": then, "drift": 0, "rebootRequired": True, "held": False, "failure": None, "pending": None, "trial": None,
                                        "version": "0.1.0"})

    def cluster(self):
        """The objects of `oc`, but for Machines, which MachineSets make anew."""
        return {path.name: json.loads(path.read_text()) for path in self.objects.glob("*,*.json") if not path.name.startswith("Machine,")}

    def environment(self):
        return {"PATH": f"{self.bin}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(self.folder / ".home"), "DOUBLES": str(self.objects), "NO_COLOR": "1",
                "LC_ALL": "C.UTF-8", "REAL_SKOPEO": shutil.which("skopeo") or "skopeo", "PYTHONDONTWRITEBYTECODE": "1"}

    def close(self):
        self.server.close()
        self.server.held.close()


def make_keys(folder):
    authority = Authority(pathlib.Path(folder), "ca")
    return authority, authority.sign("api", "serverAuth", "IP:127.0.0.1")

