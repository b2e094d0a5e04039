// What more than one file knows of items: their keys in the ledger, places in the registry, when two values are equal,
// and how they are shown. The rest is in the file of each kind.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/machine/services.h"
#include "provisioner/pki/trust_store.h"
#include "provisioner/reconcile/value_parts.h"

namespace prov::reconcile {

inline constexpr std::string_view kEnvironmentItem = "env:";
inline constexpr std::string_view kWinHttpItem = "winHttp:";
inline constexpr std::string_view kWinInetItem = "winInet:";
inline constexpr std::string_view kServiceItem = "serviceEnv:";
inline constexpr std::string_view kServiceSecurityItem = "serviceSecurity:";  // its `before` and `ours` are descriptors
inline constexpr std::string_view kCertificateItem = "certificate:";
inline constexpr std::string_view kHnsItem = "hns:";
inline constexpr std::string_view kBootServiceItem = "service:";  // in reports only: the ledger has none
inline constexpr std::string_view kFileItem = "file:";            // reports also have files of the program itself

// The key of an item in reports, ledger, drift and problems: one of these prefixes, and the name in its one spelling.
// ItemKey(kServiceItem, "ContainerD") is "serviceEnv:containerd".
std::string ItemKey(std::string_view prefix, std::string_view name);

// WinHTTP's settings have one place for programs of 64 bits and one for those of 32 bits.
struct WinHttpView {
  std::string_view bits, key;
};
inline constexpr std::array<WinHttpView, 2> kWinHttpViews = {
    {{"64", R"(SOFTWARE\Microsoft\Windows\CurrentVersion\Internet Settings\Connections)"},
     {"32", R"(SOFTWARE\WOW6432Node\Microsoft\Windows\CurrentVersion\Internet Settings\Connections)"}}};
inline constexpr std::string_view kWinHttpValue = "WinHttpSettings";

std::string EnvironmentKeyPath();  // `SYSTEM\CurrentControlSet\Control\…\Environment`
using machine::ServiceKeyPath;
// The service of an item with this name: some belong to a key below that of the service.
inline std::string_view ServiceOf(std::string_view name) { return name.substr(0, name.find('\\')); }
inline constexpr std::string_view kStays = "was there before us; stays";  // why a removal leaves an item

std::string CertificateItemName(pki::Store store, std::string_view thumbprint);
pki::Store StoreOfItem(std::string_view certificate_item);

// The text of a string value up to its final NUL; nullopt when the bytes are no UTF-16.
std::optional<std::string> StringOf(const images::RegValue& value);

// Whether two values mean the same: variables of type REG_SZ compare as text, NO_PROXY as a set, WinHTTP by the proxy
// and its bypass list. Values of different types are never the same.
bool SameVariable(std::string_view name, const images::RegValue& a, const images::RegValue& b);
bool SameWinHttp(const images::RegValue& a, const images::RegValue& b);

// The entries of a REG_MULTI_SZ, in generalised UTF-8 (hive_names.h), so that EncodeServiceEnvironment gives back all
// of them; none for an absent value; nullopt for another type, which Windows does not read.
std::optional<std::vector<std::string>> ServiceEntries(const std::optional<images::RegValue>& value);
// The same; none for another type.
std::vector<std::string> EntriesIn(const std::optional<images::RegValue>& value);
// Whether all of `wanted` are among the entries.
bool HoldsEntries(const std::vector<std::string>& entries, const std::vector<std::string>& wanted);

// "http://u:***@proxy:3128": the value of one of the three variables as it may be shown, NO_PROXY by its entries.
std::string ShowVariable(std::string_view name, std::string_view value);

// "SYSTEM and Administrators", followed by the SIDs of single accounts, or "others, too": whom a descriptor grants
// access.
std::string ShowDescriptor(std::string_view descriptor);
// Its owner and DACL in Windows' text form; none of a malformed one.
ValueParts PartsOfDescriptor(std::string_view descriptor);

}  // namespace prov::reconcile
