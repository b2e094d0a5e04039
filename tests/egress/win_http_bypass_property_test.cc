// Properties of the WinHTTP translation against Go's decision, over random lists and hosts.
#include <gtest/gtest.h>

#include <random>

#include "provisioner/base/text.h"
#include "provisioner/egress/win_http_bypass.h"
#include "tests/egress/parsed.h"

namespace prov::egress {
namespace {

// The model of WinHTTP: each entry is a glob on the host's text, IPv6 in brackets, ASCII case ignored.
bool Glob(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (Glob(pattern.substr(1), text.substr(i))) return true;
    }
    return false;
  }
  return !text.empty() && pattern[0] == text[0] && Glob(pattern.substr(1), text.substr(1));
}

bool WinHttpBypasses(std::string_view bypass, std::string_view host) {
  for (const std::string_view entry : Split(bypass, ';')) {
    if (Glob(AsciiLower(entry), AsciiLower(host))) return true;
  }
  return false;
}

// A host of the random tests, as WinHTTP sees it.
bool StartsWithOctet(std::string_view host) { return !host.empty() && host[0] >= '0' && host[0] <= '9'; }

TEST(WinHttpBypass, NeverSendsMoreAroundTheProxyThanGo) {
  constexpr unsigned kSeed = 8080;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const std::vector<std::string> pieces = {"a",   "b",   "svc", "com", "example", "10",    "0",   "1",   "127",
                                           "172", "30",  "255", "*",   ".",       "..",    ":80", ":",   "/8",
                                           "/0",  "/16", "/31", "::1", "::",      "[::1]", "db8", "foo", " ",
                                           ";",   "A",   "_",   "-",   "%",       "/12",   "/24", "[",   "]"};
  const std::vector<std::string> hosts_of = {"a",   "b",   "svc", "com", "example", "10",  "0", "1",
                                             "127", "172", "30",  "255", "foo",     "db8", "_", "-"};
  const auto pick = [&](const std::vector<std::string>& from) { return from[random() % from.size()]; };
  const auto address = [&] {
    std::string out = pick({"10", "127", "172", "0", "1"});
    for (int i = 0; i < 3; ++i) out += "." + std::to_string(random() % 4 == 0 ? random() % 256 : random() % 2);
    return out;
  };
  const auto name = [&] {
    std::string out = pick(hosts_of);
    for (std::size_t n = random() % 4; n > 0; --n) out += "." + pick(hosts_of);
    return out;
  };
  std::size_t direct = 0;
  std::size_t exact = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string text;
    for (std::size_t entries = 1 + random() % 4; entries > 0; --entries) {
      switch (random() % 6) {
        case 0:
          text += address() + "/" + std::to_string(random() % 34);
          break;
        case 1:
          text += pick({"", ".", "*."}) + name();
          break;
        case 2:
          text += address();
          break;
        case 3:
          text += pick({"::1", "2001:db8::1", "[::1]:80", "2001:db8::/32", "::/0", "::ffff:10.0.0.1"});
          break;
        case 4:
          text += name() + pick({":80", ":443", ":", "."});
          break;
        default:
          for (std::size_t n = 1 + random() % 6; n > 0; --n) text += pick(pieces);
      }
      text += ",";
    }
    const NoProxy list = List(text);
    for (const bool octets : {false, true}) {
      Findings findings;
      const auto out = TranslateForWinHttp(Url("http://p:1"), Url("http://p:1"), &list, octets, findings);
      ASSERT_TRUE(out);
      ASSERT_TRUE(ValidateWinHttp(*out)) << text << " -> " << out->bypass;
      for (int h = 0; h < 12; ++h) {
        const std::string host = h % 3 == 0   ? address()
                                 : h % 3 == 1 ? name()
                                              : pick({"[::1]", "[2001:db8::1]", "localhost", "a.localhost", "a."});
        if (!WinHttpBypasses(out->bypass, host)) continue;
        ++direct;
        const bool go = GoBypasses(list, host, 80) && GoBypasses(list, host, 8443);
        exact += go ? 1 : 0;
        // The documented residual: a name that begins as an octet pattern does.
        const bool residual = octets && StartsWithOctet(host) && !IpAddress::Parse(host);
        EXPECT_TRUE(go || residual) << text << " -> " << out->bypass << " for " << host;
      }
    }
  }
  EXPECT_GT(direct, 1000U) << "the test must not be empty";
  EXPECT_GT(exact, direct * 9 / 10);
}

// With octets, what Go takes around the proxy by an IPv4 address does so in WinHTTP too.
TEST(WinHttpBypass, OctetsLoseNoAddress) {
  constexpr unsigned kSeed = 31337;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    IpAddress::Bytes bytes = IpAddress::Parse("0.0.0.0")->bytes();
    for (std::size_t b = 12; b < 16; ++b) bytes[b] = static_cast<std::uint8_t>(random());
    const std::string text = IpAddress(bytes).ToString() + "/" + std::to_string(1 + random() % 32);
    const IpNetwork network = *IpNetwork::Parse(text);
    const NoProxy list = List(text);
    Findings findings;
    const auto out = TranslateForWinHttp(Url("http://p:1"), std::nullopt, &list, true, findings);
    for (int h = 0; h < 20; ++h) {
      bytes[12 + random() % 4] = static_cast<std::uint8_t>(random());
      const IpAddress host(bytes);
      const bool loopback = host.IsLoopback();
      EXPECT_EQ(WinHttpBypasses(out->bypass, host.ToString()), loopback || network.Contains(host))
          << text << " " << host.ToString();
    }
  }
}

}  // namespace
}  // namespace prov::egress
