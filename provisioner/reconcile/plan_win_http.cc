// WinHTTP's machine proxy in the 64-bit and the 32-bit view; a view that the machine does not have is left out.
#include <array>

#include "provisioner/reconcile/planner.h"

namespace prov::reconcile {
namespace {

using images::RegValue;

constexpr std::array<std::string_view, 2> kViews = {"64", "32"};
constexpr std::uint32_t kManualProxy = 2;

bool Equivalent(const RegValue& a, const RegValue& b) {
  const auto left = DecodeWinHttp(a.data);
  const auto right = DecodeWinHttp(b.data);
  if (a.type != b.type || !left || !right) return a.type == b.type && a.data == b.data;
  return left->proxy == right->proxy && (left->flags & kManualProxy) == (right->flags & kManualProxy);
}

std::string Show(const RegValue& value) {
  const auto settings = DecodeWinHttp(value.data);
  if (!settings) return "(not readable)";
  if (settings->proxy.proxy.empty() || (settings->flags & kManualProxy) == 0) return "direct";
  return settings->proxy.proxy + (settings->proxy.bypass.empty() ? "" : " except " + settings->proxy.bypass);
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
  for (std::size_t view = 0; view < kViews.size(); ++view) {
    ValueItem item;
    item.kind = ItemKind::kWinHttp;
    item.item = "winHttp:" + std::string(kViews[view]);
    item.name = "WinHTTP, " + std::string(kViews[view]) + "-bit";
    item.key = R"(SOFTWARE\)" + std::string(kWinHttpKeys[view]);
    item.value = kWinHttpValue;
    item.equivalent = Equivalent;
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
