// The kind of WinHTTP's machine proxy: one value in the 64-bit and one in the 32-bit view; a view that the machine does
// not have is left out.
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/script_writer.h"
#include "provisioner/reconcile/value_kind.h"
#include "provisioner/reconcile/windows_proxy.h"

namespace prov::reconcile {
namespace {

using images::RegValue;

std::vector<ValuePlace> WinHttpPlaces() {
  std::vector<ValuePlace> out;
  for (const WinHttpView& view : kWinHttpViews) {
    const std::string bits(view.bits);
    out.push_back({bits, bits + "-bit", std::string(view.key), std::string(kWinHttpValue), bits == "32"});
  }
  return out;
}

class WinHttp final : public ValueKind {
 public:
  WinHttp() : ValueKind(ItemKind::kWinHttp, kWinHttpItem) {}

  bool IsInScope(const Scope& scope) const override { return scope.win_http; }

  void WriteForScript(const DesiredState& desired, ScriptWriter& out) const override {
    if (!desired.win_http) return;
    for (const ValuePlace& place : Places()) {
      JsonWriter& json = out.Begin(ItemKey(kWinHttpItem, place.id)).Key("value").BeginObject();
      json.Member("proxy", desired.win_http->proxy).Member("bypass", desired.win_http->bypass);
      json.EndObject().EndObject();
    }
  }
  std::optional<ScriptPlace> PlaceInScript(std::string_view item) const override { return ScriptPlaceOf(item); }

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
    return ShowWindowsProxy(settings->proxy);
  }
  ValueParts PartsOf(const ValuePlace& place, const RegValue& value) const override {
    const auto settings = DecodeWinHttp(value.data);
    const bool is_set = settings && !settings->proxy.proxy.empty() && (settings->flags & kManualProxy) != 0;
    return is_set ? PartsOfProxy(settings->proxy) : ValueParts{{"proxy", Secret(Show(place, value))}};
  }
};

}  // namespace

const Kind& WinHttpKind() {
  static const WinHttp kind;
  return kind;
}

}  // namespace prov::reconcile
