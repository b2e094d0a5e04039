// One probe's request, to servers of this test. POSIX only.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "provisioner/net/http.h"
#include "tests/support/http_server.h"

namespace prov::net {

constexpr char kGood[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
constexpr char kConnected[] = "HTTP/1.1 200 Connection established\r\n\r\n";
constexpr char kWantsCredentials[] =
    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n"
    "Connection: close\r\n\r\n";

inline Result<int> Get(const std::string& url, const std::string& proxy = "", std::vector<std::string> roots = {}) {
  HttpRequest request{.url = url, .proxy_url = {}, .roots = std::move(roots), .timeout_seconds = 10};
  if (!proxy.empty()) request.proxy_url = Secret(proxy);
  return LiveHttp().Get(request);
}

inline Error FailureOf(const Result<int>& answer) {
  EXPECT_FALSE(answer) << *answer;
  return answer ? Error{} : answer.error();
}

inline std::string Url(const test::HttpServer& server, const std::string& path = "/") {
  return "http://" + server.HostPort() + path;
}

}  // namespace prov::net
