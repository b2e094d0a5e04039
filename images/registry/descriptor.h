// Whom a self-relative security descriptor lets in, and the same descriptor for administrators only. MS-DTYP 2.4.4 to
// 2.4.6.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prov::images {

using Sids = std::vector<std::string>;  // binary, as descriptors hold them

// Whether only SYSTEM, Administrators, TrustedInstaller, the creator (CREATOR OWNER), single services (S-1-5-80-…) and
// `others` are granted anything. False for what is not understood and for a descriptor without a DACL, which lets
// everybody in.
bool IsForAdministratorsOnly(std::string_view descriptor, const Sids& others = {});

// `descriptor` less every entry that grants something to others, protected against inheriting them again; owner, group
// and the entries that deny or audit stay. What is not understood counts as SystemAdminsDescriptor(). `readers` keep
// what they are granted, and get KEY_READ, subkeys included, where that is less.
std::string ForAdministratorsOnly(std::string_view descriptor, const Sids& readers = {});

// Who is granted something and is none of those that IsForAdministratorsOnly takes for granted, each once, in order.
// Nothing for what is not understood.
Sids OthersGranted(std::string_view descriptor);
// Whether an entry of its own lets the account read the key.
bool GrantsRead(std::string_view descriptor, std::string_view sid);

// As Windows prints it, in numbers: owner "S-1-5-18" ("" where there is none), dacl "D:(A;;0x1f01ff;;;S-1-5-18)" (""
// where there is none). An entry of a kind that is not understood has the type "?" and no account.
struct DescriptorText {
  std::string owner, dacl;
};
// nullopt: not one well-formed descriptor.
std::optional<DescriptorText> TextOf(std::string_view descriptor);
std::string SidText(std::string_view sid);  // "S-1-5-18"; "" of ""

}  // namespace prov::images
