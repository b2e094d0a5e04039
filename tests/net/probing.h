// One probe's request, to servers of this test. POSIX only.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "provisioner/net/http.h"
#include "tests/net/serving.h"

namespace prov::net {

inline constexpr char kConnected[] = "HTTP/1.1 200 Connection established\r\n\r\n";

inline Result<int> Get(const std::string& url, const std::string& proxy = "", std::vector<std::string> roots = {}) {
  HttpRequest request{.url = url, .proxy_url = {}, .roots = std::move(roots), .timeout_seconds = 10};
  if (!proxy.empty()) request.proxy_url = Secret(proxy);
  return LiveHttp().Get(request);
}

inline Error FailureOf(const Result<int>& answer) {
  EXPECT_FALSE(answer) << *answer;
  return answer ? Error{} : answer.error();
}

}  // namespace prov::net
