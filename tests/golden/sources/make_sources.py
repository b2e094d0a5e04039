#!/usr/bin/env python3
"""Writes one file of each kind of source, of this project's own values and the sample's certificates.

usage: make_sources.py     beside each NAME lies NAME.expected.json: what `extract - < NAME` prints, looked over by hand
"""
import base64
import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
SAMPLE = HERE.parent.parent / "sample"
PROXY = "http://egress-user:S3cret%40p@proxy.example.com:3128"
NO_PROXY = [".cluster.local", ".svc", "10.0.0.0/16", "10.128.0.0/14", "127.0.0.1", "169.254.169.254", "172.30.0.0/16", "api-int.sample.example.com", "localhost"]
HEAD = {"apiVersion": "config.openshift.io/v1", "kind": "Proxy", "metadata": {"name": "cluster"}}


def pem(*names):
    return "".join((SAMPLE / (name + ".pem")).read_text() for name in names)


def indented(text, blanks):
    return "".join(" " * blanks + line + "\n" for line in text.splitlines())


def packed(text):
    return base64.b64encode(text.encode()).decode()


def config_map(name, text, namespace="openshift-config"):
    return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\n  namespace: %s\ndata:\n  ca-bundle.crt: |\n%s" % (name, namespace, indented(text, 4))


def write(name, data):
    (HERE / name).write_text(data if isinstance(data, str) else json.dumps(data, indent=2) + "\n")


def openshift():
    spec = "spec:\n  httpProxy: %s\n  httpsProxy: %s\n  noProxy: .example.internal\n  trustedCA:\n    name: corporate\n" % (PROXY, PROXY)
    status = "status:\n  httpProxy: %s\n  httpsProxy: %s\n  noProxy: %s\n" % (PROXY, PROXY, ",".join(sorted(NO_PROXY + [".example.internal"])))
    write("proxy.yaml", "---\napiVersion: config.openshift.io/v1\nkind: Proxy\nmetadata:\n  name: cluster\n%s%s---\n%s---\n%s" % (
        spec, status, config_map("user-ca-bundle", pem("corporate-root")), config_map("corporate", pem("proxy-root"))))
    merged = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "trusted-ca", "namespace": "openshift-windows-machine-config-operator",
              "labels": {"config.openshift.io/inject-trusted-cabundle": "true"}}, "data": {"ca-bundle.crt": pem("corporate-root", "proxy-root", "corporate-intermediate")}}
    write("proxy-list.json", {"apiVersion": "v1", "kind": "List", "items": [
        {**HEAD, "spec": {"trustedCA": {"name": "user-ca-bundle"}}, "status": {"httpsProxy": "http://proxy.example.com:3128", "noProxy": "*"}}, merged]})
    write("config-map.yaml", config_map("user-ca-bundle", pem("corporate-root", "corporate-intermediate")))
    write("controller-config.json", {"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "ControllerConfig", "metadata": {"name": "machine-config-controller"},
          "spec": {"proxy": {"httpProxy": PROXY, "httpsProxy": PROXY, "noProxy": ",".join(NO_PROXY)}, "additionalTrustBundle": packed(pem("corporate-root", "proxy-root")),
                   "rootCAData": packed(pem("corporate-intermediate"))}})
    write("install-config.yaml", "apiVersion: v1\nbaseDomain: example.com\nmetadata:\n  name: sample\ncontrolPlane:\n  name: master\n  replicas: 3\ncompute:\n- name: worker\n  replicas: 2\n"
          "networking:\n  networkType: OVNKubernetes\n  clusterNetwork:\n  - cidr: 10.128.0.0/14\n    hostPrefix: 23\n  machineNetwork:\n  - cidr: 10.0.0.0/16\n  serviceNetwork:\n  - 172.30.0.0/16\n"
          "platform:\n  aws:\n    region: eu-west-1\nproxy:\n  httpProxy: %s\n  httpsProxy: %s\n  noProxy: .example.internal,10.0.0.0/16\n"
          "additionalTrustBundlePolicy: Always\nadditionalTrustBundle: |\n%spullSecret: '{\"auths\":{}}'\nsshKey: ssh-ed25519 AAAA\n" % (PROXY, PROXY, indented(pem("corporate-root"), 2)))


def of_other_operators():
    """HyperShift, Rancher, and any cluster's certificates."""
    write("hosted-cluster.yaml", "---\napiVersion: hypershift.openshift.io/v1beta1\nkind: HostedCluster\nmetadata:\n  name: sample\n  namespace: clusters\nspec:\n"
          "  additionalTrustBundle:\n    name: user-ca\n  configuration:\n    proxy:\n      httpProxy: %s\n      httpsProxy: %s\n      noProxy: .example.internal\n"
          "      trustedCA:\n        name: proxy-ca\n  networking:\n    serviceNetwork:\n    - cidr: 172.30.0.0/16\n---\n%s---\n%s" % (
              PROXY, PROXY, config_map("user-ca", pem("corporate-root"), "clusters"), config_map("proxy-ca", pem("proxy-root"), "clusters")))
    write("rancher-cluster.json", {"apiVersion": "provisioning.cattle.io/v1", "kind": "Cluster", "metadata": {"name": "sample", "namespace": "fleet-default"},
          "spec": {"kubernetesVersion": "v1.33.1+rke2r1", "rkeConfig": {"machineGlobalConfig": {"disable-kube-proxy": False}},
                   "agentEnvVars": [{"name": "HTTP_PROXY", "value": PROXY}, {"name": "https_proxy", "value": PROXY}, {"name": "NO_PROXY", "value": ".svc,10.0.0.0/8"},
                                    {"name": "SSL_CERT_FILE", "value": "/etc/ssl/corporate.pem"}]}})
    write("trust-manager.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: corporate\n  namespace: trust\n  labels:\n    trust.cert-manager.io/bundle: corporate\n"
          "data:\n  trust-bundle.pem: |\n%sbinaryData:\n  trust-bundle.p12: MIIB\n" % indented(pem("corporate-root", "proxy-root"), 4))
    write("cluster-trust-bundle.json", {"apiVersion": "certificates.k8s.io/v1beta1", "kind": "ClusterTrustBundle", "metadata": {"name": "example.com:signer:corporate"},
          "spec": {"signerName": "example.com/signer", "trustBundle": pem("corporate-root", "corporate-intermediate")}})


def aks():
    config = {"httpProxy": "http://proxy.example.com:8080/", "httpsProxy": "https://proxy.example.com:8443/", "noProxy": ["docker.io", "localhost", ".example.internal"]}
    write("aks-file.json", {**config, "trustedCA": packed(pem("proxy-root").replace("\n", "\r\n"))})
    write("aks-arm.json", {"properties": {"httpProxyConfig": {"enabled": "true", "httpProxy": "http://proxy.example.com:8080", "trustedCa": packed(pem("proxy-root"))},
          "clusterFacts": {"apiServerFqdn": "sample-1234.hcp.westeurope.azmk8s.io", "serviceCidrs": ["10.0.0.0/16"], "podCidrs": ["10.244.0.0/16"], "vnetCidrs": ["10.224.0.0/12"]}}})
    write("aks-show.json", {"fqdn": "sample-1234.hcp.westeurope.azmk8s.io", "httpProxyConfig": {**config, "enabled": True, "trustedCa": None, "effectiveNoProxy": [
        "konnectivity", "docker.io", "10.0.0.0/16", "localhost", "127.0.0.1", "168.63.129.16", "169.254.169.254", "10.224.0.0/12", "sample-1234.hcp.westeurope.azmk8s.io", ".example.internal"]},
        "kind": "Base", "name": "sample", "networkProfile": {"networkPlugin": "azure", "serviceCidr": "10.0.0.0/16", "serviceCidrs": ["10.0.0.0/16"], "podCidr": None}})


def pods():
    env = lambda blanks, values: "".join("%s- name: %s\n%s  value: \"%s\"\n" % (" " * blanks, name, " " * blanks, value) for name, value in values)
    values = [("HTTP_PROXY", "http://proxy.example.com:8080/"), ("http_proxy", "http://proxy.example.com:8080/"), ("HTTPS_PROXY", ""), ("NO_PROXY", ".svc,10.0.0.0/16")]
    write("deployment.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    metadata:\n      annotations:\n        kubernetes.azure.com/no-http-proxy-vars: \"true\"\n"
          "    spec:\n      containers:\n      - name: plain\n        image: a\n      - name: web\n        image: b\n        env:\n%s      initContainers:\n      - name: init\n        env:\n%s" % (
              env(8, values), env(8, values[:1])))
    write("proxy.env", "# Egress settings.\nHTTP_PROXY=%s\nHTTPS_PROXY=%s\nNO_PROXY=%s\n" % (PROXY, PROXY, ",".join(NO_PROXY)))
    write("bundle.pem", "# Example Corp\nsubject=CN = Example Corp Root CA\n" + pem("corporate-root", "corporate-intermediate"))


if __name__ == "__main__":
    openshift()
    of_other_operators()
    aks()
    pods()
