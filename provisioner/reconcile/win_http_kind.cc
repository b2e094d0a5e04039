// The kind of WinHTTP's machine proxy: one value in the 64-bit and one in the 32-bit view; a view that the machine does
// not have is left out.
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/value_kind.h"
#include "provisioner/reconcile/win_http.h"

namespace prov::reconcile {
namespace {

using images::RegValue;

std::vector<ValuePlace> WinHttpPlaces() {
  std::vector<ValuePlace> out;
  for (std::size_t view = 0; view < kWinHttpViews.size(); ++view) {
    const std::string bits(kWinHttpViews.at(view));
    out.push_back(
        {bits, "WinHTTP, " + bits + "-bit", bits + "-bit", WinHttpKeyPath(view), std::string(kWinHttpValue), view > 0});
  }
  return out;
}

class WinHttp final : public ValueKind {
 public:
  WinHttp() : ValueKind(ItemKind::kWinHttp, kWinHttpItem) {}

  bool IsInScope(const Scope& scope) const override { return scope.win_http; }

  void Bake(const DesiredState& desired, bool /*closed*/, BakedRegistry& out) const override {
    if (!desired.win_http) return;
    for (const std::string_view key : kWinHttpKeys) {
      images::KeyAt(out.software, key).values.push_back(EncodeWinHttpValue(*desired.win_http));
    }
  }

 protected:
  const std::vector<ValuePlace>& Places() const override {
    static const std::vector<ValuePlace> places = WinHttpPlaces();
    return places;
  }
  // Keeps the version of the form that the machine has.
  std::optional<RegValue> Wanted(const DesiredState& desired, const ValuePlace& /*place*/,
                                 const std::optional<RegValue>& now) const override {
    if (!desired.win_http) return std::nullopt;
    WinHttpSettings settings{.proxy = *desired.win_http};
    if (const auto known = now ? DecodeWinHttp(now->data) : Fail(Code::kType, {})) {
      settings.version = known->version;
      settings.counter = known->counter;
    }
    return RegValue{std::string(kWinHttpValue), images::RegType::kBinary, EncodeWinHttp(settings)};
  }
  bool Same(const ValuePlace& /*place*/, const RegValue& a, const RegValue& b) const override {
    return SameWinHttp(a, b);
  }
  std::string Show(const ValuePlace& /*place*/, const RegValue& value) const override {
    const auto settings = DecodeWinHttp(value.data);
    if (!settings) return "(not readable)";
    if (settings->proxy.proxy.empty() || (settings->flags & kManualProxy) == 0) return "direct";
    // Another program's value may hold parts that our own proxies never have, so redact it as text.
    return egress::RedactUrl(settings->proxy.proxy) +
           (settings->proxy.bypass.empty() ? "" : " except " + egress::RedactNoProxy(settings->proxy.bypass, "; "));
  }
};

}  // namespace

const Kind& WinHttpKind() {
  static const WinHttp kind;
  return kind;
}

}  // namespace prov::reconcile
