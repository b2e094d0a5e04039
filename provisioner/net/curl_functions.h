// The functions of libcurl, and of its OpenSSL, that are used. Linux loads the library on first use: loading it and its
// thirty dependencies would cost every start several milliseconds, and few commands make requests.
#pragma once

#include <curl/curl.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <optional>

#include "provisioner/base/result.h"

namespace prov::net {

// The functions of OpenSSL that read what a TLS peer presents. They must come from the library that libcurl uses, which
// on Linux is not this program's own.
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

struct CurlFunctions {
  decltype(&::curl_global_init) global_init;
  decltype(&::curl_easy_init) init;
  decltype(&::curl_easy_setopt) setopt;
  decltype(&::curl_easy_perform) perform;
  decltype(&::curl_easy_getinfo) getinfo;
  decltype(&::curl_easy_strerror) strerror;
  decltype(&::curl_easy_cleanup) cleanup;
  std::optional<TlsFunctions> tls;  // nullopt if libcurl uses another TLS library
};

// Loads libcurl. Errors: network (it can't be loaded).
Result<const CurlFunctions*> LoadCurl();

}  // namespace prov::net
