// The few functions of OpenSSL that tell what a TLS peer showed. They are those of the library that libcurl uses, which
// on Linux is another one than this program's own.
#pragma once

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

namespace prov::net {

struct TlsFunctions {
  decltype(&::SSL_CTX_set_cert_verify_callback) set_verify;
  decltype(&::X509_verify_cert) verify;
  decltype(&::X509_STORE_CTX_get_error) error;
  decltype(&::X509_STORE_CTX_get_current_cert) current;
  decltype(&::X509_STORE_CTX_get0_untrusted) shown;
  decltype(&::OPENSSL_sk_num) count;
  decltype(&::OPENSSL_sk_value) at;
  decltype(&::i2d_X509) encode;
};

}  // namespace prov::net
