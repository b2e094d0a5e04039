// Lists of destinations, as each of the three routers reads them: a list is refused with its line, or every form of it
// is read again as the same rules, and what is said of destinations is said twice. Input: the list, then (behind a 0x01
// byte) destinations.
#include "provisioner/base/text.h"
#include "provisioner/router/destinations.h"
#include "provisioner/router/evaluation.h"
#include "provisioner/router/policy_review.h"
#include "provisioner/router/render.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

using router::Format;
using router::RouterKind;
using router::RouterPolicy;
using router::Verdict;

constexpr std::size_t kMostAsked = 16;

void CheckAgain(const RouterPolicy& policy) {
  const auto env = router::Render(policy, {.format = Format::kEnv});
  FUZZ_CHECK(env.has_value());
  const auto again = router::ReadRouterPolicy(*env, "router.env");
  // systemd takes no noncharacters and no malformed UTF-8, which comments may hold.
  if (!again) {
    CheckError(again.error());
    return;
  }
  FUZZ_CHECK(again->kind == policy.kind);
  for (const Format format : {Format::kNft, Format::kIptables, Format::kSquid, Format::kHaproxy}) {
    const auto before = router::Render(policy, {.format = format});
    if (before) FUZZ_CHECK(router::Render(*again, {.format = format}) == *before);
  }
}

void CheckDestination(const RouterPolicy& policy, const router::Evaluation& evaluation, std::string_view text) {
  const auto destination = router::ParseRouterDestination(policy.kind, text);
  if (!destination) {
    FUZZ_CHECK(destination.error().code == Code::kUsage);
    return;
  }
  const router::RouterDecision told = evaluation.Explain(*destination);
  FUZZ_CHECK(!told.note.empty());
  FUZZ_CHECK(told.to.empty() || told.verdict == Verdict::kAllow || told.verdict == Verdict::kForward);
  FUZZ_CHECK(!told.to.empty() || told.source.empty());
  // With the answers nothing depends on them, and what did not depend on them stays.
  router::KnownAnswers answers;
  if (destination->address) {
    answers.names[destination->address->ToString()] = "a.test";
  } else {
    answers.addresses[destination->host];
  }
  const router::RouterDecision known = evaluation.Explain(*destination, answers);
  FUZZ_CHECK(known.verdict != Verdict::kDepends);
  if (policy.kind == RouterKind::kHttpProxy)
    FUZZ_CHECK(told.verdict == Verdict::kDepends || told.verdict == known.verdict);
}

void CheckKind(RouterKind kind, std::string_view list, const std::vector<std::string_view>& asked) {
  RouterPolicy policy{.kind = kind, .where = "list"};
  const auto read = router::ReadDestinations(list, policy);
  RouterPolicy checked{.kind = kind, .where = "list"};
  const router::Faults faults = router::CheckDestinations(list, checked);
  FUZZ_CHECK(read.has_value() == faults.empty());
  FUZZ_CHECK(faults.size() <= router::kMostFaults + 1);
  for (const Error& fault : faults) {
    CheckError(fault);
    FUZZ_CHECK(fault.where.starts_with("list"));
  }
  FUZZ_CHECK(router::ReadSource("192.0.2.10/24", "here", checked).has_value());
  FUZZ_CHECK(router::ReadGateway("192.0.2.1", "here", checked).has_value());
  router::ReviewPolicy(checked, {}, checked.findings);
  CheckFindings(checked.findings);
  if (!read) return;
  CheckAgain(checked);
  const router::Evaluation evaluation(checked);
  for (std::size_t i = 0; i < asked.size() && i < kMostAsked; ++i) CheckDestination(checked, evaluation, asked[i]);
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov;
  std::vector<std::string_view> parts = Split(fuzz::TextOf(data, size), '\x01');
  const std::string_view list = parts.front();
  parts.erase(parts.begin());
  for (const auto kind : {router::RouterKind::kRedirect, router::RouterKind::kHttpProxy, router::RouterKind::kDnsProxy})
    fuzz::CheckKind(kind, list, parts);
  return 0;
}
