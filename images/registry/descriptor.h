// Checks whom a self-relative security descriptor grants access, and derives one for administrators only. MS-DTYP 2.4.4
// to 2.4.6.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prov::images {

using Sids = std::vector<std::string>;  // binary, as in descriptors

// Whether the descriptor grants access only to SYSTEM, Administrators, TrustedInstaller, the creator (CREATOR OWNER),
// single services (S-1-5-80-…) and `others`. False for a malformed descriptor, and for one without a DACL, which grants
// everyone access.
bool IsForAdministratorsOnly(std::string_view descriptor, const Sids& others = {});

// `descriptor` without the entries that grant access to others, and protected against inheriting them again. Keeps
// owner, group, and entries that deny or audit. `readers` keep their access, and get at least KEY_READ, subkeys
// included. A malformed descriptor is replaced by SystemAdminsDescriptor().
std::string ForAdministratorsOnly(std::string_view descriptor, const Sids& readers = {});

// The accounts that are granted access, except those that IsForAdministratorsOnly always accepts; each once, in order.
// Empty for a malformed descriptor.
Sids OthersGranted(std::string_view descriptor);
// Whether an entry of the descriptor itself lets the account read the key.
bool GrantsRead(std::string_view descriptor, std::string_view sid);

// Owner and DACL in Windows' text form, with numbers: owner "S-1-5-18" ("" if there is none), dacl
// "D:(A;;0x1f01ff;;;S-1-5-18)" ("" if there is none). An entry of an unknown kind has the type "?" and no account.
struct DescriptorText {
  std::string owner, dacl;
};
// nullopt: not a well-formed descriptor.
std::optional<DescriptorText> TextOf(std::string_view descriptor);
std::string SidText(std::string_view sid);  // "S-1-5-18"; "" for ""

}  // namespace prov::images
