#include "provisioner/machine/http_fetch.h"

namespace prov::machine {

Result<FetchAnswer> FetchByCurl(const FetchRequest& request) {
  return Fail(Code::kNetwork, "this build fetches no documents", request.url);
}

}  // namespace prov::machine
