// What servers and proxies of these tests answer, and where they are. POSIX only.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
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

inline sockaddr_in LocalAddress(std::uint16_t port = 0) {
  sockaddr_in out = {};
  out.sin_family = AF_INET;
  out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  out.sin_port = htons(port);
  return out;
}

// A port of this machine at which connections wait until somebody takes them.
class LocalPort {
 public:
  explicit LocalPort(int backlog = 8) : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = LocalAddress();
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, backlog), 0);
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  LocalPort(const LocalPort&) = delete;
  LocalPort& operator=(const LocalPort&) = delete;
  ~LocalPort() { close(listener_); }

  int listener() const { return listener_; }
  std::uint16_t port() const { return port_; }
  std::string Url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }

 private:
  int listener_;
  std::uint16_t port_ = 0;
};

}  // namespace prov::net
