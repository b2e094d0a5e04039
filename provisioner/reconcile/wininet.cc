#include "provisioner/reconcile/wininet.h"

#include <fmt/format.h>

#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/reconcile/byte_reader.h"
#include "provisioner/reconcile/items.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;

constexpr std::string_view kPolicyKey = R"(Policies\Microsoft\Windows\CurrentVersion\Internet Settings)";
constexpr std::string_view kSettingsKey = R"(Microsoft\Windows\CurrentVersion\Internet Settings)";
constexpr std::string_view kPerUser = "ProxySettingsPerUser";
constexpr std::string_view kEnable = "ProxyEnable";
constexpr std::string_view kServer = "ProxyServer";
constexpr std::string_view kOverride = "ProxyOverride";
constexpr std::string_view kConnection = "DefaultConnectionSettings";
constexpr std::string_view kLegacy = "SavedLegacySettings";
constexpr std::uint32_t kModern = 0x46, kOld = 0x3C;
constexpr std::size_t kModernRest = 32, kOldRest = 28;

std::vector<WinInetPlace> MakeWinInetPlaces() {
  std::vector<WinInetPlace> out;
  for (const bool wow : {false, true}) {
    const std::string settings = (wow ? R"(WOW6432Node\)" : "") + std::string(kSettingsKey);
    const auto add = [&](const std::string& key, std::string_view value) {
      const std::string view = wow ? "32" : "64";
      out.push_back({fmt::format("{}:{}", view, value), fmt::format("{}-bit {}", view, value), key, value, wow});
    };
    for (const std::string_view value : {kServer, kOverride, kEnable}) add(settings, value);
    for (const std::string_view value : {kConnection, kLegacy}) add(settings + R"(\Connections)", value);
  }
  // One policy serves both views.
  out.push_back({"policy", std::string(kPerUser), std::string(kPolicyKey), kPerUser, false});
  return out;
}

bool IsConnection(const WinInetPlace& place) { return place.value == kConnection || place.value == kLegacy; }

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

std::string ShowProxy(const egress::WinHttpProxy& proxy) {
  return egress::RedactUrl(proxy.proxy) +
         (proxy.bypass.empty() ? "" : " except " + egress::RedactNoProxy(proxy.bypass, "; "));
}

std::string ShowConnection(const RegValue& value) {
  const auto settings = DecodeWinInet(value.data);
  if (!settings) return "(not readable)";
  std::string out = (settings->flags & WinInetSettings::kManual) != 0 ? ShowProxy(settings->proxy) : "direct";
  if ((settings->flags & WinInetSettings::kScript) != 0) out += ", with a configuration script";
  if ((settings->flags & WinInetSettings::kDetect) != 0) out += ", with automatic detection";
  return out;
}

}  // namespace

const std::vector<WinInetPlace>& WinInetPlaces() {
  static const std::vector<WinInetPlace> places = MakeWinInetPlaces();
  return places;
}

std::string EncodeWinInet(const WinInetSettings& settings) {
  std::string out = images::EncodeDword(settings.version) + images::EncodeDword(settings.counter);
  out += images::EncodeDword(settings.flags);
  PutText(out, settings.proxy.proxy);
  PutText(out, settings.proxy.bypass);
  PutText(out, settings.script_url);
  return out + settings.rest;
}

Result<WinInetSettings> DecodeWinInet(std::string_view bytes) {
  ByteReader reader(bytes);
  const auto version = reader.Dword();
  const auto counter = reader.Dword();
  const auto flags = reader.Dword();
  auto proxy = reader.Text();
  auto bypass = reader.Text();
  auto script = reader.Text();
  const bool whole = (version == kModern && reader.rest().size() >= kModernRest) ||
                     (version == kOld && reader.rest().size() >= kOldRest);
  if (!counter || !flags || !proxy || !bypass || !script || !whole) {
    return Fail(Code::kType, "is not laid out as WinINET's settings are", std::string(kConnection));
  }
  WinInetSettings out{.version = *version, .counter = *counter, .flags = *flags};
  out.proxy = {*std::move(proxy), *std::move(bypass)};
  out.script_url = *std::move(script);
  out.rest = reader.rest();
  return out;
}

RegValue EncodeWinInetValue(const WinInetPlace& place, const egress::WinHttpProxy& proxy,
                            const std::optional<RegValue>& now) {
  RegValue out{std::string(place.value), RegType::kDword, images::EncodeDword(place.value == kEnable ? 1 : 0)};
  if (place.value == kServer || place.value == kOverride) {
    out.type = RegType::kSz;
    out.data = images::EncodeSz(place.value == kServer ? proxy.proxy : proxy.bypass);
  } else if (IsConnection(place)) {
    out.type = RegType::kBinary;
    out.data = EncodeConnection(proxy, now);
  }
  return out;
}

bool SameWinInet(const WinInetPlace& place, const RegValue& a, const RegValue& b) {
  if (a.type != b.type) return false;
  if (a.type == RegType::kSz) return StringOf(a) == StringOf(b) && StringOf(a);
  if (!IsConnection(place)) return a.data == b.data;
  const auto left = DecodeWinInet(a.data);
  const auto right = DecodeWinInet(b.data);
  if (!left || !right) return a.data == b.data;
  return left->proxy == right->proxy && Switches(*left) == Switches(*right);
}

std::string ShowWinInet(const WinInetPlace& place, const RegValue& value) {
  if (IsConnection(place)) return ShowConnection(value);
  if (value.type == RegType::kDword && value.data.size() == 4) {
    return fmt::format("{}", ByteReader(value.data).Dword().value_or(0));
  }
  const auto text = value.type == RegType::kSz || value.type == RegType::kExpandSz ? StringOf(value) : std::nullopt;
  if (!text) return "(of another type)";
  return place.value == kServer ? egress::RedactUrl(*text) : egress::RedactNoProxy(*text, "; ");
}

}  // namespace prov::reconcile
