#include "tests/differential/proxy_rows.h"

#include <array>
#include <string_view>

#include "tests/differential/seed.h"
#include "tests/support/no_proxy_cases.h"

namespace prov::differential {
namespace {

using testing_support::NoProxyCases;

constexpr std::array<std::string_view, 10> kPorts = {":80",  ":443",   ":8080",  ":",  ":0",
                                                     ":080", ":65535", ":65536", ":x", ":http"};
// Beside those of NoProxyCases: what no client program could be asked, and what Go alone reads.
constexpr std::array<std::string_view, 16> kOddEntries = {"2001:db8::00001",
                                                          "foo.com:",
                                                          "foo.com:0",
                                                          "svc:65535",
                                                          "a.foo.com:65536",
                                                          "foo.com:x",
                                                          "foo.com:http",
                                                          "10.0.0.01",
                                                          "255.255.255.255",
                                                          "10.0.0.0/8/8",
                                                          "/8",
                                                          "*.*.foo.com",
                                                          "foo com",
                                                          "]",
                                                          "[]:80",
                                                          ":80"};
constexpr std::array<std::string_view, 8> kUnicodeEntries = {"\u00fc.com",    "B\u00fccher.de", "xn--bcher-kva.de",
                                                             "\u00a0foo.com", "foo.com\u2003",  "\x7F",
                                                             "foo.com\t",     "\xFF.com"};
constexpr std::array<std::string_view, 6> kUnicodeHosts = {"\u00fc.com",       "b\u00fccher.de", "a.B\u00fccher.de",
                                                           "xn--bcher-kva.de", "B%C3%BCcher.de", "foo\u3002com"};
constexpr std::array<std::string_view, 8> kTargetSchemes = {"http://",  "https://", "https://", "http://",
                                                            "HTTPS://", "Http://",  "ws://",    "ftp://"};
constexpr std::array<std::string_view, 10> kTargetRests = {"",   "/",    "/path", "/a?b=c",         "?q",
                                                           "#f", "/%41", "/%zz",  "/http://other/", "/a@b"};
constexpr std::array<std::string_view, 6> kTargetUsers = {"u@", "u:p@", "u%40:p@", "@", "u:p:q@", "foo.com@"};
constexpr std::array<std::string_view, 8> kOddTargets = {"foo.com",    "http:", "http:///x",   "http:foo.com",
                                                         "//foo.com/", "",      "http://a b/", "1http://foo.com/"};
constexpr std::array<std::string_view, 6> kOddHosts = {"[::1%25eth0]", "[10.0.0.1]", "[fe80::1",
                                                       "a%41b.com",    "a\"b.com",   "foo.com:80:80"};

constexpr std::array<std::string_view, 14> kProxySchemes = {
    "http://",   "http://", "http://", "https://", "HTTP://", "",   "",
    "socks5://", "ftp://",  "http:",   "http:/",   "http//",  "//", "http:///"};
constexpr std::array<std::string_view, 16> kProxyUsers = {
    "u:p@",   "u@",     ":p@",    "@",      "u:@",   "u%20:p%2F@", "u:p:q@",  "u:p@q@",
    "u:p/q@", "u:p?q@", "u:p#q@", "u:%zz@", "u:%4@", "u\"x:p@",    "u:p\\q@", "\u00fc:p@"};
constexpr std::array<std::string_view, 27> kProxyHosts = {"proxy",
                                                          "proxy.example.com",
                                                          "PROXY.Example.COM",
                                                          "10.0.0.1",
                                                          "[2001:DB8::1]",
                                                          "[::ffff:10.0.0.1]",
                                                          "[2001:db8::00001]",
                                                          "[fe80::1%25eth0]",
                                                          "[fe80::1%eth0]",
                                                          "[proxy]",
                                                          "[10.0.0.1]",
                                                          "2001:db8::1",
                                                          "",
                                                          "010.0.0.1",
                                                          "1.2.3",
                                                          "0x7f.1",
                                                          "proxy..com",
                                                          ".proxy",
                                                          "proxy.",
                                                          "pro xy",
                                                          "pro%41xy",
                                                          "pr\u00f6xy",
                                                          "pr%C3%B6xy",
                                                          "pro\"xy",
                                                          "pro\u200bxy",
                                                          "pro\u202exy",
                                                          "pro\xFFxy"};
constexpr std::array<std::string_view, 16> kProxyPorts = {
    ":3128",  ":3128",  ":3128",  ":80",          "",   "",    ":",      ":0",
    ":00080", ":65535", ":65536", ":99999999999", ":x", ":-1", ":80:80", ": 80"};
constexpr std::array<std::string_view, 14> kProxyRests = {"",     "",     "",     "/",    "/path", "?token", "#f",
                                                          "/%41", "/%zz", "#%zz", "?%zz", "//x",   "/u@h",   "/a b"};
constexpr std::array<std::string_view, 8> kProxyFrames = {" ", "\"", "'", "\t", "\n", "\x7F", "\r\n", "\u00a0"};

std::string MakeNoProxy(NoProxyCases& cases) {
  Random& random = cases.random();
  std::string out = cases.List();
  if (random.OneIn(5))
    out += (out.empty() ? "" : ",") +
           std::string(random.OneIn(3) ? random.Pick(kUnicodeEntries) : random.Pick(kOddEntries));
  return out;
}

std::string MakeHost(NoProxyCases& cases) {
  Random& random = cases.random();
  if (random.OneIn(20)) return std::string(random.Pick(kOddHosts));
  if (random.OneIn(12)) return std::string(random.Pick(kUnicodeHosts));
  if (random.OneIn(20)) return "[2001:db8::00001]";
  return cases.Host();
}

std::string MakeTarget(NoProxyCases& cases) {
  Random& random = cases.random();
  if (random.OneIn(40)) return std::string(random.Pick(kOddTargets));
  std::string out(random.Pick(kTargetSchemes));
  if (random.OneIn(10)) out += random.Pick(kTargetUsers);
  out += MakeHost(cases);
  if (random.OneIn(3)) out += random.Pick(kPorts);
  if (random.OneIn(3)) out += random.Pick(kTargetRests);
  return out;
}

std::string MakeProxy(Random& random) {
  // Mostly one odd part at a time: two would hide each other.
  std::string out(random.OneIn(3) ? random.Pick(kProxySchemes) : "http://");
  if (random.OneIn(3)) out += random.Pick(kProxyUsers);
  out += random.OneIn(3) ? random.Pick(kProxyHosts) : kProxyHosts[random.Below(6)];
  if (random.OneIn(60)) out += std::string(254, 'a');
  out += random.OneIn(3) ? random.Pick(kProxyPorts) : ":3128";
  if (random.OneIn(3)) out += random.Pick(kProxyRests);
  if (random.OneIn(20)) out = std::string(random.Pick(kProxyFrames)) + out;
  if (random.OneIn(20)) out += random.Pick(kProxyFrames);
  return out;
}

}  // namespace

std::vector<Row> MakeRows(std::uint64_t seed, std::size_t count) {
  NoProxyCases cases(seed);
  Random& random = cases.random();
  // First what chance seldom finds.
  std::vector<Row> rows = {{"http://proxy.example:3128", "foo.com:80", "http://foo.com:080/"},
                           {"http://proxy.example:3128", "2001:db8::00001", "http://[2001:db8::1]/"},
                           {"'u:p@proxy.example:3128", "", "http://target.example/"},
                           {"proxy:/path", "", "http://target.example/"},
                           {"http://proxy.example:3128#\t", "", "http://target.example/"}};
  while (rows.size() < count) {
    if (rows.size() % 3 == 0) {
      rows.push_back({MakeProxy(random), random.OneIn(4) ? MakeNoProxy(cases) : "",
                      random.OneIn(2) ? "http://target.example/" : "https://target.example/"});
    } else {
      rows.push_back({"http://proxy.example:3128", MakeNoProxy(cases), MakeTarget(cases)});
    }
  }
  return rows;
}

}  // namespace prov::differential
