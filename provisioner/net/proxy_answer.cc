#include "provisioner/net/proxy_answer.h"

#include <algorithm>

#include "provisioner/base/text.h"

namespace prov::net {
namespace {

constexpr std::size_t kMostChallenges = 16;
constexpr std::size_t kLongestChallenge = 1024;
constexpr std::size_t kLongestReason = 48;

// "ERR_DNS_FAIL 0": an error page's name and a system's error number.
std::string Word(std::string_view value) {
  const std::string_view word = value.substr(0, value.find(' '));
  const bool is_name =
      std::ranges::all_of(word, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
  return is_name && word.size() <= kLongestReason ? std::string(word) : std::string();
}

}  // namespace

void ProxyAnswer::AddLine(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    challenges_are_old_ = true;
    reason_.clear();
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = TrimBlanks(line.substr(colon + 1));
  if (EqualsIgnoreAsciiCase(name, "X-Squid-Error")) reason_ = Word(value);
  if (!EqualsIgnoreAsciiCase(name, "Proxy-Authenticate")) return;
  if (challenges_are_old_) challenges_.clear();
  challenges_are_old_ = false;
  if (challenges_.size() < kMostChallenges) challenges_.emplace_back(value.substr(0, kLongestChallenge));
}

}  // namespace prov::net
