// The few functions of libcurl that are needed. Linux loads the library on first use: it and the thirty libraries that
// it brings along would cost every start several milliseconds, and few commands make requests.
#pragma once

#include <curl/curl.h>

#include <optional>

#include "provisioner/base/result.h"
#include "provisioner/net/tls_functions.h"

namespace prov::net {

struct CurlFunctions {
  decltype(&::curl_global_init) global_init;
  decltype(&::curl_easy_init) init;
  decltype(&::curl_easy_setopt) setopt;
  decltype(&::curl_easy_perform) perform;
  decltype(&::curl_easy_getinfo) getinfo;
  decltype(&::curl_easy_strerror) strerror;
  decltype(&::curl_easy_cleanup) cleanup;
  std::optional<TlsFunctions> tls;  // nothing where libcurl's TLS is not OpenSSL's
};

// Ready for use. Errors: network (it can't be loaded).
Result<const CurlFunctions*> LoadCurl();

}  // namespace prov::net
