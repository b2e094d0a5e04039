#include <cstdlib>

#include "provisioner/base/windows_api.h"
#include "provisioner/net/curl_functions.h"
#include "provisioner/net/http.h"

namespace prov::net {

Result<const CurlFunctions*> LoadCurl() {
  // Both are linked into this program.
  static const TlsFunctions tls = {
      SSL_CTX_set_cert_verify_callback, X509_verify_cert, X509_STORE_CTX_get_error, X509_STORE_CTX_get_current_cert,
      X509_STORE_CTX_get0_untrusted,    OPENSSL_sk_num,   OPENSSL_sk_value,         i2d_X509};
  static const CurlFunctions functions = {curl_global_init,  curl_easy_init,     curl_easy_setopt,  curl_easy_perform,
                                          curl_easy_getinfo, curl_easy_strerror, curl_easy_cleanup, tls};
  static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  if (ready) return &functions;
  return Fail(Code::kNetwork, "Windows gives no access to its sockets", "WSAStartup");
}

std::string LinkedLibcurlVersion() { return curl_version_info(CURLVERSION_NOW)->version; }

// The C library copied the environment at its start.
void ForgetKeyLogFile() {
  SetEnvironmentVariableW(L"SSLKEYLOGFILE", nullptr);
  _wputenv_s(L"SSLKEYLOGFILE", L"");
}

}  // namespace prov::net
