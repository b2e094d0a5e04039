// The dialects: for any list and host Go's is GoBypasses(), a decision names an entry exactly if it goes direct by one,
// notes are one line that a terminal can take once Printable() has seen it, and an augmented list never changes what Go
// does. Input: the list, then (behind a 0x01 byte) URLs.
#include "provisioner/base/text.h"
#include "provisioner/egress/augment.h"
#include "provisioner/egress/dialect_disagreement.h"
#include "provisioner/egress/dialect_explain.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

using egress::ClientDecision;
using egress::Dialect;
using egress::Explainer;
using egress::NoProxy;
using egress::Route;

constexpr std::size_t kMostUrls = 16;

void CheckDecision(const Explainer& explainer, Dialect dialect, const egress::Destination& to) {
  const ClientDecision decision = explainer.Decide(dialect, to);
  FUZZ_CHECK(decision.entry.empty() != (decision.why == ClientDecision::Why::kEntry));
  FUZZ_CHECK(decision.proxy.empty() == (decision.route == Route::kDirect));
  FUZZ_CHECK(!explainer.Note(dialect, to, decision).empty());
}

void CheckUrl(const Explainer& explainer, const Explainer& augmented, const NoProxy& list, std::string_view url) {
  const auto to = egress::ParseDestination(url);
  if (!to) return;
  for (std::size_t i = 0; i < egress::kDialectCount; ++i) CheckDecision(explainer, static_cast<Dialect>(i), *to);
  const Route go = explainer.Decide(Dialect::kGo, *to).route;
  FUZZ_CHECK(augmented.Decide(Dialect::kGo, *to).route == go);
  const bool http = to->scheme == "http" || to->scheme == "https";
  FUZZ_CHECK((go == Route::kDirect) == (!http || egress::GoBypasses(list, to->host, to->port)));
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov;
  const std::string_view input = fuzz::TextOf(data, size);
  const std::vector<std::string_view> parts = Split(input, '\x01');
  const auto list = egress::NoProxy::Parse(parts[0], "NO_PROXY");
  const Secret proxy("http://proxy.example:3128");
  const auto explainer = egress::Explainer::Make({proxy, proxy, std::string(parts[0]), size % 2 == 0});
  FUZZ_CHECK(list.has_value() == explainer.has_value());
  if (!list) return 0;
  const egress::AugmentedNoProxy more = egress::Augment(*list);
  const auto augmented = egress::Explainer::Make({proxy, proxy, more.text, size % 2 == 0});
  FUZZ_CHECK(augmented.has_value());
  FUZZ_CHECK(egress::ReviewDisagreements(*list, "here").size() < 60);
  for (std::size_t i = 1; i < parts.size() && i <= fuzz::kMostUrls; ++i)
    fuzz::CheckUrl(*explainer, *augmented, *list, parts[i]);
  return 0;
}
