// Compares the dialects with the real clients: how Python's urllib and requests, and Java read generated lists and
// URLs. tests/e2e/clients_e2e.py asks curl and .NET, proxy_go_test.cc Go.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "provisioner/base/text.h"
#include "provisioner/egress/dialect.h"
#include "tests/differential/client_answers.h"
#include "tests/differential/seed.h"
#include "tests/support/no_proxy_cases.h"

namespace prov::differential {
namespace {

using egress::Dialect;

constexpr std::size_t kClientRows = 4000;

const std::vector<ClientRow>& Rows() {
  static const std::vector<ClientRow> rows = [] {
    testing_support::NoProxyCases cases(Seed("Clients"));
    std::vector<ClientRow> out;
    while (out.size() < kClientRows) out.push_back({cases.List(), cases.Url()});
    return out;
  }();
  return rows;
}

bool OursIsDirect(Dialect dialect, const ClientRow& row) {
  const auto list = egress::NoProxy::Parse(row.no_proxy, "row");
  const auto to = egress::ParseDestination(row.url);
  if (!list || !to) throw std::runtime_error("a row that is none: " + row.no_proxy + "  " + row.url);
  return egress::CompileNoProxy(dialect, *list)->Find(*to).kind != egress::Bypass::Kind::kNo;
}

// A difference between versions of a client, of which the dialect is one.
using Explains = bool (*)(const ClientRow& row, bool ours_direct);

bool Never(const ClientRow&, bool) { return false; }

void CompareClient(Dialect dialect, const ClientAnswers& client, Explains explains = Never) {
  std::size_t direct = 0;
  std::size_t proxied = 0;
  std::size_t explained = 0;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < Rows().size(); ++i) {
    if (client.rows[i] == '-') continue;
    const bool theirs = client.rows[i] == 'D';
    const bool ours = OursIsDirect(dialect, Rows()[i]);
    if (ours == theirs) {
      ++(theirs ? direct : proxied);
    } else if (explains(Rows()[i], ours)) {
      ++explained;
    } else if (++wrong <= 20) {
      ADD_FAILURE() << egress::NameOf(dialect) << " goes " << (theirs ? "direct" : "to the proxy")
                    << ", ours does not: NO_PROXY " << testing::PrintToString(Rows()[i].no_proxy) << ", URL "
                    << Rows()[i].url;
    }
  }
  std::cout << egress::TitleOf(dialect) << ": " << direct + proxied + explained + wrong
            << " rows compared with version " << client.version << ": " << direct << " direct, " << proxied
            << " to the proxy, " << explained << " as other versions, " << wrong << " wrong\n";
  EXPECT_EQ(wrong, 0U);
  // The comparison says something only if both happen often.
  EXPECT_GT(direct + proxied, 2000U);
  EXPECT_GT(direct, 500U);
  EXPECT_GT(proxied, 500U);
}

// Before 2.33 requests took an entry for the end of a name, also within a label, and its leading dot with it.
bool EndsWithinLabel(const ClientRow& row, bool ours_direct) {
  std::string list = row.no_proxy;
  std::erase(list, ' ');
  if (ours_direct) {
    return std::ranges::any_of(Split(list, ','), [](std::string_view entry) {
      return entry.starts_with("..") || (entry.starts_with('.') && entry.find(':') != std::string_view::npos);
    });
  }
  const egress::Destination to = egress::ParseDestination(row.url).value();
  return std::ranges::any_of(Split(list, ','), [&](std::string_view entry) {
    return !entry.empty() && (to.name.ends_with(entry) || to.name_port.ends_with(entry));
  });
}

TEST(Clients, Python) {
  std::set<std::string> seen;  // the same Python may go by two names
  std::string reason;
  bool has_requests = false;
  for (const char* python : {"python3", "/usr/bin/python3"}) {
    const auto answers = AskPython(python, Rows(), reason);
    if (!answers) continue;
    if (seen.insert("urllib " + answers->urllib.version).second) CompareClient(Dialect::kPython, answers->urllib);
    if (!answers->requests) continue;
    has_requests = true;
    const std::string& version = answers->requests->version;
    if (!seen.insert("requests " + version).second) continue;
    const bool old = version.starts_with("2.") && std::atoi(version.c_str() + 2) < 33;
    CompareClient(Dialect::kRequests, *answers->requests, old ? EndsWithinLabel : Never);
  }
  if (seen.empty()) GTEST_SKIP() << "NOT RUN: " << reason;
  if (!has_requests) GTEST_SKIP() << "NOT RUN: requests (Debian: python3-requests)";
}

TEST(Clients, Java) {
  std::string reason;
  const auto java = AskJava(Rows(), reason);
  if (!java) GTEST_SKIP() << "NOT RUN: " << reason;
  CompareClient(Dialect::kJava, *java);
}

}  // namespace
}  // namespace prov::differential
