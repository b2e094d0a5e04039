"""A stand-in for cloudbase-init: processes drives and vSphere's values as it does, boot by boot.

Written after its source (commit c48d759). cloudbase_e2e.py gave the same with that code in the place of this module, with
stand-ins for Windows beneath it. Other than the real one it
- knows three metadata services, of which a drive's is the only one in the default list that needs no network;
- does two things, the network and user data, and of the network only a config drive's physical links and their addresses;
- reads of YAML the lines that bake writes, and no other form of user data than bake makes;
- logs nothing."""
import base64
import gzip
import ipaddress
import json
import os
import pathlib
import re
import shutil
import tempfile

SERVICES = "cloudbaseinit.metadata.services."
CONFIG_DRIVE = SERVICES + "configdrive.ConfigDriveService"
NO_CLOUD = SERVICES + "nocloudservice.NoCloudConfigDriveService"
GUEST_INFO = SERVICES + "vmwareguestinfoservice.VMwareGuestInfoService"
# Of a drive: its label, and the files with the instance and with user data.
DRIVES = {CONFIG_DRIVE: ("config-2", "openstack/latest/meta_data.json", "openstack/latest/user_data"), NO_CLOUD: ("cidata", "meta-data", "user-data")}
ENCODINGS = {"gzip+base64": lambda text: gzip.decompress(base64.b64decode(text)), "base64": base64.b64decode, "": str.encode}


def remove_as_windows_does(folder):
    """shutil.rmtree(folder, ignore_errors=True) where what is read-only can't be deleted."""
    for name, _, files in os.walk(folder, topdown=False):
        for path in (pathlib.Path(name, file) for file in files):
            if path.stat().st_mode & 0o200:
                path.unlink()
        if not os.listdir(name):
            os.rmdir(name)


def instance_of(text):
    if text.lstrip().startswith("{"):
        return json.loads(text).get("uuid")
    found = re.search(r'^instance-id: "?([^"\n]*)"?$', text, re.M)
    return found[1] if found else None


class Machine:
    """What stays of a machine from boot to boot. `run` is given each script and gives its exit code."""

    def __init__(self, run, services=(CONFIG_DRIVE,), adapters=None):
        self.run, self.services, self.adapters = run, services, dict(adapters or {})  # MAC address: name
        self.addresses, self.done = {}, set()
        self.temporary = tempfile.TemporaryDirectory(prefix="cloudbase init ")

    def copies(self):
        """What lies in its temporary folder."""
        return sorted(pathlib.Path(self.temporary.name).iterdir())

    def boot(self, drives=(), guestinfo=None):
        """`drives`: labels and folders; `guestinfo`: names and values. Whether it would reboot."""
        for service in self.services:
            found = self._values(guestinfo or {}) if service == GUEST_INFO else self._drive(service, drives)
            if found:
                return self._configure(*found)
        return False

    # ---- where the data come from: instance, user data, network, copy of the drive

    @staticmethod
    def _values(values):
        def value(name):
            return ENCODINGS[values.get(name + ".encoding", "")](values[name]) if values.get(name) else b""
        metadata, user_data = value("metadata"), value("userdata")
        return (instance_of(metadata.decode()), user_data, None, None) if metadata or user_data else None

    def _drive(self, service, drives):
        wanted, metadata, user_data = DRIVES[service]
        for label, folder in drives:
            if label.lower() == wanted and (folder / metadata).exists():
                copy = pathlib.Path(tempfile.mkdtemp(dir=self.temporary.name))
                shutil.copytree(folder, copy, dirs_exist_ok=True)
                network = copy / "openstack/latest/network_data.json"
                return (instance_of((copy / metadata).read_text()), (copy / user_data).read_bytes() if (copy / user_data).exists() else b"",
                        json.loads(network.read_text()) if service == CONFIG_DRIVE and network.exists() else None, copy)
        return None

    # ---- what is done with them

    def _configure(self, instance, user_data, network, copy):
        steps = {"network": lambda: self._network(network), "user data": lambda: self._user_data(user_data)}
        try:
            for name, step in steps.items():
                if instance is not None and (instance, name) in self.done:
                    continue
                try:
                    code = step() or 0
                except LookupError:
                    continue
                if not 1001 <= code <= 1003:
                    code = 0
                if instance is not None and not code & 2:
                    self.done.add((instance, name))
                if code & 1:
                    return True
        finally:
            if copy:
                remove_as_windows_does(copy)
        return False

    def _network(self, network):
        for link in (network or {}).get("links", []):
            mac = next((m for m in self.adapters if m.lower() == link["ethernet_mac_address"].lower()), None)
            if mac is None:
                raise LookupError("no adapter has " + link["ethernet_mac_address"])
            if self.adapters[mac] != link["id"] and link["id"] in self.adapters.values():
                raise LookupError("the name %s is taken" % link["id"])
            self.adapters[mac] = link["id"]
        for entry in (network or {}).get("networks", []):
            length = ipaddress.ip_network("%s/%s" % (entry["ip_address"], entry["netmask"]), strict=False).prefixlen
            gateway = next((r["gateway"] for r in entry.get("routes", []) if r["netmask"] in ("0.0.0.0", "::")), None)
            dns = [s["address"] for s in entry.get("services", []) if s["type"] == "dns"]
            self.addresses[entry["link"]] = (entry["ip_address"], length, gateway, dns)

    def _user_data(self, data):
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
        if not data:
            return 0
        if re.match(rb"#(ps1|ps1_sysnative)\s", data):
            return self.run(data)
        if re.search(rb"</?(script|powershell)>", data):
            return sum(self.run(script.strip()) for script in re.findall(rb"<powershell>([\s\S]+?)</powershell>", data))
        return 0
