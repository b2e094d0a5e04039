// One request for a document, to servers of this test. POSIX only.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "provisioner/net/http.h"
#include "tests/net/serving.h"
#include "tests/support/result.h"

namespace prov::net {

inline constexpr char kGoodDocument[] =
    "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nX-Two:  a b \r\nSet-Cookie: "
    "a=b\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
// What ends with the connection: nobody can tell whether that is all.
inline constexpr char kEndless[] = "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nHTTP_PROXY=http://p:1\n";

inline FetchRequest Request(std::string url) {
  FetchRequest out;
  out.url = std::move(url);
  return out;
}

inline Result<FetchAnswer> Fetch(const FetchRequest& request) { return LiveHttp().Fetch(request); }

inline Error FailureOf(const FetchRequest& request) { return ErrorIn(Fetch(request)); }

}  // namespace prov::net
