// Lists of required destinations: whatever the bytes are, they are refused with a place, or each destination has a line
// of its own, in order, and a client that can't use its proxy never meets it.

#include "provisioner/router/required.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov;
  const std::string text(fuzz::TextOf(data, size));
  const auto list = router::ReadRequirements(text, "required.txt");
  if (!list) {
    fuzz::CheckError(list.error(), "required.txt");
    return 0;
  }
  FUZZ_CHECK(!list->empty());
  std::size_t before = 0;
  for (const router::Requirement& one : *list) {
    FUZZ_CHECK(one.line > before && one.line <= text.size() + 1);
    before = one.line;
    FUZZ_CHECK(!one.shown.empty() && !one.to.scheme.empty() && !one.to.host.empty());
    FUZZ_CHECK(one.route != egress::Route::kInvalid);
    egress::ClientDecision decision;
    decision.route = egress::Route::kInvalid;
    FUZZ_CHECK(!router::Objection(one, decision, nullptr).empty());
    decision.route = one.route.value_or(egress::Route::kProxy);
    FUZZ_CHECK(router::Objection(one, decision, nullptr).empty());
    router::RequestPath way;
    way.end = router::RequestPath::End::kRouter;
    way.verdict = router::Verdict::kAllow;
    if (one.source) way.source = one.source->ToString();
    FUZZ_CHECK(router::Objection(one, decision, &way).empty());
    way.verdict = router::Verdict::kDeny;
    FUZZ_CHECK(!router::Objection(one, decision, &way).empty());
  }
  return 0;
}
