// What servers and proxies of these tests answer, and where they are. POSIX only.
#pragma once

#include <string>

#include "tests/support/http_server.h"

namespace prov::net {

inline constexpr char kGood[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
inline constexpr char kWantsCredentials[] =
    "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n"
    "Connection: close\r\n\r\n";

inline std::string Url(const test::HttpServer& server, const std::string& path = "/") {
  return "http://" + server.HostPort() + path;
}

}  // namespace prov::net
