#include "provisioner/reconcile/items.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "images/registry/descriptor.h"
#include "images/registry/hive_names.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/reconcile/service_name.h"
#include "provisioner/reconcile/windows_proxy.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;
using pki::Store;

bool SameList(const std::string& a, const std::string& b) {
  const auto left = egress::NoProxy::Parse(a, {});
  const auto right = egress::NoProxy::Parse(b, {});
  return left && right && left->SameSet(*right);
}

// Whether the SID is that of LocalService, of NetworkService, or of an account of a machine or a domain. Windows'
// built-in groups are none of these.
bool IsSingleAccount(std::string_view sid) {
  return sid == "S-1-5-19" || sid == "S-1-5-20" || sid.starts_with("S-1-5-21-");
}

}  // namespace

std::string EnvironmentKeyPath() { return R"(SYSTEM\CurrentControlSet\Control\Session Manager\Environment)"; }

std::string ItemKey(std::string_view prefix, std::string_view name) {
  const bool is_service = prefix == kServiceItem || prefix == kServiceSecurityItem || prefix == kBootServiceItem;
  if (is_service) return std::string(prefix) + ServiceNameKey(name);
  return std::string(prefix) + (prefix == kHnsItem ? AsciiUpper(name) : std::string(name));
}

std::string CertificateItemName(Store store, std::string_view thumbprint) {
  return ItemKey(kCertificateItem, fmt::format("{}:{}", NameOf(store), AsciiLower(thumbprint)));
}

Store StoreOfItem(std::string_view certificate_item) {
  return certificate_item.starts_with(CertificateItemName(Store::kRoot, "")) ? Store::kRoot : Store::kCa;
}

std::optional<std::string> StringOf(const RegValue& value) {
  std::string_view data = value.data;
  constexpr std::string_view kNul("\0\0", 2);
  if (data.size() % 2 == 0 && data.ends_with(kNul)) data.remove_suffix(2);
  return FromUtf16Le(data);
}

bool SameVariable(std::string_view name, const RegValue& a, const RegValue& b) {
  if (a.type != b.type) return false;
  const auto left = StringOf(a);
  const auto right = StringOf(b);
  if (a.type != RegType::kSz || !left || !right) return a.data == b.data;
  return *left == *right || (name == "NO_PROXY" && SameList(*left, *right));
}

bool SameWinHttp(const RegValue& a, const RegValue& b) {
  const auto left = DecodeWinHttp(a.data);
  const auto right = DecodeWinHttp(b.data);
  if (a.type != b.type || !left || !right) return a.type == b.type && a.data == b.data;
  return left->proxy == right->proxy && (left->flags & kManualProxy) == (right->flags & kManualProxy);
}

std::optional<std::vector<std::string>> ServiceEntries(const std::optional<RegValue>& value) {
  std::vector<std::string> out;
  if (!value) return out;
  if (value->type != RegType::kMultiSz) return std::nullopt;
  // A last byte alone is no character.
  const std::string_view units = std::string_view(value->data).substr(0, value->data.size() / 2 * 2);
  const std::string text = images::regf::NameToUtf8(images::regf::Load(units, false).value_or(u""));
  for (const std::string_view entry : Split(text, '\0')) {
    if (!entry.empty()) out.emplace_back(entry);
  }
  return out;
}

std::vector<std::string> EntriesIn(const std::optional<RegValue>& value) {
  return ServiceEntries(value).value_or(std::vector<std::string>());
}

bool HoldsEntries(const std::vector<std::string>& entries, const std::vector<std::string>& wanted) {
  return std::ranges::all_of(wanted,
                             [&](const std::string& one) { return std::ranges::find(entries, one) != entries.end(); });
}

std::string ShowVariable(std::string_view name, std::string_view value) {
  return EqualsIgnoreAsciiCase(name, "NO_PROXY") ? egress::RedactNoProxy(value) : egress::RedactUrl(value);
}

std::string ShowDescriptor(std::string_view descriptor) {
  if (descriptor.empty()) return {};
  const images::Sids others = images::OthersGranted(descriptor);
  std::string out = "SYSTEM and Administrators";
  for (const std::string& sid : others) {
    const std::string text = images::SidText(sid);
    if (!IsSingleAccount(text)) return "others, too";
    out += ", " + text;
  }
  return images::IsForAdministratorsOnly(descriptor, others) ? out : "others, too";
}

ValueParts PartsOfDescriptor(std::string_view descriptor) {
  auto text = images::TextOf(descriptor);
  if (!text) return {};
  return {{"owner", Secret(std::move(text->owner)), ValuePart::Form::kData},
          {"dacl", Secret(std::move(text->dacl)), ValuePart::Form::kData}};
}

}  // namespace prov::reconcile
