#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "provisioner/net/curl_functions.h"
#include "provisioner/net/http.h"

namespace prov::net {
namespace {

class Loader {
 public:
  // Two names: both have the same interface, and distributions differ in which they install.
  Loader() {
    for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4"}) {
      library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);  // never closed
      if (library_ != nullptr) break;
    }
    complete_ = library_ != nullptr;
    FindTls();
    Find(functions_.global_init, "curl_global_init");
    Find(functions_.init, "curl_easy_init");
    Find(functions_.setopt, "curl_easy_setopt");
    Find(functions_.perform, "curl_easy_perform");
    Find(functions_.getinfo, "curl_easy_getinfo");
    Find(functions_.strerror, "curl_easy_strerror");
    Find(functions_.cleanup, "curl_easy_cleanup");
    if (complete_) complete_ = functions_.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  }

  const CurlFunctions* functions() const { return complete_ ? &functions_ : nullptr; }

 private:
  template <class Function>
  void Find(Function& function, const char* name) {
    if (!complete_) return;
    function = reinterpret_cast<Function>(dlsym(library_, name));
    complete_ = function != nullptr;
  }

  // Requests do without; what they lack then is a name for what is wrong with a certificate.
  void FindTls() {
    decltype(&::curl_version_info) version = nullptr;
    Find(version, "curl_version_info");
    const bool is_openssl =
        complete_ && std::string_view(version(CURLVERSION_NOW)->ssl_version).starts_with("OpenSSL/");
    TlsFunctions tls{};
    const bool complete = std::exchange(complete_, complete_ && is_openssl);
    Find(tls.set_verify, "SSL_CTX_set_cert_verify_callback");
    Find(tls.verify, "X509_verify_cert");
    Find(tls.error, "X509_STORE_CTX_get_error");
    Find(tls.current, "X509_STORE_CTX_get_current_cert");
    Find(tls.shown, "X509_STORE_CTX_get0_untrusted");
    Find(tls.count, "OPENSSL_sk_num");
    Find(tls.at, "OPENSSL_sk_value");
    Find(tls.encode, "i2d_X509");
    if (complete_) functions_.tls = tls;
    complete_ = complete;
  }

  void* library_ = nullptr;
  bool complete_ = false;
  CurlFunctions functions_{};
};

}  // namespace

Result<const CurlFunctions*> LoadCurl() {
  static const Loader loader;
  if (loader.functions() != nullptr) return loader.functions();
  return Fail(Code::kNetwork, "requests need libcurl, and it can't be loaded: install libcurl4", "libcurl.so.4");
}

std::string LinkedLibcurlVersion() { return ""; }

void ForgetKeyLogFile() { unsetenv("SSLKEYLOGFILE"); }  // NOLINT(concurrency-mt-unsafe): there are no threads yet

}  // namespace prov::net
