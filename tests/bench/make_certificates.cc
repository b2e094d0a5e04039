// usage: make_certificates COUNT > bundle.pem
// Self-signed RSA-2048 CAs with one key and running names: what matters to a reader is their number and size.
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void AddExtension(X509* certificate, int nid, const char* value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

void Write(EVP_PKEY* key, long number) {
  X509* certificate = X509_new();
  X509_set_version(certificate, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), number + 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 10L * 365 * 24 * 3600);
  X509_set_pubkey(certificate, key);
  const std::string name = "Benchmark Root CA " + std::to_string(number);
  X509_NAME* subject = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(subject, "O", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>("Benchmark"), -1, -1,
                             0);
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1,
                             0);
  X509_set_issuer_name(certificate, subject);
  AddExtension(certificate, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(certificate, NID_key_usage, "critical,keyCertSign,cRLSign");
  X509_sign(certificate, key, EVP_sha256());
  PEM_write_X509(stdout, certificate);
  X509_free(certificate);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 10;
  EVP_PKEY* key = EVP_RSA_gen(2048);
  for (long i = 0; i < std::atol(argv[1]); ++i) Write(key, i);
  EVP_PKEY_free(key);
  return 0;
}
