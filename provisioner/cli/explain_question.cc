#include "provisioner/cli/explain_question.h"

namespace prov::cli {

std::string_view NameOf(egress::Route route) {
  if (route == egress::Route::kDirect) return "direct";
  return route == egress::Route::kProxy ? "proxy" : "invalid";
}

std::string_view WordOf(const ThroughOptions& routers, const ExplainedUrl& asked,
                        const egress::ClientDecision& decision) {
  const auto way = routers.Follow(asked.to, decision);
  if (!way || way->end == router::WayOut::End::kInvalid || way->Passes()) return NameOf(decision.route);
  if (way->end == router::WayOut::End::kUnknown) return "unknown";
  return way->verdict == router::Verdict::kDepends ? "depends" : "refused";
}

}  // namespace prov::cli
