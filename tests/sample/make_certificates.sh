#!/usr/bin/env bash
# Makes the sample's three certificates anew (new keys, so the sample changes; run make_sample.py afterwards).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
touch index.txt
cat > ca.cnf <<'CNF'
[ca]
default_ca = sample
[sample]
new_certs_dir = .
database = index.txt
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
organizationName = optional
commonName = supplied
[req]
distinguished_name = dn
[dn]
[ca_ext]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
CNF
# make NAME SUBJECT [ISSUER]
make() {
  openssl req -new -newkey rsa:2048 -nodes -keyout "$1.key" -subj "$2" -config ca.cnf -out "$1.csr" 2>/dev/null
  local signer=(-selfsign -keyfile "$1.key")
  [ $# -lt 3 ] || signer=(-cert "$3.pem" -keyfile "$3.key")
  openssl ca -batch -config ca.cnf "${signer[@]}" -extensions ca_ext -startdate 20260101000000Z -enddate 20460101000000Z \
    -notext -in "$1.csr" -out "$1.pem" 2>/dev/null
}
make corporate-root '/O=Example Corp/CN=Example Corp Root CA'
make proxy-root '/O=Example Corp/CN=Example Egress Proxy CA'
make corporate-intermediate '/O=Example Corp/CN=Example Corp Issuing CA 1' corporate-root
cp corporate-root.pem proxy-root.pem corporate-intermediate.pem "$here/"
