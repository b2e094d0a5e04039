#include <cstdlib>
#include <optional>
#include <string_view>

#include "provisioner/base/posix_api.h"
#include "provisioner/net/curl_functions.h"
#include "provisioner/net/http.h"

namespace prov::net {
namespace {

// nullopt if a function is missing: requests then work, but can't say what is wrong with a certificate. `library` is a
// copy, so that a failed lookup does not affect the original.
std::optional<TlsFunctions> LoadTls(posix::Library library) {
  TlsFunctions tls{};
  library.Find(tls.set_verify, "SSL_CTX_set_cert_verify_callback");
  library.Find(tls.verify, "X509_verify_cert");
  library.Find(tls.error, "X509_STORE_CTX_get_error");
  library.Find(tls.current, "X509_STORE_CTX_get_current_cert");
  library.Find(tls.shown, "X509_STORE_CTX_get0_untrusted");
  library.Find(tls.count, "OPENSSL_sk_num");
  library.Find(tls.at, "OPENSSL_sk_value");
  library.Find(tls.encode, "i2d_X509");
  return library.complete() ? std::optional(tls) : std::nullopt;
}

std::optional<CurlFunctions> Load() {
  // Both have the same interface; distributions differ in which they install.
  posix::Library library({"libcurl.so.4", "libcurl-gnutls.so.4"});
  CurlFunctions out{};
  decltype(&::curl_version_info) version = nullptr;
  library.Find(version, "curl_version_info");
  library.Find(out.global_init, "curl_global_init");
  library.Find(out.init, "curl_easy_init");
  library.Find(out.setopt, "curl_easy_setopt");
  library.Find(out.perform, "curl_easy_perform");
  library.Find(out.getinfo, "curl_easy_getinfo");
  library.Find(out.strerror, "curl_easy_strerror");
  library.Find(out.cleanup, "curl_easy_cleanup");
  if (!library.complete()) return std::nullopt;
  if (std::string_view(version(CURLVERSION_NOW)->ssl_version).starts_with("OpenSSL/")) out.tls = LoadTls(library);
  if (out.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return std::nullopt;
  return out;
}

}  // namespace

Result<const CurlFunctions*> LoadCurl() {
  static const std::optional<CurlFunctions> functions = Load();
  if (functions) return &*functions;
  return Fail(Code::kNetwork, "requests need libcurl, and it can't be loaded: install libcurl4 (RHEL: libcurl)",
              "libcurl.so.4");
}

std::string LinkedLibcurlVersion() { return ""; }

void ForgetKeyLogFile() { unsetenv("SSLKEYLOGFILE"); }  // NOLINT(concurrency-mt-unsafe): there are no threads yet

}  // namespace prov::net
