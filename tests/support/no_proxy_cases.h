// NO_PROXY lists and requests' URLs put together from few words, so that they meet often.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/differential/seed.h"

namespace prov::testing_support {

using differential::Random;

// What the dialects differ on, and nothing that a client program could not be asked: no control characters, names in
// ASCII, no user in URLs.
class NoProxyCases {
 public:
  explicit NoProxyCases(std::uint64_t seed) : random_(seed) {}

  // The URLs that follow are often about its words.
  std::string List() {
    words_.clear();
    constexpr std::array<std::string_view, 10> kSeparators = {",", ",", ",", ",", ",", ", ", " ,", ",,", " ", ";"};
    if (random_.OneIn(30)) return random_.OneIn(2) ? "*" : "";
    std::string out;
    for (std::size_t left = 1 + random_.Below(4); left > 0; --left) {
      if (!out.empty()) out += random_.Pick(kSeparators);
      out += Entry();
    }
    if (random_.OneIn(30)) out = (random_.OneIn(2) ? " " : ",") + out;
    if (random_.OneIn(30)) out += random_.OneIn(2) ? " " : ",";
    return out;
  }

  // Names, addresses and networks without blanks, '*' and ports: what an operator of a cluster writes.
  std::string PlainList() {
    words_.clear();
    std::string out;
    for (std::size_t left = 1 + random_.Below(6); left > 0; --left) {
      if (!out.empty()) out += ',';
      out += random_.OneIn(3) ? std::string(random_.Pick(kNetworks))
                              : std::string(random_.OneIn(2) ? "." : "") + Word(kNames);
    }
    return out;
  }

  std::string Url() {
    constexpr std::array<std::string_view, 6> kPorts = {":80", ":443", ":8080", ":", ":080", ":65535"};
    std::string out(random_.OneIn(3) ? "https://" : "http://");
    const std::string host = Host();
    out += host;
    if (random_.OneIn(3)) out += random_.Pick(kPorts);
    return out + (random_.OneIn(4) ? "" : "/");
  }

  // In brackets where it needs them.
  std::string Host() {
    if (!words_.empty() && random_.OneIn(2)) {
      const std::string word = words_[random_.Below(words_.size())];
      if (word.find(':') != std::string::npos) return "[" + word + "]";
      return (random_.OneIn(3) ? "a." : "") + word;
    }
    if (random_.OneIn(2)) return std::string(random_.Pick(kNames));
    const std::string address(random_.Pick(kAddresses));
    return address.find(':') == std::string::npos ? address : "[" + address + "]";
  }

  Random& random() { return random_; }

 private:
  static constexpr std::array<std::string_view, 13> kNames = {
      "foo.com",   "a.foo.com",   "b.a.foo.com", "xfoo.com", "com",      "svc",  "FOO.com",
      "localhost", "a.localhost", "foo.com.",    "a-b.c",    "intranet", "8.com"};
  static constexpr std::array<std::string_view, 24> kAddresses = {
      "10.0.0.1",    "10.0.0.2",    "10.1.2.3",     "127.0.0.1",       "127.9.9.9",  "172.16.0.1",
      "192.168.1.1", "0.0.0.0",     "10.1",         "012.1.2.3",       "0x7f.1",     "169.254.169.254",
      "::1",         "::",          "2001:db8::1",  "2001:DB8:0:0::1", "fe80::1",    "::ffff:10.0.0.1",
      "1:2:3::8",    "2001:db8::2", "::ffff:a00:1", "10.0.0.1.",       "fe80::8080", "::10.0.0.1"};
  static constexpr std::array<std::string_view, 22> kNetworks = {
      "10.0.0.0/8",    "10.0.0.1/8",    "10.0.0.0/31", "10.1.0.0/16",    "0.0.0.0/0",   "::/0",
      "2001:db8::/32", "::1/128",       "127.0.0.0/8", "10.0.0.0/33",    "10.0.0/8",    "10.0.0.0/08",
      "10.0.0.0/",     "10.1.2.3/32",   "fe80::/10",   "10.0.0.0/+8",    "10.0.0.0/-8", "::ffff:10.0.0.0/104",
      "172.16.0.0/12", "2001:db8::/29", "10.0.0.0/x",  "2001:db8::1/129"};
  static constexpr std::array<std::string_view, 20> kOdd = {
      "*",       "*.", ".",         "..",       "*foo.com", "*.foo.com", "foo.*", "*foo*", "10.*", "10.",
      "*.*.com", "[",  "..foo.com", "foo.com/", "[]",       "<local>",   "f*m",   "**",    ".*",   "http://foo.com"};

  std::string Entry() {
    constexpr std::array<std::string_view, 4> kPorts = {":80", ":443", ":8080", ":080"};
    constexpr std::array<std::string_view, 4> kFronts = {"", "", ".", "*."};
    std::string out;
    switch (random_.Below(6)) {
      case 0:
        out = random_.Pick(kNetworks);
        return random_.OneIn(8) ? "[" + out + "]" : out;
      case 1:
        return std::string(random_.Pick(kOdd));
      case 2:
      case 3:
        out = Word(kAddresses);
        if (random_.OneIn(4)) out = "[" + out + "]";
        break;
      default:
        out = std::string(random_.Pick(kFronts)) + Word(kNames);
    }
    if (random_.OneIn(5)) out += random_.Pick(kPorts);
    return out;
  }

  // One of `pieces`, remembered for Host().
  std::string Word(std::span<const std::string_view> pieces) { return words_.emplace_back(random_.Pick(pieces)); }

  Random random_;
  std::vector<std::string> words_;
};

}  // namespace prov::testing_support
