// Where each item lives: the one place that knows the names of ledger items, their keys and their meaning of "equal".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/pki/trust_store.h"
#include "provisioner/reconcile/win_http.h"
#include "provisioner/reconcile/wininet.h"

namespace prov::reconcile {

inline constexpr std::string_view kEnvironmentItem = "env:";
inline constexpr std::string_view kWinHttpItem = "winHttp:";
inline constexpr std::string_view kWinInetItem = "winInet:";
inline constexpr std::string_view kServiceItem = "service:";
inline constexpr std::string_view kServiceSecurityItem = "serviceSecurity:";  // its `before` and `ours` are descriptors
inline constexpr std::string_view kCertificateItem = "certificate:";

// The views of WinHTTP's settings, in the order of kWinHttpKeys.
inline constexpr std::array<std::string_view, 2> kWinHttpViews = {"64", "32"};

std::string EnvironmentKeyPath();                      // `SYSTEM\CurrentControlSet\Control\…\Environment`
std::string ServiceKeyPath(std::string_view service);  // `SYSTEM\CurrentControlSet\Services\NAME`
std::string WinHttpKeyPath(std::size_t view);          // `SOFTWARE\…\Connections`
std::string WinInetKeyPath(const WinInetPlace& place);
std::string CertificateItemName(pki::Store store, std::string_view thumbprint);
pki::Store StoreOfItem(std::string_view certificate_item);

// Whether two values mean the same: text and NO_PROXY's set for variables of type REG_SZ, the proxy and its bypass list
// for WinHTTP. Values of different types never do.
bool SameVariable(std::string_view name, const images::RegValue& a, const images::RegValue& b);
bool SameWinHttp(const images::RegValue& a, const images::RegValue& b);

// The entries of a REG_MULTI_SZ; none of an absent value; nullopt for another type, which Windows does not read.
std::optional<std::vector<std::string>> ServiceEntries(const std::optional<images::RegValue>& value);

}  // namespace prov::reconcile
