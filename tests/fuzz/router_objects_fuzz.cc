// Files of egress routers in any form: they are refused with the file as place, or each form that can say a policy is
// read again as the same rules. A check of the same files ends, and finds an error where they are refused.

#include "provisioner/router/render.h"
#include "provisioner/router/router_check.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

using router::Format;
using router::RouterPolicy;

// A policy and one that was read from a form of it.
void CheckSame(const RouterPolicy& policy, const RouterPolicy& again) {
  FUZZ_CHECK(again.kind == policy.kind);
  FUZZ_CHECK(again.redirect.size() == policy.redirect.size());
  FUZZ_CHECK(again.http.size() == policy.http.size());
  FUZZ_CHECK(again.dns.size() == policy.dns.size());
  const auto before = router::Render(policy, {.format = Format::kSquid});
  if (before) FUZZ_CHECK(router::Render(again, {.format = Format::kSquid}) == *before);
}

void CheckForms(const RouterPolicy& policy) {
  for (std::size_t i = 0; i < router::kFormatNames.size(); ++i) {
    const auto format = static_cast<Format>(i);
    const auto text = router::Render(policy, {.format = format});
    if (!text) continue;
    const bool object = format == Format::kManifest || format == Format::kCr;
    if (!object) continue;
    const auto again = router::ReadRouterPolicy(*text, "again");
    if (!again) Violated(__FILE__, __LINE__, again.error().message.c_str());
    CheckSame(policy, *again);
  }
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov;
  const std::vector<router::PolicyFile> files = {{std::string(fuzz::TextOf(data, size)), "router.yaml"}};
  const Findings findings = router::CheckRouters(files);
  fuzz::CheckFindings(findings);
  const auto policies = router::ReadRouterPolicies(files);
  if (!policies) {
    fuzz::CheckError(policies.error(), "router.yaml");
    FUZZ_CHECK(!findings.empty());
    return 0;
  }
  FUZZ_CHECK(!policies->empty());
  for (const router::RouterPolicy& policy : *policies) {
    fuzz::CheckFindings(policy.findings);
    fuzz::CheckForms(policy);
  }
  return 0;
}
