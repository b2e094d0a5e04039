// Our decision for a request (direct, this proxy, or a proxy URL that is refused) against what a Go program decides.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/egress/decision.h"
#include "provisioner/egress/proxy_url.h"
#include "tests/differential/differences.h"
#include "tests/differential/go_answer.h"
#include "tests/differential/proxy_rows.h"
#include "tests/differential/seed.h"
#include "tests/support/paths.h"

namespace prov::differential {
namespace {

constexpr std::size_t kGoRows = 20000;

using Kind = Answer::Kind;

std::string Describe(std::string_view scheme, std::string_view host, unsigned long port, bool has_userinfo,
                     std::string_view user, std::string_view password) {
  std::string out = std::string(scheme) + " " + AsciiLower(host) + " " + std::to_string(port);
  if (has_userinfo) out += " user \"" + std::string(user) + "\" password \"" + std::string(password) + "\"";
  return out;
}

Answer Ours(const Row& row) {
  const auto decision = egress::Decide(Secret(row.proxy), Secret(row.proxy), row.no_proxy, row.target);
  if (!decision) return {decision.error().code == Code::kNoProxy ? Kind::kBadNoProxy : Kind::kBadUrl, ""};
  if (decision->route == egress::Route::kDirect) return {Kind::kDirect, ""};
  if (decision->route == egress::Route::kInvalid) return {Kind::kRefusedProxy, ""};
  const bool https = AsciiLower(row.target).starts_with("https:");
  Findings ignored;
  const auto url = egress::ParseProxyUrl(
      Secret(row.proxy), https ? egress::ProxyVariable::kHttps : egress::ProxyVariable::kHttp, "row", ignored);
  if (!url) return {Kind::kRefusedProxy, ""};
  return {Kind::kProxy, Describe(url->scheme(), url->host(), url->port(), url->has_credentials(), url->username(),
                                 url->password().Reveal())};
}

std::string GoProxy(const GoAnswer& go) {
  const unsigned long port =
      go.port.empty() ? (go.scheme == "https" ? 443U : 80U) : std::strtoul(go.port.c_str(), nullptr, 10);
  return Describe(go.scheme, go.host, port, go.has_userinfo, go.user, go.password);
}

std::string NameOf(const Answer& ours) {
  constexpr std::array<std::string_view, 5> kNames = {"bad-url", "bad-no-proxy", "direct", "refused-proxy", "proxy "};
  return std::string(kNames[static_cast<std::size_t>(ours.kind)]) + ours.proxy;
}

std::string NameOf(const GoAnswer& go) {
  if (go.kind == GoAnswer::Kind::kBadUrl) return "bad-url";
  return go.kind == GoAnswer::Kind::kDirect ? "direct" : "proxy " + GoProxy(go);
}

bool Same(const Answer& ours, const GoAnswer& go) {
  switch (go.kind) {
    case GoAnswer::Kind::kBadUrl:
      return ours.kind == Kind::kBadUrl;
    case GoAnswer::Kind::kDirect:
      return ours.kind == Kind::kDirect;
    case GoAnswer::Kind::kProxy:
      return ours.kind == Kind::kProxy && ours.proxy == GoProxy(go);
  }
  return false;
}

struct Tally {
  std::size_t same = 0;
  std::size_t direct = 0;   // of these
  std::size_t proxied = 0;  // of these
  std::size_t unexplained = 0;
  std::map<std::string_view, std::size_t> by_rule;
};

void CompareWithGo(const Row& row, const Answer& ours, const GoAnswer& go, Tally& tally) {
  if (Same(ours, go)) {
    ++tally.same;
    tally.direct += ours.kind == Kind::kDirect ? 1 : 0;
    tally.proxied += ours.kind == Kind::kProxy ? 1 : 0;
    return;
  }
  for (const Difference& one : IntendedDifferences()) {
    if (!one.explains(row, ours, go)) continue;
    ++tally.by_rule[one.rule];
    return;
  }
  if (++tally.unexplained > 20) return;
  ADD_FAILURE() << "proxy " << testing::PrintToString(row.proxy) << ", NO_PROXY "
                << testing::PrintToString(row.no_proxy) << ", URL " << testing::PrintToString(row.target) << "\n  ours "
                << NameOf(ours) << "\n  Go   " << NameOf(go);
}

TEST(ProxyGo, DecidesAsGo) {
  const std::vector<Row> rows = MakeRows(Seed("ProxyGo"), kGoRows);
  std::string reason;
  const auto go = AskGo(rows, testing_support::DifferentialFolder(), reason);
  if (!go) GTEST_SKIP() << "NOT RUN: " << reason;
  Tally tally;
  for (std::size_t i = 0; i < rows.size(); ++i) CompareWithGo(rows[i], Ours(rows[i]), go->rows[i], tally);
  std::cout << "ProxyGo: " << rows.size() << " rows compared with " << go->version << ": " << tally.same
            << " the same (" << tally.direct << " direct, " << tally.proxied << " to the proxy), " << tally.unexplained
            << " unexplained differences; intended ones:\n";
  for (const Difference& one : IntendedDifferences()) {
    std::cout << "  " << tally.by_rule[one.rule] << "  " << one.rule << ": " << one.reason << '\n';
    if (RunsOnDefaultSeed()) {
      EXPECT_GT(tally.by_rule[one.rule], 0U) << one.rule << " explains nothing: remove it";
    }
  }
  EXPECT_EQ(tally.unexplained, 0U);
  // The comparison says something only if each of these happens often.
  EXPECT_GT(tally.direct, 2000U);
  EXPECT_GT(tally.proxied, 5000U);
}

}  // namespace
}  // namespace prov::differential
