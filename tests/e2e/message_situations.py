"""What a user can get wrong: each situation as code | place | command line, in a folder that `prepare` fills.

The place is what the line must name: a file, an option, a command, a field. {web} is a server that answers as its path says."""
import json
import shutil

from harness import SAMPLE, must


SITUATIONS = """
usage          | provisioner        |
usage          | extrac             | extrac sample.json
usage          | xyzzy              | xyzzy
usage          | provisioner        | --output text
usage          | extract            | extract
usage          | extract            | extract ""
usage          | extract            | extract sample.json sample.json
usage          | --formt            | extract sample.json --formt env
usage          | --shw-secrets      | extract sample.json --shw-secrets
usage          | --show             | extract sample.json --show
usage          | --xyzzy            | extract sample.json --xyzzy
usage          | extract            | sample.json extract
usage          | -f                 | check -f sample.json
usage          | --out              | bake sample.json -o payload
usage          | --out payload      | bake sample.json payload
usage          | --dry-run          | apply sample.json --dry-run
usage          | --al               | remove --al
usage          | -x                 | extract sample.json -x
usage          | --format           | extract sample.json --format jsn
usage          | --format           | extract sample.json --format xml
usage          | --format           | extract sample.json --format
usage          | --output           | extract sample.json --output yaml
usage          | --out?             | bake sample.json --output payload
usage          | --url https://a/?  | explain sample.json https://a/
usage          | --wim FILE:INDEX   | apply sample.json --image x
json           | standard input     | extract -
kind           | oc-error.txt       | extract oc-error.txt
kind           | table.txt          | extract table.txt
usage          | --pool             | extract sample.json --pool
usage          | --trust            | extract sample.json --trust abc
usage          | --source-timeout   | extract sample.json --source-timeout 0
usage          | --source-timeout   | extract sample.json --source-timeout soon
usage          | --source-timeout   | extract sample.json --source-timeout 99999
proxy-url      | --source-proxy     | extract sample.json --source-proxy socks9://p
usage          | --strict           | check sample.json --strict=1
usage          | check              | check
usage          | ftp://x/           | check sample.json --probe ftp://x/
usage          | --probe-timeout    | check sample.json --probe https://127.0.0.1:9/ --probe-timeout 0
usage          | --url              | explain sample.json
usage          | --url quay.io      | explain sample.json --url quay.io
usage          | --url http://a/?   | explain http://a/ sample.json
usage          | --url quay.io/a/b  | explain sample.json --url quay.io/a/b
usage          | --registries       | explain sample.json --url http://a/ --registries hosts.txt
usage          | --platform         | explain sample.json --image a --platform windows
usage          | --html             | explain sample.json --image a --html page.html
image-reference | --image            | explain sample.json --image https://quay.io/a/b
image-reference | --image quay.io/A  | explain sample.json --image quay.io/A
not-found      | missing.toml       | explain sample.json --image a --registries missing.toml
usage          | --os-version       | check sample.json --image a --os-version server
usage          | --os-version       | check sample.json --image a --os-version 10.0
usage          | --os-version       | check sample.json --image a --os-version 10.0.20348 --platform linux/amd64
usage          | --pull-secret      | check sample.json --pull-secret x
image-reference | --image            | check sample.json --image https://quay.io/a/b
not-found      | missing.json       | check sample.json --image a --pull-secret missing.json
kind           | no pull secret     | check sample.json --image a --pull-secret sample.json
usage          | golang             | explain sample.json --url http://a/ --for golang
usage          | --for              | explain sample.json --url http://a/ --for curll
usage          | --for              | explain sample.json --url http://a/ --for xyzzy
not-found      | missing.txt        | explain sample.json --hosts missing.txt
row            | hosts.txt          | explain sample.json --hosts hosts.txt
not-found      | missing.txt        | explain sample.json --required missing.txt
row            | required.txt       | explain sample.json --required required.txt
row            | empty.json         | explain sample.json --required empty.json
usage          | outside.txt        | explain sample.json --required outside.txt
not-found      | missing.yaml       | explain sample.json --url http://a/ --through missing.yaml
usage          | --resolve          | explain sample.json --url http://a/ --resolve a=10.0.0.1
usage          | --html             | explain sample.json --url http://a/ --html -
usage          | --html             | explain sample.json --url http://a/ --html
target         | sample.json        | explain sample.json --url http://a/ --html sample.json
target         | folder             | explain sample.json --url http://a/ --html folder
target         | hosts.txt/page     | explain sample.json --url http://a/ --html hosts.txt/page
usage          | --out              | bake sample.json
usage          | --out              | bake sample.json --out ""
usage          | --out              | bake sample.json --out -
usage          | --format           | bake sample.json --out x --format rar
usage          | --out x.zip        | bake sample.json --out x.zip
usage          | --generation       | bake sample.json --out x --generation -1
usage          | --generation       | bake sample.json --out x --generation one
usage          | --scope            | bake sample.json --out x --scope machne
usage          | --scope            | bake sample.json --out x --scope everything
usage          | --scope            | bake sample.json --out x --scope ,
usage          | --service          | bake sample.json --out x --service a\\\\b
usage          | --credentials      | bake sample.json --out x --credentials everywhere
usage          | --registry-folder  | bake sample.json --out x --registry-folder 'C:\\k\\x'
usage          | --registry-folder  | bake sample.json --out x --registry-folder certs.d
usage          | --registry-folder  | bake sample.json --out x --registry-folder 'C:\\PROGRA~1\\x'
usage          | --registry-folder  | bake sample.json --out x --registry-folder 'C:\\' --scope registries
usage          | --registry-folder  | bake sample.json --out x --registry-folder 'C:\\x' --scope certs
usage          | --store            | bake sample.json --out x --store rot-only
usage          | --label            | bake sample.json --out x --format iso --label "a b"
usage          | --label            | bake sample.json --out x --label abc
usage          | --platform         | bake sample.json --out x --format userdata
usage          | --platform         | bake sample.json --out x --format userdata --platform asure
usage          | --platform         | bake sample.json --out x --platform aws
hash-spec      | --exe-url          | bake sample.json --out x --format userdata --platform gcp --exe-url ftp://x/
hash-spec      | --exe-url          | bake sample.json --out x --format userdata --platform gcp --exe-url https://x/#sha256=12
hash-spec      | --exe-url          | bake sample.json --out x --format userdata --platform aws --exe-url https://x/y
usage          | --exe-url          | bake sample.json --out x --exe-url https://x/#sha256={zeros}
hash-spec      | --ca-transport     | bake sample.json --out x --format userdata --platform aws --ca-transport elsewhere
usage          | --exe              | bake sample.json --out x --format userdata --platform aws --exe sample.json
usage          | --unattend         | bake sample.json --out x --format userdata --platform aws --unattend cut.xml
json           | cut.json           | bake sample.json --out x --format userdata --platform aws --append-to cut.json
kind           | pod.json           | bake sample.json --out x --format userdata --platform aws --append-to pod.json
kind           | oc-error.txt       | bake sample.json --out x --format userdata --platform aws --append-to oc-error.txt
kind           | table.txt          | bake sample.json --out x --format userdata --platform aws --append-to table.txt
kind           | corporate-root.pem | bake sample.json --out x --format userdata --platform aws --append-to corporate-root.pem
kind           | --append-to        | bake sample.json --out x --format userdata --platform aws --append-to script.txt --with-wmco
usage          | --secret-form      | bake sample.json --out x --format userdata --platform aws --secret-form cluster-api
usage          | --secret-form      | bake sample.json --out x --format userdata --platform aws --secret a --secret-form other
usage          | --secret           | bake sample.json --out x --format userdata --platform aws --secret A_B
reserved-name  | windows-user-data  | bake sample.json --out x --format userdata --platform aws --secret windows-user-data
signature      | sample.json        | bake sample.json --out x --signer signer.pem
usage          | --next-signer      | bake sample.json --out x --next-signer signer.pem
usage          | --sign             | bake sample.json --out x --sign missing.key
not-found      | missing.key        | bake changed --out x --sign missing.key --signer signer.pem
signature      | corporate-root.pem | bake sample.json --out x --sign corporate-root.pem --signer corporate-root.pem
not-found      | missing.exe        | bake sample.json --out x --exe missing.exe
kind           | text.exe           | bake sample.json --out x --exe text.exe
kind           | text.exe           | bake --out x --format oci --exe text.exe
usage          | --exe              | bake --out x --format oci
usage          | --out              | bake --format oci --exe text.exe
usage          | SOURCE             | bake --out x --format tar
usage          | SOURCE             | bake sample.json --out x --format oci --exe text.exe
usage          | --service          | bake --out x --format oci --exe text.exe --service kubelet
usage          | --label            | bake --out x --format oci --exe text.exe --label x
usage          | --credentials      | bake --out x --format oci --exe text.exe --credentials none
not-found      | missing.xml        | bake sample.json --out x --unattend missing.xml
xml            | cut.xml            | bake sample.json --out x --unattend cut.xml
xml            | other.xml          | bake sample.json --out x --unattend other.xml
not-found      | missing.pem        | bake sample.json --out x --subtract missing.pem
cert           | cut.pem            | bake sample.json --out x --subtract cut.pem
not-found      | missing.csv        | bake sample.json --out x --nodes missing.csv
row            | nodes.csv          | bake sample.json --out x --nodes nodes.csv
row            | columns.csv        | bake sample.json --out x --nodes columns.csv
row            | header.csv         | bake sample.json --out x --nodes header.csv
target         | program.bin        | bake sample.json --out program.bin
target         | sample.json        | bake sample.json --out sample.json/x
target         | full               | bake sample.json --out full
target         | changed            | bake sample.json --out changed --format tgz
target         | folder             | bake sample.json --out folder --format tar
fail-open      | fail-open.env      | bake fail-open.env --out x
not-found      | missing.json       | extract missing.json
json           | bad.json           | extract bad.json
json           | cut.json           | extract cut.json
json           | utf8.json          | extract utf8.json
json           | deep.json          | extract deep.json
yaml           | bad.yaml           | extract bad.yaml
yaml           | anchor.yaml        | extract anchor.yaml
yaml           | tab.yaml           | extract tab.yaml
yaml           | tag.yaml           | extract tag.yaml
kind           | array.json         | extract array.json
kind           | secret.json        | extract secret.json
type           | type.json          | extract type.json
no-config      | no-config.json     | extract no-config.json
version        | version.json       | extract version.json
hash-mismatch  | hash.json          | extract hash.json
remote-source  | remote.json        | extract remote.json
data-url       | data-url.json      | extract data-url.json
decompress     | gzip.json          | extract gzip.json
not-found      | list.json          | extract list.json --pool windows
not-found      | list.json          | extract list.json --name rendered-windows
json           | empty.json         | extract empty.json
yaml           | program.bin        | extract program.bin
kind           | text.exe           | extract text.exe
kind           | program.exe        | extract program.exe
kind           | newer/manifest.json | extract newer/manifest.json
not-found      | kube://            | extract kube:
not-found      | mcs://HOST         | extract host.example:22623/config/worker
kind           | lower.env          | extract lower.env
env-nul        | nul.env            | extract nul.env
cert           | cut.pem            | extract cut.pem
kind           | html.pem           | extract html.pem
cert           | key.pem            | extract key.pem
not-found      | folder             | extract folder
fail-open      | scheme.env         | bake scheme.env --out x
manifest       | changed            | extract changed
version        | newer              | extract newer
scheme         | ftp://             | extract ftp://host/x
scheme         | http://host/x      | extract http://host/x
usage          | mcs:               | extract mcs://host:22623/worker
scheme         | mcs:               | extract mcs://host:22623/worker?x --ca corporate-root.pem
not-found      | missing.pem        | extract https://host/x --ca missing.pem
network        | {web}/401          | extract {web}/401#sha256={zeros} --source-timeout 30
network        | {web}/403          | extract {web}/403#sha256={zeros} --source-timeout 30
not-found      | {web}/404          | extract {web}/404#sha256={zeros} --source-timeout 30
network        | {web}/500          | extract {web}/500#sha256={zeros} --source-timeout 1
network        | {web}/slow         | extract {web}/slow#sha256={zeros} --source-timeout 1
kind           | {web}/html         | extract {web}/html#sha256={zeros} --source-timeout 30
hash-mismatch  | {web}/text         | extract {web}/text#sha256={zeros} --source-timeout 30
network        | http://127.0.0.1:9 | extract http://127.0.0.1:9/x#sha256={zeros} --source-timeout 1
not-found      | missing.conf       | extract kube:// --kubeconfig missing.conf
yaml           | bad.yaml           | extract kube:// --kubeconfig bad.yaml
type           | array.json         | extract kube:// --kubeconfig array.json
not-found      | context.conf       | extract kube:// --kubeconfig context.conf
not-found      | context.conf       | extract kube://other --kubeconfig context.conf
tls            | insecure.conf      | extract kube:// --kubeconfig insecure.conf
target         | provisioner plan   | plan sample.json
target         | provisioner apply  | apply sample.json
target         | provisioner status | status
target         | provisioner confirm | confirm
target         | provisioner rollback | rollback
target         | provisioner remove | remove
target         | provisioner first-boot | first-boot sample.json
target         | provisioner reconcile | reconcile
target         | provisioner service | service install --source sample.json
usage          | provisioner service | service instal
usage          | provisioner service | service
usage          | --interval         | reconcile --interval 0
usage          | --try              | apply sample.json --try 0
usage          | --reboot           | apply sample.json --reboot annotate
usage          | --exit-style       | apply sample.json --exit-style msix
usage          | --phase            | first-boot sample.json --phase specialise
usage          | --root             | plan sample.json --root image --wim a.wim:1
target         | missing            | plan sample.json --root missing
target         | folder             | plan sample.json --root folder
target         | sample.json        | plan sample.json --root sample.json
hive           | broken             | plan sample.json --root broken
usage          | --wim              | plan sample.json --wim text.exe
usage          | --wim              | plan sample.json --wim text.exe:0
target         | missing.wim        | plan sample.json --wim missing.wim:1
target         | text.exe           | plan sample.json --wim text.exe:1
target         | folder             | status --root folder
target         | text.exe           | status --wim text.exe:1
usage          | --proxy            | publish
not-found      | missing.yaml       | publish --proxy missing.yaml --infrastructure pod.json --network pod.json
yaml           | bad.yaml           | publish --proxy bad.yaml --infrastructure pod.json --network pod.json
json           | bad.json           | publish --proxy bad.json --infrastructure pod.json --network pod.json
kind           | pod.json           | publish --proxy pod.json --infrastructure pod.json --network pod.json
usage          | --pod              | pod-env sample.json
not-found      | missing.yaml       | pod-env sample.json --pod missing.yaml
yaml           | bad.yaml           | pod-env sample.json --pod bad.yaml
kind           | secret.json        | pod-env sample.json --pod secret.json
usage          | --patch            | pod-env sample.json --pod pod.json --patch merge
usage          | router             | router
usage          | router             | router rendr
usage          | --format           | router render routes.txt
usage          | --format           | router render routes.txt --format nftables
usage          | --format           | router render routes.txt --format nft
usage          | --a-records        | router render routes.txt --format squid --a-records a
usage          | router             | router render --format squid
usage          | router             | router check
usage          | --node-network     | router check routes.txt --node-network 10.0.0
usage          | router             | router check routes.txt --format squid
usage          | router             | router explain --destination routes.txt
usage          | a..b               | router explain --destination routes.txt a..b
usage          | --resolve          | router explain --destination routes.txt --resolve a a.test
not-found      | missing.txt        | router render missing.txt --format squid
destination    | line 2             | router render bad-routes.txt --kind http-proxy --format squid
destination    | line 1             | router render routes.txt --kind redirect --format nft
destination    | --source           | router render routes.txt --source 1.2.3.400 --format squid
destination    | routes.txt         | router render routes.txt --format manifest
yaml           | bad.yaml           | router render bad.yaml --format squid
kind           | secret.json        | router render secret.json --format squid
usage          | egress-ip          | egress-ip
not-found      | missing.yaml       | egress-ip missing.yaml
yaml           | bad.yaml           | egress-ip bad.yaml
usage          | --trust            | pod-env sample.json --pod pod.json --trust user-ca
usage          | kube://            | pod-env sample.json --pod kube://
usage          | --restart          | pod-env sample.json --pod pod.json --restart
usage          | --namespace-selector | pod-env sample.json --format admission-policy --namespace-selector a..
usage          | --params           | pod-env sample.json --format admission-policy --params pod-params
usage          | --check            | pod-env sample.json --format admission-policy --check
usage          | --reboot-window    | apply sample.json --reboot now --reboot-window 1-2
usage          | --node             | apply sample.json --node WIN_1
usage          | --reboot           | apply sample.json --reboot annotate
usage          | --metrics          | service install --metrics metrics.txt
usage          | provisioner deploy | deploy
usage          | --image            | deploy --print
usage          | --api-server       | deploy --print --image provisioner:1 --api-server https://api
usage          | --params           | deploy --print --image provisioner:1 --params pod-params
usage          | --restricted       | deploy --print --image provisioner:1 --restricted
usage          | --platform         | deploy --print --image provisioner:1 --params a/b --platform aws
usage          | --secret           | controller --source kube:///worker
usage          | --source           | controller --secret a/b --platform aws
usage          | --platform         | controller --source kube:///worker --params a/b --platform aws
usage          | --append-to-secret | controller --source kube:///worker --secret a/b --append-to-secret a/b
usage          | --lease            | controller --source kube:///worker --params a/b --lease x
usage          | cluster            | fleet status cluster
usage          | fleet              | fleet
usage          | status             | fleet statsu kube://
usage          | kube://[CONTEXT]   | fleet status
usage          | kube://            | fleet status ""
usage          | --wait             | fleet status kube:// --wait x
usage          | --canary           | fleet status kube:// --canary 2
usage          | --watch            | fleet status kube:// --watch
usage          | --html             | fleet status kube:// --html -
usage          | --html             | fleet hold kube:// --html page.html
usage          | --namespace        | fleet status kube:// --namespace a/b
usage          | --canary           | fleet rollout kube:// --canary 0
usage          | --wave             | fleet rollout kube:// --wave 0%
usage          | --wave             | fleet rollout kube:// --wave 101%
usage          | --trial            | fleet rollout kube:// --trial 5
usage          | --timeout          | fleet rollout kube:// --timeout 0
usage          | --on-failure       | fleet rollout kube:// --on-failure stop
usage          | ftp://x/           | fleet rollout kube:// --probe ftp://x/
usage          | --probe https://a/ | fleet rollout kube:// --probe https://a/?token=x
image-reference | --image           | fleet rollout kube:// --image https://quay.io/a/b
usage          | --wait             | fleet rollout kube:// --wait 5
usage          | --wave             | fleet hold kube:// --wave 5
usage          | --source           | fleet resume kube:// --source sample.json
usage          | cluster            | fleet hold cluster
usage          | completion         | completion tcsh
usage          | proxy-ur           | explain-code proxy-ur
"""

# What a review of a change has to say: what was applied to an image before | a text on either stream | command line.
CHANGES = """
secret.env | HTTP_PROXY  http://u:***@p:1 (password)                   | plan secret-2.env --service containerd
plain.env  | HTTP_PROXY  http://p:1 -> http://q:1                      | plan plain-2.env --service containerd
plain.env  | NO_PROXY  +b.example -a.example                           | plan plain-2.env --service containerd
plain.env  | winHttp      64-bit  proxy http=p:1 -> http=q:1, bypass +  | plan plain-2.env --service containerd
plain.env  | HTTP_PROXY http://p:1 -> http://q:1, NO_PROXY +b.example  | apply plain-2.env --service containerd
plain.env  | warning [option-left-out]: the last run had this            | plan plain.env
plain.env  | warning [option-left-out]: the last run had this            | apply plain.env
secret.env | keep     env          HTTP_PROXY  http://u:***@p:1  (was  | remove --all --dry-run
secret.env | kept     env          HTTP_PROXY  http://u:***@p:1  (was  | remove --all
secret.env | warning [password-stays]: env HTTP_PROXY                  | remove --all
"""

MACHINE_CONFIG = {"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfig", "metadata": {"name": "rendered-worker-1"}}


def machine_config(source, **contents):
    """A MachineConfig whose proxy.env has these contents."""
    file = {"path": "/etc/mco/proxy.env", "mode": 420, "contents": {"source": source, **contents}}
    return {**MACHINE_CONFIG, "spec": {"config": {"ignition": {"version": "3.2.0"}, "storage": {"files": [file]}}}}


def kubeconfig(current, **cluster):
    return {"apiVersion": "v1", "kind": "Config", "current-context": current,
            "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:9", **cluster}}],
            "users": [{"name": "u", "user": {"token": "c4nary"}}], "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}]}


DOCUMENTS = {
    "array.json": [1],
    "type.json": {**MACHINE_CONFIG, "spec": {"config": {"ignition": {"version": "3.2.0"}, "storage": {"files": 7}}}},
    "no-config.json": {**MACHINE_CONFIG, "spec": {}},
    "version.json": {"ignition": {"version": "9.9.0"}},
    "hash.json": machine_config("data:,HTTP_PROXY=http://p:1", verification={"hash": "sha256-" + "0" * 64}),
    "remote.json": machine_config("s3://bucket/x"),
    "data-url.json": machine_config("data:;base64,%%%"),
    "gzip.json": machine_config("data:,plain", compression="gzip"),
    "list.json": {"apiVersion": "v1", "kind": "List", "items": [machine_config("data:,HTTP_PROXY=http://p:1")]},
    "secret.json": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {}},
    "pod.json": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    "context.conf": kubeconfig(""),
    "insecure.conf": kubeconfig("c", **{"insecure-skip-tls-verify": True}),
}

TEXTS = {
    "oc-error.txt": 'Error from server (NotFound): secrets "windows-user-data" not found\n',
    "table.txt": "NAME                TYPE     DATA   AGE\nwindows-user-data   Opaque   1      3d\n",
    "script.txt": "Start-Service sshd\n",
    "bad.json": '{\n  "kind": "MachineConfig",\n  "spec": x\n}\n',
    "cut.json": '{"apiVersion": "v1", "items": [',
    "deep.json": "[" * 2000 + "]" * 2000,
    "bad.yaml": "kind: Proxy\nspec: [a\n",
    "anchor.yaml": "kind: Proxy\nspec: &a\n  httpProxy: http://p:1\n",
    "tab.yaml": "kind: Proxy\nspec:\n\thttpProxy: http://p:1\n",
    "tag.yaml": "kind: Proxy\nspec: !x\n  httpProxy: http://p:1\n",
    "empty.json": "",
    "routes.txt": "*.example\n",
    "bad-routes.txt": "*.example\nexa mple\n",
    "text.exe": "this is a text and no program\n",
    "secret.env": "HTTP_PROXY=http://u:c4nary@p:1\n",
    "secret-2.env": "HTTP_PROXY=http://u:c4nary2@p:1\n",
    "plain.env": "HTTP_PROXY=http://p:1\nNO_PROXY=.svc,a.example\n",
    "plain-2.env": "HTTP_PROXY=http://q:1\nNO_PROXY=.svc,b.example\n",
    "lower.env": "http_proxy=http://p:1\n",
    "nul.env": "HTTP_PROXY=http://p:1\nNO_PROXY=a\0b\n",
    "scheme.env": "HTTP_PROXY=socks9://p:1\n",
    "fail-open.env": "HTTP_PROXY=http://p:99999\n",
    "html.pem": "<!DOCTYPE html>\n<html><body>Login</body></html>\n",
    "key.pem": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
    "hosts.txt": "host.example\nhttp://[::1/\n",
    "required.txt": "https://quay.io/ proxy\nhttps://quay.io/ prox\n",
    "outside.txt": "https://quay.io/ proxy 10.0.0.1\n",
    "cut.xml": '<?xml version="1.0"?>\n<unattend xmlns="urn:schemas-microsoft-com:unattend"><settings>',
    "other.xml": "<html/>",
    "nodes.csv": "name,address\na_b,10.0.0.5/24\nwin-2,10.0.0.300/24\nwin-3,10.0.0.7/24\nwin-3,10.0.0.8/24\n",
    "columns.csv": "name,adress\nwin-1,10.0.0.5/24\n",
    "header.csv": "name\n",
}


def prepare(folder, bake):
    """Fills `folder`; `bake(out)` makes a payload of the sample."""
    root = SAMPLE.with_name("corporate-root.pem")
    shutil.copy(root, folder)
    must("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder / "signer.key", "-out", folder / "signer.pem", "-subj", "/CN=signer")
    shutil.copy(SAMPLE, folder / "sample.json")
    for name, document in DOCUMENTS.items():
        (folder / name).write_text(json.dumps(document, indent=1))
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    (folder / "utf8.json").write_bytes(b'{\n "kind": "\xff"}')
    (folder / "program.bin").write_bytes(bytes(range(256)) * 16)
    (folder / "program.exe").write_bytes(b"MZ\x90\0")
    (folder / "cut.pem").write_text(root.read_text()[:400])
    (folder / "folder").mkdir()
    (folder / "full").mkdir()
    (folder / "full/file").write_text("somebody's\n")
    (folder / "broken/Windows/System32/config").mkdir(parents=True)
    for hive in ("SYSTEM", "SOFTWARE"):
        (folder / "broken/Windows/System32/config" / hive).write_bytes(b"no hive" * 1000)
    for payload in ("changed", "newer"):
        bake(folder / payload)
    egress = folder / "changed/egress.json"
    egress.write_text(egress.read_text().replace("proxy", "other", 1))
    manifest = folder / "newer/manifest.json"
    manifest.write_text(manifest.read_text().replace('"schema": 1', '"schema": 99', 1))
