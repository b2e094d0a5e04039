#include <dlfcn.h>
#include <fmt/format.h>

#include "provisioner/machine/curl_functions.h"

namespace prov::machine {
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

}  // namespace prov::machine
