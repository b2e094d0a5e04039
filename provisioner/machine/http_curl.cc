#include "provisioner/machine/live_ports.h"

namespace prov::machine {
namespace {

class CurlHttp final : public Http {
 public:
  Result<int> Get(const HttpRequest& request) override {
    return Fail(Code::kNetwork, "this build can make no requests", request.url);
  }
};

}  // namespace

Http& LiveHttp() {
  static CurlHttp http;
  return http;
}

}  // namespace prov::machine
