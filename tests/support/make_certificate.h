// Certificates for tests, made with OpenSSL: the keys are new in each run, so tests must not rest on digests.
#pragma once

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace prov::test {

// Any failure here is a defect of the test itself.
inline void Must(bool ok) {
  if (ok) return;
  ERR_print_errors_fp(stderr);
  std::abort();
}

// Keys are made once per process and name ("rsa2048#0"): RSA keys are slow to make. Kinds: rsa1024, rsa2048, rsa3072,
// p224, p256, p384, p521, p192, secp256k1, ed25519. What follows '#' only tells keys of one kind apart.
inline EVP_PKEY* TestKey(const std::string& name) {
  static std::map<std::string, std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>> keys;
  if (const auto found = keys.find(name); found != keys.end()) return found->second.get();
  const std::string kind = name.substr(0, name.find('#'));
  EVP_PKEY* key = nullptr;
  if (kind.starts_with("rsa")) {
    key = EVP_RSA_gen(static_cast<unsigned>(std::stoi(kind.substr(3))));
  } else if (kind == "ed25519") {
    key = EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
  } else {
    const std::map<std::string, const char*> curves = {{"p192", "P-192"}, {"p224", "P-224"},
                                                       {"p256", "P-256"}, {"p384", "P-384"},
                                                       {"p521", "P-521"}, {"secp256k1", "secp256k1"}};
    key = EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", curves.at(kind));
  }
  Must(key != nullptr);
  keys.emplace(name, std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>(key, &EVP_PKEY_free));
  return key;
}

// A name's attributes in the order of the DER (the text form shows the last one first). `type` is OpenSSL's short name
// or a dotted OID, `value` is UTF-8; `asn1` is the string type (MBSTRING_UTF8 chooses the smallest that fits, V_ASN1_…
// takes the bytes as they are). `joined` puts it into the RDN before.
struct NameEntry {
  std::string type;
  std::string value;
  int asn1 = MBSTRING_UTF8;
  bool joined = false;
};
using NameEntries = std::vector<NameEntry>;

struct CertificateSpec {
  NameEntries subject = {{"O", "Example Corp"}, {"CN", "example userca"}};
  NameEntries issuer = {};      // empty: the subject
  std::string key = "rsa2048";  // see TestKey
  std::string signer = "";      // empty: `key`, so the certificate is self-signed
  bool basic_constraints = true;
  bool ca = true;
  bool subject_key_id = true;
  std::string alternative_names = "";  // as OpenSSL's configuration has them ("DNS:a,IP:192.0.2.1"); empty: none
  // As OpenSSL's configuration has them ("critical,codeSigning"): an extension for each.
  std::vector<std::string> key_usages = {};
  std::vector<std::string> extended_key_usages = {};
  std::string authority_key_id = "";  // raw bytes; empty: none, "own": as the subject key identifier
  std::int64_t serial = 33;
  std::int64_t not_before = 1767225600;  // 2026-01-01T00:00:00Z
  std::int64_t not_after = 2082758400;   // 2036-01-01T00:00:00Z
  int version = 3;                       // 1 leaves out all extensions
  const EVP_MD* digest = EVP_sha256();
};

struct MadeCertificate {
  std::string der;
  std::string pem;
};

inline X509_NAME* MakeName(const NameEntries& entries) {
  X509_NAME* name = X509_NAME_new();
  Must(name != nullptr);
  for (const NameEntry& entry : entries) {
    Must(X509_NAME_add_entry_by_txt(name, entry.type.c_str(), entry.asn1,
                                    reinterpret_cast<const unsigned char*>(entry.value.data()),
                                    static_cast<int>(entry.value.size()), -1, entry.joined ? -1 : 0) == 1);
  }
  return name;
}

inline std::string PemOf(X509* x509) {
  BIO* bio = BIO_new(BIO_s_mem());
  Must(PEM_write_bio_X509(bio, x509) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string out(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return out;
}

// The private key as PKCS#8 PEM.
inline std::string PrivateKeyPem(const std::string& key) {
  BIO* bio = BIO_new(BIO_s_mem());
  Must(PEM_write_bio_PKCS8PrivateKey(bio, TestKey(key), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string out(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return out;
}

inline void AddExtension(X509* x509, X509V3_CTX* context, int nid, const char* value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, context, nid, value);
  Must(extension != nullptr && X509_add_ext(x509, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

inline void AddAuthorityKeyId(X509* x509, std::string id) {
  if (id == "own") {
    // Not X509_get0_subject_key_id(): its cache may be older than the extension.
    auto* own = static_cast<ASN1_OCTET_STRING*>(X509_get_ext_d2i(x509, NID_subject_key_identifier, nullptr, nullptr));
    Must(own != nullptr);
    id.assign(reinterpret_cast<const char*>(ASN1_STRING_get0_data(own)),
              static_cast<std::size_t>(ASN1_STRING_length(own)));
    ASN1_OCTET_STRING_free(own);
  }
  AUTHORITY_KEYID* akid = AUTHORITY_KEYID_new();
  akid->keyid = ASN1_OCTET_STRING_new();
  Must(ASN1_OCTET_STRING_set(akid->keyid, reinterpret_cast<const unsigned char*>(id.data()),
                             static_cast<int>(id.size())) == 1);
  Must(X509_add1_ext_i2d(x509, NID_authority_key_identifier, akid, 0, X509V3_ADD_DEFAULT) == 1);
  AUTHORITY_KEYID_free(akid);
}

inline MadeCertificate MakeCertificate(const CertificateSpec& spec = {}) {
  X509* x509 = X509_new();
  Must(x509 != nullptr && X509_set_version(x509, spec.version - 1) == 1);
  Must(ASN1_INTEGER_set_int64(X509_get_serialNumber(x509), spec.serial) == 1);
  X509_NAME* subject = MakeName(spec.subject);
  X509_NAME* issuer = MakeName(spec.issuer.empty() ? spec.subject : spec.issuer);
  Must(X509_set_subject_name(x509, subject) == 1 && X509_set_issuer_name(x509, issuer) == 1);
  X509_NAME_free(subject);
  X509_NAME_free(issuer);
  // ASN1_TIME_set chooses UTCTime up to 2049 and GeneralizedTime later, as RFC 5280 wants it.
  Must(ASN1_TIME_set(X509_getm_notBefore(x509), spec.not_before) != nullptr);
  Must(ASN1_TIME_set(X509_getm_notAfter(x509), spec.not_after) != nullptr);
  Must(X509_set_pubkey(x509, TestKey(spec.key)) == 1);
  if (spec.version == 3) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, x509, x509, nullptr, nullptr, 0);
    if (spec.basic_constraints)
      AddExtension(x509, &context, NID_basic_constraints, spec.ca ? "critical,CA:TRUE" : "critical,CA:FALSE");
    if (spec.subject_key_id) AddExtension(x509, &context, NID_subject_key_identifier, "hash");
    if (!spec.alternative_names.empty())
      AddExtension(x509, &context, NID_subject_alt_name, spec.alternative_names.c_str());
    for (const std::string& usage : spec.key_usages) AddExtension(x509, &context, NID_key_usage, usage.c_str());
    for (const std::string& usage : spec.extended_key_usages)
      AddExtension(x509, &context, NID_ext_key_usage, usage.c_str());
    if (!spec.authority_key_id.empty()) AddAuthorityKeyId(x509, spec.authority_key_id);
  }
  EVP_PKEY* signer = TestKey(spec.signer.empty() ? spec.key : spec.signer);
  Must(X509_sign(x509, signer, EVP_PKEY_get_id(signer) == EVP_PKEY_ED25519 ? nullptr : spec.digest) > 0);
  MadeCertificate out;
  unsigned char* der = nullptr;
  const int size = i2d_X509(x509, &der);
  Must(size > 0);
  out.der.assign(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  out.pem = PemOf(x509);
  X509_free(x509);
  return out;
}

// A self-signed root "CN=<name>,O=Example Corp".
inline MadeCertificate MakeRoot(const std::string& name, const std::string& key = "rsa2048") {
  CertificateSpec spec;
  spec.subject = {{"O", "Example Corp"}, {"CN", name}};
  spec.key = key;
  return MakeCertificate(spec);
}

}  // namespace prov::test
