#include "provisioner/machine/curl_functions.h"

namespace prov::machine {

Result<const CurlFunctions*> LoadCurl() {
  static const CurlFunctions functions = {curl_global_init,  curl_easy_init,     curl_easy_setopt, curl_easy_perform,
                                          curl_easy_getinfo, curl_easy_strerror, curl_easy_cleanup};
  static const bool ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  if (ready) return &functions;
  return Fail(Code::kNetwork, "Windows gives no access to its sockets", "WSAStartup");
}

}  // namespace prov::machine
