#include "tests/differential/proxy_rows.h"

#include <array>
#include <string_view>

#include "tests/differential/seed.h"

namespace prov::differential {
namespace {

// Few words, so that lists and targets meet often.
constexpr std::array<std::string_view, 12> kNames = {"foo.com",     "a.foo.com", "b.a.foo.com", "xfoo.com",
                                                     "com",         "svc",       "FOO.com",     "localhost",
                                                     "a.localhost", "foo.com.",  "a_b-c",       "8.com"};
constexpr std::array<std::string_view, 22> kAddresses = {"10.0.0.1",
                                                         "10.0.0.2",
                                                         "10.1.2.3",
                                                         "10.255.255.255",
                                                         "127.0.0.1",
                                                         "127.9.9.9",
                                                         "172.16.0.1",
                                                         "172.31.0.1",
                                                         "192.168.1.1",
                                                         "0.0.0.0",
                                                         "255.255.255.255",
                                                         "10.0.0.01",
                                                         "10.1",
                                                         "0x7f.1",
                                                         "::1",
                                                         "::",
                                                         "2001:db8::1",
                                                         "2001:DB8:0:0::1",
                                                         "fe80::1",
                                                         "::ffff:10.0.0.1",
                                                         "2001:db8::00001",
                                                         "1:2:3:4:5:6:7:8"};
constexpr std::array<std::string_view, 20> kNetworks = {
    "10.0.0.0/8", "10.0.0.1/8",      "10.0.0.0/31", "10.1.0.0/16",  "0.0.0.0/0",
    "::/0",       "2001:db8::/32",   "::1/128",     "127.0.0.0/8",  "10.0.0.0/33",
    "10.0.0/8",   "10.0.0.0/08",     "10.0.0.0/",   "/8",           "::ffff:10.0.0.0/104",
    "fe80::/10",  "2001:db8::1/129", "10.0.0.0/+8", "10.0.0.0/8/8", "172.16.0.0/12"};
constexpr std::array<std::string_view, 10> kPorts = {":80",  ":443",   ":8080",  ":",  ":0",
                                                     ":080", ":65535", ":65536", ":x", ":http"};
constexpr std::array<std::string_view, 16> kOddEntries = {
    "*",       "*.", ".", "..", "*foo.com", "*.*.foo.com", "http://foo.com", "foo.com;a.foo.com",
    "foo com", "[",  "]", "[]", "[]:80",    ":80",         "foo.com/",       "..foo.com"};
constexpr std::array<std::string_view, 8> kUnicodeEntries = {"\xC3\xBC.com",
                                                             "B\xC3\xBC"
                                                             "cher.de",
                                                             "xn--bcher-kva.de",
                                                             "\xC2\xA0"
                                                             "foo.com",
                                                             "foo.com\xE2\x80\x83",
                                                             "\x7F",
                                                             "foo.com\t",
                                                             "\xFF.com"};
constexpr std::array<std::string_view, 6> kUnicodeHosts = {"\xC3\xBC.com",
                                                           "b\xC3\xBC"
                                                           "cher.de",
                                                           "a.B\xC3\xBC"
                                                           "cher.de",
                                                           "xn--bcher-kva.de",
                                                           "B%C3%BCcher.de",
                                                           "foo\xE3\x80\x82"
                                                           "com"};
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
    "u:p/q@", "u:p?q@", "u:p#q@", "u:%zz@", "u:%4@", "u\"x:p@",    "u:p\\q@", "\xC3\xBC:p@"};
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
                                                          "pr\xC3\xB6xy",
                                                          "pr%C3%B6xy",
                                                          "pro\"xy",
                                                          "pro\xE2\x80\x8Bxy",
                                                          "pro\xE2\x80\xAExy",
                                                          "pro\xFFxy"};
constexpr std::array<std::string_view, 16> kProxyPorts = {
    ":3128",  ":3128",  ":3128",  ":80",          "",   "",    ":",      ":0",
    ":00080", ":65535", ":65536", ":99999999999", ":x", ":-1", ":80:80", ": 80"};
constexpr std::array<std::string_view, 14> kProxyRests = {"",     "",     "",     "/",    "/path", "?token", "#f",
                                                          "/%41", "/%zz", "#%zz", "?%zz", "//x",   "/u@h",   "/a b"};
constexpr std::array<std::string_view, 8> kProxyFrames = {" ", "\"", "'", "\t", "\n", "\x7F", "\r\n", "\xC2\xA0"};

std::string MakeEntry(Random& random) {
  switch (random.Below(9)) {
    case 0:
    case 1:
    case 2: {
      const std::array<std::string_view, 4> fronts = {"", "", ".", "*."};
      std::string out = std::string(random.Pick(fronts)) + std::string(random.Pick(kNames));
      if (random.OneIn(3)) out += random.Pick(kPorts);
      return out;
    }
    case 3:
    case 4: {
      std::string out(random.Pick(kAddresses));
      if (random.OneIn(3)) out = "[" + out + "]";
      if (random.OneIn(3)) out += random.Pick(kPorts);
      return out;
    }
    case 5:
    case 6:
      return std::string(random.Pick(kNetworks));
    case 7:
      // "*" alone would make most lists of the run the same.
      return random.OneIn(4) ? std::string(random.Pick(kOddEntries)) : std::string(random.Pick(kNames));
    default:
      return random.OneIn(3) ? std::string(random.Pick(kUnicodeEntries)) : std::string(random.Pick(kAddresses));
  }
}

std::string MakeNoProxy(Random& random) {
  constexpr std::array<std::string_view, 6> kSeparators = {",", ",", ",", ", ", " ,", ",,"};
  std::string out;
  for (std::size_t left = random.Below(5); left > 0; --left) {
    if (!out.empty()) out += random.Pick(kSeparators);
    out += MakeEntry(random);
  }
  return out;
}

std::string MakeHost(Random& random) {
  if (random.OneIn(20)) return std::string(random.Pick(kOddHosts));
  if (random.OneIn(12)) return std::string(random.Pick(kUnicodeHosts));
  if (random.OneIn(2)) return std::string(random.Pick(kNames));
  const std::string address(random.Pick(kAddresses));
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

std::string MakeTarget(Random& random) {
  if (random.OneIn(40)) return std::string(random.Pick(kOddTargets));
  std::string out(random.Pick(kTargetSchemes));
  if (random.OneIn(10)) out += random.Pick(kTargetUsers);
  out += MakeHost(random);
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
  Random random(seed);
  // First what chance seldom finds.
  std::vector<Row> rows = {{"http://proxy.example:3128", "foo.com:80", "http://foo.com:080/"},
                           {"http://proxy.example:3128", "2001:db8::00001", "http://[2001:db8::1]/"},
                           {"'u:p@proxy.example:3128", "", "http://target.example/"},
                           {"proxy:/path", "", "http://target.example/"},
                           {"http://proxy.example:3128#\t", "", "http://target.example/"}};
  while (rows.size() < count) {
    if (rows.size() % 3 == 0) {
      rows.push_back({MakeProxy(random), random.OneIn(4) ? MakeNoProxy(random) : "",
                      random.OneIn(2) ? "http://target.example/" : "https://target.example/"});
    } else {
      rows.push_back({"http://proxy.example:3128", MakeNoProxy(random), MakeTarget(random)});
    }
  }
  return rows;
}

}  // namespace prov::differential
