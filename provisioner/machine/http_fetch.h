// Http::Fetch by libcurl.
#pragma once

#include "provisioner/machine/http.h"

namespace prov::machine {

Result<FetchAnswer> FetchByCurl(const FetchRequest& request);

}  // namespace prov::machine
