#include "provisioner/reconcile/items.h"

#include <fmt/format.h>

#include "provisioner/base/text.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/reconcile/planner.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;
using pki::Store;

constexpr std::uint32_t kManualProxy = 2;

bool SameList(const std::string& a, const std::string& b) {
  const auto left = egress::NoProxy::Parse(a, {});
  const auto right = egress::NoProxy::Parse(b, {});
  return left && right && left->SameSet(*right);
}

}  // namespace

std::string EnvironmentKeyPath() { return R"(SYSTEM\CurrentControlSet\)" + std::string(kEnvironmentKey); }
std::string ServiceKeyPath(std::string_view service) { return R"(SYSTEM\CurrentControlSet\)" + ServiceKey(service); }
std::string WinHttpKeyPath(std::size_t view) { return R"(SOFTWARE\)" + std::string(kWinHttpKeys.at(view)); }
std::string WinInetKeyPath(const WinInetPlace& place) { return R"(SOFTWARE\)" + place.key; }

std::string CertificateItemName(Store store, std::string_view thumbprint) {
  return fmt::format("{}{}:{}", kCertificateItem, NameOf(store), thumbprint);
}

Store StoreOfItem(std::string_view certificate_item) {
  return certificate_item.starts_with(CertificateItemName(Store::kRoot, "")) ? Store::kRoot : Store::kCa;
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
  const auto text = FromUtf16Le(value->data);
  if (!text) return std::nullopt;
  for (const std::string_view entry : Split(*text, '\0')) {
    if (!entry.empty()) out.emplace_back(entry);
  }
  return out;
}

}  // namespace prov::reconcile
