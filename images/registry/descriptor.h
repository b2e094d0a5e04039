// Checks whom a self-relative security descriptor grants access, and derives one for administrators only. MS-DTYP 2.4.4
// to 2.4.6.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prov::images {

using Sids = std::vector<std::string>;  // binary, as descriptors hold them

// Whether only SYSTEM, Administrators, TrustedInstaller, the creator (CREATOR OWNER), single services (S-1-5-80-…) and
// `others` are granted anything. False for a descriptor that is not understood, and for one without a DACL, which
// grants everybody access.
bool IsForAdministratorsOnly(std::string_view descriptor, const Sids& others = {});

// `descriptor` without the entries that grant something to others, protected against inheriting them again. Owner,
// group, and the entries that deny or audit stay. A descriptor that is not understood is replaced by
// SystemAdminsDescriptor(). `readers` keep what they are granted, and get at least KEY_READ, subkeys included.
std::string ForAdministratorsOnly(std::string_view descriptor, const Sids& readers = {});

// The accounts that are granted something, without those that IsForAdministratorsOnly always accepts, each once, in
// order. Empty if the descriptor is not understood.
Sids OthersGranted(std::string_view descriptor);
// Whether the descriptor itself has an entry that lets the account read the key.
bool GrantsRead(std::string_view descriptor, std::string_view sid);

// Owner and DACL as Windows prints them, with numbers: owner "S-1-5-18" ("" if there is none), dacl
// "D:(A;;0x1f01ff;;;S-1-5-18)" ("" if there is none). An entry of an unknown kind has the type "?" and no account.
struct DescriptorText {
  std::string owner, dacl;
};
// nullopt: not one well-formed descriptor.
std::optional<DescriptorText> TextOf(std::string_view descriptor);
std::string SidText(std::string_view sid);  // "S-1-5-18"; "" of ""

}  // namespace prov::images
