// WinHTTP's machine proxy in the 64-bit and the 32-bit view; a view that the machine does not have is left out.
#include "provisioner/egress/proxy_url.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/planner.h"

namespace prov::reconcile {
namespace {

using images::RegValue;

constexpr std::uint32_t kManualProxy = 2;

std::string Show(const RegValue& value) {
  const auto settings = DecodeWinHttp(value.data);
  if (!settings) return "(not readable)";
  if (settings->proxy.proxy.empty() || (settings->flags & kManualProxy) == 0) return "direct";
  // Somebody else's value may hold what no proxy of ours has.
  return egress::RedactUrl(settings->proxy.proxy) +
         (settings->proxy.bypass.empty() ? "" : " except " + settings->proxy.bypass);
}

// In the form that the machine uses already.
RegValue Encoded(const egress::WinHttpProxy& proxy, const std::optional<RegValue>& now) {
  WinHttpSettings settings{.proxy = proxy};
  if (const auto known = now ? DecodeWinHttp(now->data) : Fail(Code::kType, {})) {
    settings.version = known->version;
    settings.counter = known->counter;
  }
  return {std::string(kWinHttpValue), images::RegType::kBinary, EncodeWinHttp(settings)};
}

}  // namespace

Result<void> PlanWinHttp(Planner& planner) {
  machine::Registry& registry = planner.machine().registry;
  for (std::size_t view = 0; view < kWinHttpViews.size(); ++view) {
    ValueItem item;
    item.kind = ItemKind::kWinHttp;
    item.item = std::string(kWinHttpItem) + std::string(kWinHttpViews[view]);
    item.name = "WinHTTP, " + std::string(kWinHttpViews[view]) + "-bit";
    item.key = WinHttpKeyPath(view);
    item.value = kWinHttpValue;
    item.equivalent = SameWinHttp;
    item.show = Show;
    const bool present = view == 0 || PROV_TRY(registry.KeyExists(R"(SOFTWARE\WOW6432Node)"));
    if (!present) continue;
    if (planner.desired().win_http) {
      item.desired = Encoded(*planner.desired().win_http, PROV_TRY(registry.Read(item.key, item.value)));
    }
    PROV_TRY(PlanValue(planner, item));
  }
  return {};
}

}  // namespace prov::reconcile
