// Http::Fetch by libcurl.
#pragma once

#include "provisioner/net/http.h"

namespace prov::net {

// As Http::Fetch has it. Beside the bounds of the request: 64 KiB of headers, and of the body of an answer that is no
// 200, which is cut there. Takes nothing from the environment, knows no cookies, sends what `headers` says and no more
// than Host, User-Agent and, unless given, Accept: */*.
Result<FetchAnswer> FetchByCurl(const FetchRequest& request);

}  // namespace prov::net
