// The kind of the machine-wide WinINET proxy: a policy that overrides the users' own settings, and the settings in the
// 64-bit and the 32-bit view; a view that the machine does not have is left out. .NET Framework and PowerShell 5.1 read
// them.
#include <fmt/format.h>

#include "images/registry/hive_format.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/value_kind.h"
#include "provisioner/reconcile/windows_proxy.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;

constexpr std::string_view kPolicyKey = R"(SOFTWARE\Policies\Microsoft\Windows\CurrentVersion\Internet Settings)";
constexpr std::string_view kPerUser = "ProxySettingsPerUser";
constexpr std::string_view kEnable = "ProxyEnable";
constexpr std::string_view kServer = "ProxyServer";
constexpr std::string_view kOverride = "ProxyOverride";
constexpr std::string_view kConnection = "DefaultConnectionSettings";
constexpr std::string_view kLegacy = "SavedLegacySettings";

// The policy comes last: the others have no effect without it. One policy serves both views.
std::vector<ValuePlace> WinInetPlaces() {
  std::vector<ValuePlace> out;
  for (const std::string_view bits : {"64", "32"}) {
    const bool wow = bits == "32";
    const std::string settings =
        fmt::format(R"(SOFTWARE\{}Microsoft\Windows\CurrentVersion\Internet Settings)", wow ? R"(WOW6432Node\)" : "");
    for (const std::string_view value : {kServer, kOverride, kEnable, kConnection, kLegacy}) {
      const bool in_connections = value == kConnection || value == kLegacy;
      out.push_back({fmt::format("{}:{}", bits, value), fmt::format("{}-bit {}", bits, value),
                     settings + (in_connections ? R"(\Connections)" : ""), std::string(value), wow});
    }
  }
  out.push_back({"policy", std::string(kPerUser), std::string(kPolicyKey), std::string(kPerUser)});
  return out;
}

bool IsConnection(const ValuePlace& place) { return place.value == kConnection || place.value == kLegacy; }

// Keeps the counter, and the settings that are not ours.
std::string EncodeConnection(const egress::WinHttpProxy& proxy, const std::optional<RegValue>& now) {
  WinInetSettings settings;
  if (auto known = now ? DecodeWinInet(now->data) : Fail(Code::kType, {})) {
    settings = *std::move(known);
    settings.flags = WinInetSettings::kDirect | WinInetSettings::kManual;
    ++settings.counter;
  }
  settings.proxy = proxy;
  return EncodeWinInet(settings);
}

// The flags that matter. kDirect is always set and says nothing.
std::uint32_t Switches(const WinInetSettings& settings) {
  return settings.flags & (WinInetSettings::kManual | WinInetSettings::kScript | WinInetSettings::kDetect);
}

std::string ShowConnection(const RegValue& value) {
  const auto settings = DecodeWinInet(value.data);
  if (!settings) return "(not readable)";
  std::string out = (settings->flags & WinInetSettings::kManual) != 0 ? ShowWindowsProxy(settings->proxy) : "direct";
  if ((settings->flags & WinInetSettings::kScript) != 0) out += ", with a configuration script";
  if ((settings->flags & WinInetSettings::kDetect) != 0) out += ", with automatic detection";
  return out;
}

class WinInet final : public ValueKind {
 public:
  WinInet() : ValueKind(ItemKind::kWinInet, kWinInetItem) {}

  bool IsInScope(const Scope& scope) const override { return scope.win_inet; }

 protected:
  const std::vector<ValuePlace>& Places() const override {
    static const std::vector<ValuePlace> places = WinInetPlaces();
    return places;
  }
  std::optional<RegValue> Wanted(const DesiredState& desired, const ValuePlace& place,
                                 const std::optional<RegValue>& now) const override {
    if (!desired.win_inet) return std::nullopt;
    const egress::WinHttpProxy& proxy = *desired.win_inet;
    if (IsConnection(place)) return RegValue{place.value, RegType::kBinary, EncodeConnection(proxy, now)};
    if (place.value == kServer) return RegValue{place.value, RegType::kSz, images::EncodeSz(proxy.proxy)};
    if (place.value == kOverride) return RegValue{place.value, RegType::kSz, images::EncodeSz(proxy.bypass)};
    return RegValue{place.value, RegType::kDword, images::EncodeDword(place.value == kEnable ? 1 : 0)};
  }
  // The proxy, the exceptions and what is switched on.
  bool Same(const ValuePlace& place, const RegValue& a, const RegValue& b) const override {
    if (a.type != b.type) return false;
    if (a.type == RegType::kSz) return StringOf(a) == StringOf(b) && StringOf(a);
    if (!IsConnection(place)) return a.data == b.data;
    const auto left = DecodeWinInet(a.data);
    const auto right = DecodeWinInet(b.data);
    if (!left || !right) return a.data == b.data;
    return left->proxy == right->proxy && Switches(*left) == Switches(*right);
  }
  std::string Show(const ValuePlace& place, const RegValue& value) const override {
    if (IsConnection(place)) return ShowConnection(value);
    if (value.type == RegType::kDword && value.data.size() == 4) {
      return fmt::format("{}", images::regf::Load32(value.data, 0));
    }
    const auto text = value.type == RegType::kSz || value.type == RegType::kExpandSz ? StringOf(value) : std::nullopt;
    if (!text) return "(of another type)";
    return place.value == kServer ? egress::RedactUrl(*text) : egress::RedactNoProxy(*text, kBypassSeparators);
  }
  ValueParts PartsOf(const ValuePlace& place, const RegValue& value) const override {
    const auto text = StringOf(value);
    if (value.type == RegType::kSz && text && place.value == kServer)
      return {{"proxy", Secret(*text), ValuePart::Form::kUrl}};
    if (value.type == RegType::kSz && text && place.value == kOverride)
      return {{"bypass", Secret(*text), ValuePart::Form::kList, kBypassSeparators}};
    const auto settings = DecodeWinInet(value.data);
    if (!IsConnection(place) || !settings) return {{place.value, Secret(Show(place, value))}};
    ValueParts out{{"proxy", Secret("direct")}};
    if ((settings->flags & WinInetSettings::kManual) != 0) out = PartsOfProxy(settings->proxy);
    if ((settings->flags & WinInetSettings::kScript) != 0)
      out.push_back({"script", Secret(settings->script_url), ValuePart::Form::kUrl});
    if ((settings->flags & WinInetSettings::kDetect) != 0) out.push_back({"detect", Secret("true")});
    return out;
  }
};

}  // namespace

const Kind& WinInetKind() {
  static const WinInet kind;
  return kind;
}

}  // namespace prov::reconcile
