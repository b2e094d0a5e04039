#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets into corpus/TARGET, from the sample and from the texts below.

usage: make_corpus.py [--hive-seeds PROGRAM]     PROGRAM: fuzz_hive_seeds, built from hive_seeds.cc; writes corpus/hive and corpus/hive_editor

The certificates of corpus/certificate other than the sample's are made once with openssl and then stay as they are.
"""
import argparse
import base64
import gzip
import json
import pathlib
import shutil
import struct
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SAMPLE = HERE.parent / "sample"
CORPUS = HERE / "corpus"
BUNDLE = "/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt"
SECRET = "c4nAry"  # what machine_config_fuzz.cc looks for
ENV = ("# settings\nHTTP_PROXY=http://user:%s@proxy.example.com:3128\nHTTPS_PROXY=http://user:%s@proxy.example.com:3128\n"
       "NO_PROXY=.svc,10.0.0.0/16,localhost\n" % (SECRET, SECRET)).encode()


def write(target, name, data):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)


def pem(name):
    return (SAMPLE / (name + ".pem")).read_text()


def der(text):
    return base64.b64decode("".join(line for line in text.splitlines() if not line.startswith("-")))


def percent(data):
    keep = set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()")
    return "data:," + "".join(chr(b) if b in keep else "%%%02X" % b for b in data)


def base64_url(data, mime=""):
    return "data:%s;base64,%s" % (mime, base64.b64encode(data).decode())


def packed(data):
    out = bytearray(gzip.compress(data, 9, mtime=0))
    out[9] = 255
    return bytes(out)


def file(path, source, **contents):
    return {"path": path, "mode": 420, "overwrite": True, "contents": {"source": source, **contents}}


def config(version, files=(), units=(), **more):
    return {"ignition": {"version": version, **more}, "storage": {"files": list(files)}, "systemd": {"units": list(units)}}


def machine_config(name, spec_config, created="2026-01-15T10:20:30Z"):
    return {"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "MachineConfig",
            "metadata": {"name": name, "creationTimestamp": created}, "spec": {"config": spec_config}}


def documents():
    bundle = pem("corporate-root").encode()
    legacy = {"name": "kubelet.service", "dropins": [{"name": "10-mco-default-env.conf",
              "contents": "[Service]\nEnvironment=HTTP_PROXY=http://user:%s@proxy.example.com:3128\nEnvironment=\"NO_PROXY=.svc,a b\"\n" % SECRET}]}
    both = [file("/etc/mco/proxy.env", percent(ENV)), file(BUNDLE, base64_url(packed(bundle)), compression="gzip")]
    inner = config("3.2.0", [file("/etc/mco/proxy.env", percent(b"NO_PROXY=a"))])
    append = {"path": "/etc/mco/proxy.env", "contents": {"source": "data:,HTTP_PROXY%3Dhttp://a:1%0A"}, "append": [{"source": "data:,NO_PROXY%3Db%0A"}]}
    one = machine_config("rendered-worker-0123456789abcdef0123456789abcdef", config("3.4.0", both))
    return {
        "minimal": config("3.0.0"),
        "both": config("3.4.0", both),
        "machine-config": one,
        "list": {"apiVersion": "v1", "kind": "List", "items": [
            machine_config("rendered-worker-00000000000000000000000000000000", config("3.2.0"), "2025-01-01T00:00:00Z"), one,
            machine_config("rendered-master-00000000000000000000000000000000", config("3.2.0"))]},
        "spec2": config("2.2.0", [{"filesystem": "root", "path": "/etc/mco/proxy.env", "mode": 420, "contents": {"source": "data:,A=b", "verification": {}}},
                                  {"filesystem": "root", "path": "/etc/mco/proxy.env", "append": True, "contents": {"source": "data:,%0AC=d"}}], [legacy]),
        "append": config("3.1.0", [append]),
        "merge": config("3.1.0", config={"merge": [{"source": base64_url(json.dumps(inner).encode(), "application/json")}]}),
        "merge-remote": config("3.1.0", config={"merge": [{"source": "http://ignition.example.com/config", "httpHeaders": [{"name": "A", "value": "b"}]}]}),
        "replace": config("3.1.0", config={"replace": {"source": percent(json.dumps(inner).encode())}}),
        "remote-file": config("3.4.0", [file("/etc/mco/proxy.env", "https://files.example.com/proxy.env")]),
        "hash": config("3.1.0", [file("/a", "data:,", verification={"hash": "sha256-e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"})]),
        "units": config("3.4.0", [], [legacy, {"name": "crio.service", "contents": "[Service]\nEnvironment=A=b\n", "enabled": True}]),
        "empty-files": config("3.4.0", [file("/etc/mco/proxy.env", ""), file(BUNDLE, "data:,")]),
        "links": {**config("3.4.0"), "storage": {"links": [{"path": "/etc/mco", "target": "/x"}], "directories": [{"path": "/etc/pki", "mode": 493}]}},
    }


def yaml(value, indent=0):
    """Block style as `oc get -o yaml` has it; strings with line ends as literal blocks."""
    pad = "  " * indent
    if isinstance(value, dict) and value:
        return "".join("\n%s%s:%s" % (pad, key, yaml(item, indent + 1)) for key, item in value.items())
    if isinstance(value, list) and value:
        return "".join("\n%s-%s" % (pad, " " + yaml(item, indent + 1).lstrip() if isinstance(item, dict) else yaml(item, indent + 1)) for item in value)
    if isinstance(value, str) and "\n" in value:
        return " |\n" + "\n".join(pad + line for line in value.splitlines())
    if isinstance(value, str) and not value.startswith("data:"):
        return " " + json.dumps(value)
    return " " + (value if isinstance(value, str) else json.dumps(value))


def ignition():
    for name, document in documents().items():
        text = json.dumps(document, separators=(",", ":"))
        write("ignition_json", name, text)
        write("machine_config", name + ".json", text)
        write("ignition_yaml", name, yaml(document).lstrip("\n") + "\n")
    write("machine_config", "list.yaml", yaml(documents()["list"]).lstrip("\n") + "\n")
    write("ignition_json", "escapes", '{"ignition":{"version":"3.0.0"},"x":["\\u00e4\\ud83d\\ude00\\/\\n",1.5e3,-0,18446744073709551615,true,null]}')
    write("ignition_json", "deep", "[" * 190 + "]" * 190)
    write("ignition_yaml", "scalars", "a: [~, true, 0x1f, 0o17, 017, 1_000, 1.5, .5, 1e3, -1, 'it''s', \"\\u00e4\\n\", plain text]\n"
          "b: |-\n  literal\n  text\nc: >+\n  folded\n  text\n\n# comment\n? d\n: {e: f, \"g\": [h]}\n")
    write("ignition_yaml", "refused", "a: &x 1\nb: *x\n<<: {c: !!str d}\n")
    write("ignition_yaml", "documents", "---\nkind: List\nitems: []\n...\n---\n")


def encodings():
    write("data_url", "plain", "data:,hello%20world%0A")
    write("data_url", "base64", "data:text/plain;charset=utf-8;base64,aGVsbG8K")
    write("data_url", "parameters", "data:application/x-foo;a=b;c=\"d,\\\"\\x41\\u00e4e\";base64,aGk=")
    write("data_url", "empty", "data:,")
    write("data_url", "bad", "data:text/plain;base64,a*b")
    write("gzip", "short", packed(b"hello\n"))
    write("gzip", "members", packed(b"hello\n") + packed(b"") + packed(b"world\n" * 40))
    write("gzip", "fields", b"\x1f\x8b\x08\x1c\0\0\0\0\0\xff\x04\0extrname\0comment\0" + packed(b"named")[10:])
    write("gzip", "zeros", packed(bytes(60000)))
    write("gzip", "cut", packed(ENV)[:-3])


def environment():
    write("environment", "proxy.env", ENV.replace(SECRET.encode(), b"\x01"))
    write("environment", "quotes", b"A='single \x01'\nB=\"double \\\"\\$x\\\\ \x01\" tail\nC=a\\\nb\n; comment\n# comment \\\nD=\n export E=f\nno equals\n")
    write("environment", "blanks", b"  A  = b \t \r\nA=c\r\nhttp_proxy=\x01\r\n")
    write("environment", "bom", b"\xef\xbb\xbfA=b\n\xc3\xa4=c\nD=\xff\n")
    write("environment", "unit", b"[Unit]\nEnvironment=A=b\n[Service]\nEnvironment=A=b \"C=d \x01\" 'E=f' \\\n# between\n  G=\\x41\\101\\n\nEnvironment=\nEnvironment=H=\x01\nEnvironmentFile=/x\n")
    write("environment", "open", b"A=b\nB=\"never closed \x01\nC=d\n[Service]\nEnvironment=\"A=b\n")


def urls():
    for number, text in enumerate([
            "http://proxy.example.com:3128", "https://user:\x01@proxy.example.com:3129/", "http://user:p%40\x01@[2001:db8::1]:80",
            "proxy:3128", "user:\x01@proxy:3128", "http://a:\x01/b@proxy:1", "socks5://user:\x01@proxy:1080", "http://user%3A\x01@proxy",
            "http://u:\x01@@proxy:65536?q=\x01#f", "http:/\x01@proxy", "HTTP://xn--bcher-kva.example:08080/p%zz", "http://b\u00fccher.example:1", "\"http://proxy:1\"",
            "http://1.2.3:80", "http://proxy:\x01", "http://:\x01@", "http://[fe80::1%25eth0]:1", "http://user:a\x01b:c@d@host:1"]):
        write("proxy_url", "%02d" % number, text)
    for number, text in enumerate([
            ".svc,10.0.0.0/16,localhost,example.com\x01a.svc svc 10.0.1.2 example.com x.example.com", "*", "a,*,b", "*.example.com:8443,.foo,foo.\x01foo. x.foo",
            "2001:db8::/32,[2001:db8::1]:443,::1,::ffff:10.0.0.1\x012001:db8::5 10.0.0.1", "192.168.0.0/17,172.16.0.0/12,0.0.0.0/0,10.1.2.3/33,1.2.3.4/32",
            "http://x/,a b;c,b\u00fccher.example,\u00a0x\u3000", "a..b,-a,_x,.,*.,*x,a*,[x],a:b,:80,a:,a:0,a:65536,1.2.3,010.0.0.1,fe80::1%25eth0",
            "172.30.0.0/16:80,10.0.0.1:443,LOCALHOST,Example.COM\x01example.com EXAMPLE.com", ",".join("h%d.example.com" % i for i in range(60)),
            "localhost;127.0.0.1;[::1];*.svc;10.*;10.1.2.*", "<local>;*;a/b"]):
        write("no_proxy", "%02d" % number, text)
    rows = [line.rstrip("\n").split("\t") for line in open(HERE.parent / "golden/noproxy/decisions.tsv", encoding="utf-8") if not line.startswith("#")]
    for number, row in enumerate(rows[::8]):
        write("dialect", "%02d" % number, row[0] + "\x01" + row[1] + "\x01http://localhost:8080/")


def certificates():
    made = {"ec": ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], "ed25519": ["ed25519"], "rsa-pss": ["rsa-pss", "-pkeyopt", "rsa_keygen_bits:1024"]}
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "config").write_text("[req]\ndistinguished_name=dn\nprompt=no\n[dn]\nCN=x\n")
        for name, key in made.items():
            target = CORPUS / "certificate" / name
            if target.exists():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            ca = "CA:TRUE,pathlen:1" if name == "ec" else "CA:FALSE"
            subprocess.run(["openssl", "req", "-x509", "-config", folder + "/config", "-newkey", *key, "-nodes", "-keyout", folder + "/key", "-days", "36500", "-set_serial", "0x00ff01",
                            "-subj", "/C=AT/O=Ex+OU=ample, \\/ \"Corp\"/CN=fuzz " + name, "-addext", "basicConstraints=critical," + ca,
                            "-addext", "subjectAltName=DNS:a.example.com,IP:10.0.0.1", "-outform", "DER", "-out", str(target)],
                           check=True, stdout=subprocess.DEVNULL)
    for name in ("corporate-root", "corporate-intermediate"):
        write("certificate", name, der(pem(name)))


def bundles():
    small = (CORPUS / "certificate" / "ec").read_bytes()
    one = "-----BEGIN CERTIFICATE-----\n%s-----END CERTIFICATE-----\n" % base64.encodebytes(small).decode()
    body = base64.b64encode(small).decode()
    key = "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n" % base64.b64encode(bytes(range(48))).decode()
    write("trust_bundle", "two", one + "# comment\n" + pem("proxy-root"))
    write("trust_bundle", "der", small)
    write("trust_bundle", "key", key + one)
    write("trust_bundle", "one-line", "-----BEGIN CERTIFICATE-----%s-----END CERTIFICATE-----" % body)
    write("trust_bundle", "crlf-indented", "".join("    " + line + "\r\n" for line in one.splitlines()))
    write("trust_bundle", "commented", "".join("# " + line + "\n" for line in one.splitlines()) + one)
    write("trust_bundle", "comment-without-end", "# bundle " + one)
    write("trust_bundle", "escaped", json.dumps({"ca-bundle.crt": one}))
    write("trust_bundle", "utf16", b"\xff\xfe" + one.encode("utf-16-le"))
    write("trust_bundle", "headers", one.replace("-----\n", "-----\nComment: x\n\n", 1))
    write("trust_bundle", "trusted", one.replace(" CERTIFICATE", " TRUSTED CERTIFICATE"))
    write("trust_bundle", "x509", one.replace(" CERTIFICATE", " X509 CERTIFICATE").replace("=", ""))
    write("trust_bundle", "cut", one[:-20])
    write("trust_bundle", "damaged", one.replace("-----END", "----END"))
    write("trust_bundle", "html", "<!DOCTYPE html>\n<html><body>502</body></html>\n")
    write("trust_bundle", "comments-only", "# nothing\n\n#\n")
    write("trust_bundle", "crl", one.replace(" CERTIFICATE", " X509 CRL") + "\xef\xbb\xbf" + one)


def signatures():
    """Made once with openssl: the key is thrown away."""
    folder = CORPUS / "payload_signature"
    if not folder.exists():
        folder.mkdir(parents=True)
        with tempfile.TemporaryDirectory() as work:
            made = {name: str(pathlib.Path(work, name)) for name in ("key", "certificate", "content")}
            pathlib.Path(made["content"]).write_text('{"schema": 1}\n')
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", made["key"], "-subj", "/CN=fuzz signer", "-days", "36500", "-out", made["certificate"]],
                           check=True, stderr=subprocess.DEVNULL)
            for name, options in {"bare": ["-noattr", "-nocerts"], "enclosing": ["-noattr"], "attributes": ["-nocerts"], "content": ["-noattr", "-nocerts", "-nodetach"],
                                  "keyid": ["-noattr", "-nocerts", "-keyid"], "sha512": ["-noattr", "-nocerts", "-md", "sha512"]}.items():
                digest = [] if "-md" in options else ["-md", "sha256"]
                subprocess.run(["openssl", "cms", "-sign", "-binary", *digest, *options, "-signer", made["certificate"], "-inkey", made["key"], "-in", made["content"], "-outform", "DER",
                                "-out", str(folder / name)], check=True)
            write("payload_signature", "certificate", pathlib.Path(made["certificate"]).read_text())
    write("payload_signature", "edit-none", b"\x01")
    for place in (0, 3, 20, 40, 70, 100, 150, 165, 300):
        write("payload_signature", "edit-%d" % place, bytes([1, place >> 8, place & 255, 1 << (place % 8)]))
    key = "-----BEGIN %sPRIVATE KEY-----\n%s-----END %sPRIVATE KEY-----\n"
    body = base64.encodebytes(bytes(range(48))).decode()
    for name, label in (("pkcs8", ""), ("pkcs1", "RSA "), ("ec", "EC "), ("encrypted", "ENCRYPTED ")):
        write("payload_signature", "key-" + name, key % (label, body, label))
    write("payload_signature", "key-traditional", key % ("RSA ", "Proc-Type: 4,ENCRYPTED\n\n" + body, "RSA "))


def registry():
    text = ('Windows Registry Editor Version 5.00\r\n\r\n; comment\r\n[HKEY_LOCAL_MACHINE\\SYSTEM\\Services\\kubelet]\r\n@="default"\r\n"Start"=dword:00000002\r\n'
            '"Path"=hex(2):25,00,41,00,\\\r\n  25,00,00,00\r\n"Environment"=hex(7):41,00,00,00,00,00\r\n"quoted \\"\\\\"="C:\\\\k"\r\n"gone"=-\r\n"none"=hex(0):\r\n\r\n'
            '[-HKEY_LOCAL_MACHINE\\SOFTWARE\\Old]\r\n\r\n[HKEY_LOCAL_MACHINE\\\u00c4]\r\n"\u65e5"="\U0001f600"\r\n')
    write("reg_file", "utf16", b"\xff\xfe" + text.encode("utf-16-le"))
    write("reg_file", "utf8", text)
    write("reg_file", "bom-lf", b"\xef\xbb\xbf" + text.replace("\r\n", "\n").encode())
    write("reg_file", "bad", "Windows Registry Editor Version 5.00\n[HKEY_LOCAL_MACHINE]\n\"a\"=hex:0\n")
    write("reg_file", "version4", "REGEDIT4\n")


def user_data():
    tail = "</powershell>\n<persist>true</persist>\n"
    for name, text in {"tagged": "<powershell>\nfunction F {\n\t1\n}\n" + tail, "plain": "F 1\r\n", "batch": "<script>dir</script>", "param": "# x\nparam($a)\n",
                       "twice": "<powershell>1</powershell><powershell>2" + tail, "comment": "<# <powershell> #>\n"}.items():
        write("user_data", name, text)
    proxy = '"proxy":{"HTTP_PROXY":"http://u:p@proxy.example.com:3128","NO_PROXY":".svc,10.0.0.0/8"}'
    head = 'c{"schema":1,"userData":true,"generation":2,"source":["MachineConfig","a b","3.4.0"],"scope":["machine","services","winhttp","certs"],'
    services = '"services":["kubelet"]'
    certificate = "".join((HERE.parent / "sample" / "corporate-root.pem").read_text().split("-----")[2].split())
    variable = '{"kind":"variable","name":"HTTP_PROXY","value":"http://u:p@proxy.example.com:3128"}'
    trusted = '{"kind":"certificate","name":"ROOT","value":"' + certificate + '"}'
    operations = '"operations":[' + variable + "," + trusted + "]}"
    write("user_data", "container", head + proxy + "," + services + "," + operations)
    write("user_data", "container-bundle", head + proxy + "," + services + ',"bundle":"http://h/x","operations":[]}')
    write("user_data", "container-cut", head + '"credentials":"none",' + proxy + "," + services + "," + operations.replace(certificate, certificate[:-4]))


def node_lists():
    lists = {
        "names": "name\nwin-1\nwin-2\n",
        "all": "name,address,gateway,dns,mac\r\nwin-1,10.0.0.5/24,10.0.0.1,\"10.0.0.2, 10.0.0.3\",00-15-5D-0A-0B-0C\r\nwin-2,2001:db8::7/64,fe80::1,2001:db8::53,\r\n",
        "quoted": "\xef\xbb\xbf\"name\",\"address\"\n\"a\"\"b\",\n\n\"a\nb\",10.0.0.5/24",
        "twice": "name\nwin-1\nWIN-1\n",
        "semicolons": "name;address\nwin-1;10.0.0.5/24\n",
        "json": '[{"name": "win-1"},\n {"name": "win-2", "address": "10.0.0.5/24", "dns": ["10.0.0.2", "::1"], "mac": "00:15:5d:0a:0b:0c"}]',
        "json-wrong": '[{"name": "a\\"],["}, 7]',
    }
    for name, text in lists.items():
        write("node_list", name, text.encode("latin-1"))


def hns_policies():
    now = ('{"Type":"L4WFPPROXY","Settings":{"InboundProxyPort":"9091","OutboundProxyPort":"9191","FilterTuple":{"Protocols":"6","LocalPorts":"80-90,443",'
           '"RemoteAddresses":"10.0.0.0/8","Priority":8},"UserSID":"S-1-5-32-556","InboundExceptions":{"PortExceptions":["90001"]},'
           '"OutboundExceptions":{"IpAddressExceptions":["10.0.0.5"]}}}')
    old = '{"Type":"L4WFPPROXY","Settings":{"Port":"8000","FilterTuple":{"Protocols":"6"},"UserSID":"system"}}'
    policies = {
        "now.json": now,
        "2019.json": old,
        "flat.json": '{"Type":"L4WFPPROXY","OutboundProxyPort":15001,"UserSID":"network-service"}',
        "list.json": f"[{now},\n {old}]",
        "endpoint.json": '{"ID":"93F8","Policies":[{"Type":"ACL","Settings":{"Action":"Allow"}},%s,%s]}' % (now, old),
        "wrong.json": '{"Type":"L4WFPPROXY","Settings":{"Port":"0","FilterTuple":{"Protocols":"17","LocalAddresses":"::1"},"UserSID":"S-1"}}',
        "without-settings.json": '{"Policies":[{"Type":"L4WFPPROXY"}]}',
        "deep.json": '{"Policies":[{"Type":"L4WFPPROXY","Settings":{"a":[{"Type":"L4WFPPROXY","Settings":{}}]}}]}'}
    for name, text in policies.items():
        write("hns_policy", name, text)
    write("hns_policy", "utf16.json", b"\xff\xfe" + old.encode("utf-16-le"))


def answer_files():
    folder = HERE.parent / "golden" / "unattend"
    for path in sorted(folder.glob("*.xml")):
        write("answer_file", path.name, path.read_bytes())
    text = (folder / "empty-pass.before.xml").read_text()
    write("answer_file", "utf16", b"\xff\xfe" + text.replace("utf-8", "utf-16").encode("utf-16-le"))
    write("answer_file", "bom-crlf", b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    ours = "cmd.exe /d /c &quot;%SystemRoot%\\x.cmd&#34;"
    item = "<RunSynchronousCommand><Path><![CDATA[a]]> b</Path><Order>1</Order></RunSynchronousCommand>"
    component = '<component name="Microsoft-Windows-Deployment" processorArchitecture="x86"><RunSynchronous>]]%s></RunSynchronous></component>'
    write("answer_file", "short", '<unattend xmlns="urn:schemas-microsoft-com:unattend"><settings pass="specialize">%s</settings></unattend>' % (component % item))
    write("answer_file", "references", "<a b='%s'>&#65;&#x41;&amp;&lt;&gt;&apos;</a>" % ours)
    write("answer_file", "doctype", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')


def hive_edits():
    """The seeds of the hive target with edits in front (hive_editor_fuzz.cc): of four bytes each, in any order that is useful."""
    shutil.rmtree(CORPUS / "hive_editor", ignore_errors=True)
    (CORPUS / "hive_editor").mkdir()
    for number, path in enumerate(sorted((CORPUS / "hive").iterdir())):
        edits = bytes([3, number, 1, 0, 4, 3, 0, 2, 5, 7, 2, number, 0, 3, 0, number, 0, 1, 1, number, 0, 3, 1, 1, 1, 2])
        edits = edits[number % 5:] * (1 + number % 2)
        write("hive_editor", path.name, bytes([len(edits)]) + edits + path.read_bytes())


def wims():
    resource = lambda size, flags, offset, whole: struct.pack("<QQQ", size | flags << 56, offset, whole)
    for name, flags, chunk in (("lzx", 0x40002, 32768), ("none", 0, 0)):
        header = b"MSWIM\0\0\0" + struct.pack("<IIII", 208, 0x10D00, flags, chunk) + bytes(16) + struct.pack("<HHI", 1, 1, 2)
        header += resource(100, 2, 900, 100) + resource(80, 2, 1000, 80) + resource(50, 6, 300, 90) + struct.pack("<I", 1) + resource(28, 0, 1080, 28)
        write("wim", "header-" + name, b"h" + header + bytes(60))
    blob = resource(50, 4, 208, 90) + struct.pack("<HI", 1, 2) + bytes(range(20))
    write("wim", "header-of-none", b"h<html>" + bytes(208))
    write("wim", "table", b"t" + blob + blob)
    write("wim", "table-cut", b"t" + blob + blob[:-1])
    write("wim", "table-solid", b"t" + blob[:7] + b"\x10" + blob[8:])
    image = ('<IMAGE INDEX="1"><DIRCOUNT>7</DIRCOUNT><FILECOUNT>2</FILECOUNT><TOTALBYTES>9</TOTALBYTES><LASTMODIFICATIONTIME><HIGHPART>0x0</HIGHPART>'
             "<LOWPART>0x0</LOWPART></LASTMODIFICATIONTIME><NAME>a &amp; b</NAME></IMAGE>")
    write("wim", "xml", b"x\xff\xfe" + ("<WIM>%s<TOTALBYTES>99</TOTALBYTES></WIM>" % image).encode("utf-16-le"))

    def entry(name, attributes, security, where, digest=bytes(20), streams=0):
        text = name.encode("utf-16-le")
        size = (102 + len(text) + 2 + 7) // 8 * 8
        out = struct.pack("<QIIQ", size, attributes, security, where) + bytes(40) + digest + bytes(12) + struct.pack("<HHH", streams, 0, len(text)) + text
        return out + bytes(size - len(out))

    descriptors = struct.pack("<IIQQ", 40, 2, 3, 5) + b"onetwo12" + bytes(8)
    root = entry("", 0x10, 0, 40 + 104 + 8)
    children = entry("a", 0x20, 1, 0, bytes(range(20))) + entry("config", 0x10, 0, 0) + entry("B", 0x20, 9, 0, bytes(range(20))) + bytes(8)
    write("wim", "metadata", b"m" + descriptors + root + bytes(8) + children)
    write("wim", "metadata-empty", b"m" + struct.pack("<II", 8, 0) + entry("", 0x10, 0, 0) + bytes(8))
    stream = struct.pack("<QQ", 38, 0) + bytes(range(20)) + struct.pack("<H", 0)
    write("wim", "metadata-streams", b"m" + descriptors + root + bytes(8) + entry("a", 0x20, 0, 0, streams=1) + stream + bytes(2) + bytes(8))
    for number in range(4):
        write("wim", "edits-%d" % number, b"e" + bytes((i * (37 + number * 12) + i // 5) % 256 for i in range(40 + number * 25)))


def kubernetes():
    def event(kind, version, name="worker", **members):
        return json.dumps({"type": kind, "object": {"metadata": {"name": name, "resourceVersion": version}, **members}}) + "\n"

    rendered = {"status": {"machineCount": 3, "configuration": {"name": "rendered-worker-1"}}}
    pool = event("ADDED", "10", **rendered) + event("MODIFIED", "11", "infra", **rendered)
    bookmark = '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"12"}}}\r\n'
    watches = {
        "pool": "\x06" + pool + bookmark + event("DELETED", "13", **rendered),
        "gone": "\x01" + pool + '{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}}\n' + pool,
        "error": "\x03" + '{"type":"ERROR","object":{"code":500,"message":"x"}}\n',
        "proxy": "\x30" + event("MODIFIED", "7", spec={"trustedCA": {"name": "a"}}, status={"noProxy": ".svc"}),
        "cut": "\x02" + pool[:-9],
        "long": "\xff" + event("ADDED", "1", spec={"a": "b" * 5000}),
        "no-event": "\x01<html>\n",
        "list": '\x01{"metadata":{"resourceVersion":"5"},"items":[%s]}' % json.dumps({"metadata": {"name": "worker"}, **rendered}),
    }
    for name, text in watches.items():
        write("kube_watch", name, text.encode("latin-1"))

    def kubeconfig(user, cluster=""):
        return ("apiVersion: v1\nkind: Config\ncurrent-context: here\ncontexts:\n- name: here\n  context: {cluster: c, user: u}\nclusters:\n- name: c\n"
                "  cluster:\n    server: https://api.example.test:6443/\n%susers:\n- name: u\n  user:\n%s" % (cluster, user))

    pem = base64.b64encode(b"-----BEGIN").decode()
    for name, text in {
            "token": kubeconfig("    token: %s\n" % SECRET, "    certificate-authority-data: %s\n    tls-server-name: kubernetes\n" % pem),
            "files": kubeconfig("    tokenFile: t\n    client-certificate: c\n    client-key: k\n", "    proxy-url: http://u:%s@p:1\n" % SECRET),
            "data": kubeconfig("    client-certificate-data: %s\n    client-key-data: %s\n" % (pem, pem)),
            "insecure": kubeconfig("    {}\n", "    insecure-skip-tls-verify: true\n"),
            "exec": kubeconfig("    exec: {command: aws}\n    password: %s\n" % SECRET),
            "broken": kubeconfig("    token: %s\n   bad: [\n" % SECRET),
            "json": '{"current-context":"here","contexts":[{"name":"here","context":{"cluster":"c","user":"u"}}],"clusters":[{"name":"c","cluster":{"server":"https://[::1]:1/k8s"}}],'
                    '"users":[{"name":"u","user":{"token":"%s"}}]}' % SECRET,
            "uri": "a%2Fb:6443%2Fkube:admin/machineconfigpool/worker",
            "uri-single": "/controllerconfig"}.items():
        write("kubeconfig", name, text)


def document_sources():
    for path in sorted((HERE.parent / "golden" / "sources").iterdir()):
        if path.suffix != ".py" and not path.name.endswith(".expected.json"):
            write("document_source", path.name, path.read_text().replace("S3cret%40p", SECRET))
    url = "http://user:%s@proxy.example.com:3128" % SECRET
    for name, text in {
            "proxy-spec.json": '{"kind":"Proxy","apiVersion":"config.openshift.io/v1","spec":{"httpProxy":"%s","trustedCA":{"name":"a"}}}' % url,
            "aks-list.json": '[{"name":"a","httpProxyConfig":{"httpProxy":"%s/","enabled":true}}]' % url,
            "aks-null.json": '{"name":"a","properties":{"httpProxyConfig":null}}',
            "cron-job.json": '{"kind":"CronJob","spec":{"jobTemplate":{"spec":{"template":{"spec":{"initContainers":[{"env":[{"name":"HTTPS_PROXY","value":"%s"},'
                             '{"name":"NO_PROXY","valueFrom":{}}]}]}}}}}}' % url,
            "controller-null.yaml": "kind: ControllerConfig\nspec:\n  proxy: null\n  additionalTrustBundle: null\n",
            "comments.env": "# EnvironmentFile=/etc/mco/proxy.env\n",
            "key-twice.json": '{"httpProxy":"http://p:1","httpProxy":"%s"}' % url}.items():
        write("document_source", name, text)


def routers():
    redirect = "# web\n80 tcp 203.0.113.25\n8080 udp 203.0.113.26 80\n203.0.113.27\n"
    http = "# proxy\n!*.bad.test\n*.test\nexact.example\n203.0.113.0/24\n!10.0.0.1\nfd00::/16\n*\n"
    dns = "80 203.0.113.25\n8080 db.test 443\n"
    asked = "\x01https://a.test/\x01203.0.113.5:80\x01[fd00::7]\x018080/udp\x01router:53\x01203.0.28933\x0181"
    for name, text in {
            "redirect": redirect, "http": http, "dns": dns, "fallback": "10.0.0.1", "odd": "0.0.0.0/0\nnone\nwww\na.test.\n192.168.1.5/24\n",
            "wrong": "999.1.1.1\n080 tcp 1.2.3.4\ncafe.de\n::/0\na..b\n80 foo..bar\n", "crlf": redirect.replace("\n", "\r\n"), "quote": "\u201c10.0.0.1\u201d"}.items():
        write("router_list", name, text + asked)
    address = "EGRESS_SOURCE=192.168.12.99/24\nEGRESS_GATEWAY=192.168.12.1\n"
    pod = ("kind: Deployment\nmetadata: {name: e}\nspec:\n  replicas: 1\n  template:\n    metadata: {annotations: {pod.network.openshift.io/assign-macvlan: \"true\"}}\n"
           "    spec:\n      nodeSelector: {kubernetes.io/os: linux}\n      initContainers:\n      - name: r\n        securityContext: {privileged: true}\n        env:\n"
           "        - {name: EGRESS_SOURCE, value: 192.168.12.99/24}\n        - {name: EGRESS_GATEWAY, value: 192.168.12.1}\n"
           "        - {name: EGRESS_ROUTER_MODE, value: http-proxy}\n      containers:\n      - name: p\n        env:\n        - name: EGRESS_HTTP_PROXY_DESTINATION\n"
           "          valueFrom: {configMapKeyRef: {name: m, key: destination}}\n")
    config_map = "kind: ConfigMap\nmetadata: {name: m}\ndata:\n  destination: |\n    !*.bad.test\n    *.test\n"
    router = ("kind: EgressRouter\nmetadata: {name: er}\nspec:\n  addresses: [{ip: 192.168.12.99/24, gateway: 192.168.12.1}]\n  redirect:\n    fallbackIP: 203.0.113.9\n"
              "    redirectRules:\n    - {destinationIP: 203.0.113.25, port: 80, protocol: TCP}\n    - {destinationIP: 203.0.113.26, port: 80, protocol: UDP, targetPort: 53}\n")
    for name, text in {
            "env": address + 'export EGRESS_DESTINATION="80 tcp 10.0.0.1\n10.0.0.2\n"\n', "env-http": address + 'EGRESS_HTTP_PROXY_DESTINATION="!*.bad.test\n*\n"\n',
            "env-dns": address + 'EGRESS_DNS_PROXY_DESTINATION="80 db.test\n"\n', "list": http, "map": config_map, "pod": pod + "---\n" + config_map, "pod-alone": pod,
            "router": router, "router-6": router.replace("192.168.12.99/24", "2001:db8::9/64").replace("192.168.12.1", "2001:db8::1").replace("203.0.113.", "2001:db8::"),
            "items": "kind: EgressRouterList\nitems:\n- spec: {addresses: [{ip: 10.0.0.9/24}], redirect: {redirectRules: []}}\n",
            "affinity": pod.replace("nodeSelector: {kubernetes.io/os: linux}", "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                                    "[{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]}]}}}"),
            "pasted": pod.replace('"true"', "\u201ctrue\u201d").replace("- name: p", "\u2013 name: p"), "json": json.dumps({"kind": "ConfigMap", "data": {"EGRESS_DESTINATION": "10.0.0.1"}}) + "\n",
    }.items():
        write("router_objects", name, text)


def egress_objects():
    def sdn(kind, name, **members):
        return json.dumps({"apiVersion": "network.openshift.io/v1", "kind": kind, "metadata": {"name": name}, **members}) + "\n"

    def listed(*objects):
        return '{"kind":"List","items":[%s]}' % ",".join(objects)

    space = sdn("NetNamespace", "a", netid=1, egressIPs=["10.0.0.100", "10.0.0.101"])
    first = sdn("HostSubnet", "n", hostIP="10.0.0.1", egressIPs=["10.0.0.100"])
    second = sdn("HostSubnet", "m", hostIP="10.0.0.2", egressCIDRs=["10.0.0.0/24"])
    node = ("kind: Node\nmetadata:\n  name: w\n  labels: {k8s.ovn.org/egress-assignable: \"\"}\n  annotations:\n"
            "    k8s.ovn.org/node-primary-ifaddr: '{\"ipv4\":\"10.0.0.2/24\"}'\n    k8s.ovn.org/host-cidrs: '[\"10.0.0.2/24\"]'\n"
            "status: {addresses: [{type: InternalIP, address: 10.0.0.2}], conditions: [{type: Ready, status: \"True\"}]}\n---\n")
    cloud = node.replace("k8s.ovn.org/host-cidrs: '[\"10.0.0.2/24\"]'",
                         "cloud.network.openshift.io/egress-ipconfig: '[{\"ifaddr\":{\"ipv4\":\"10.0.0.0/24\"},\"capacity\":{\"ipv4\":1}}]'")
    windows = "kind: Node\nmetadata: {name: win, labels: {kubernetes.io/os: windows}}\n---\n"
    spaces = "kind: Namespace\nmetadata: {name: a, labels: {env: prod}}\n---\nkind: Namespace\nmetadata: {name: b}\n---\n"
    egress_ip = ("kind: EgressIP\nmetadata: {name: p}\nspec:\n  egressIPs: [10.0.0.100, 2001:db8::1]\n"
                 "  namespaceSelector: {matchExpressions: [{key: env, operator: In, values: [prod, test]}]}\n  podSelector: {matchLabels: {app: web}}\n"
                 "status: {items: [{node: w, egressIP: 10.0.0.100}]}\n")
    for name, text in {
            "sdn": listed(space, first, second), "sdn-clash": listed(space, first, first.replace('"n"', '"o"'), sdn("NetNamespace", "b", netid=2, egressIPs=["10.0.0.101"])),
            "sdn-list": '{"kind":"HostSubnetList","items":[{"metadata":{"name":"n"},"egressIPs":["10.0.0"]}]}', "ovn": node + windows + spaces + egress_ip,
            "ovn-cloud": cloud + spaces + egress_ip, "ovn-status": spaces + egress_ip, "both": listed(space, '{"kind":"Namespace","metadata":{"name":"x"}}') + "",
            "ovn-nowhere": "kind: EgressIP\nmetadata: {name: p}\nspec: {egressIPs: [10.0.0.100], namespaceSelector: {}}\nstatus: {items: [{egressIP: 10.0.0.100}]}\n",
            "twice": listed(space, space), "annotation": node.replace('\'{"ipv4"', "'{ipv4"), "none": "kind: Pod\nmetadata: {name: p}\n"}.items():
        write("egress_objects", name, text)


def required_lists():
    text = "# registries\r\nhttps://quay.io/ proxy 10.42.253.45\r\n\nregistry.redhat.io\tproxy # by name\nhttp://10.0.0.1:8080/x direct\n2001:db8::7 2001:db8::1\n"
    for name, data in {"all-forms": text, "mark": "\ufeff" + text, "utf16": ("\ufeff" + text).encode("utf-16-le"), "empty": "# nothing\n",
                       "way": "https://quay.io/ proxied\n", "order": "quay.io 10.0.0.1 proxy\n", "url": "http://[::1/\n",
                       "password": "https://user:%s@quay.io/?token=%s\n" % (SECRET, SECRET)}.items():
        write("required_list", name, data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hive-seeds", metavar="PROGRAM")
    arguments = parser.parse_args()
    for make in (certificates, ignition, encodings, environment, urls, bundles, signatures, registry, answer_files, node_lists, hns_policies, user_data, wims, document_sources, kubernetes, routers, egress_objects, required_lists):
        make()
    if arguments.hive_seeds:
        shutil.rmtree(CORPUS / "hive", ignore_errors=True)
        (CORPUS / "hive").mkdir()
        subprocess.run([arguments.hive_seeds, str(CORPUS / "hive")], check=True)
        hive_edits()


if __name__ == "__main__":
    main()
