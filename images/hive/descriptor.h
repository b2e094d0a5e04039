// Whom a self-relative security descriptor lets in, and the same descriptor for administrators only. MS-DTYP 2.4.4 to
// 2.4.6.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prov::images {

// Whether only SYSTEM, Administrators, TrustedInstaller, the creator (CREATOR OWNER) and single services (S-1-5-80-…)
// are granted anything. False for what is not understood and for a descriptor without a DACL, which lets everybody in.
bool IsForAdministratorsOnly(std::string_view descriptor);

// `descriptor` less every entry that grants something to others, protected against inheriting them again; owner, group
// and the entries that deny or audit stay. What is not understood gives SystemAdminsDescriptor().
std::string ForAdministratorsOnly(std::string_view descriptor);

// As Windows prints it, in numbers: owner "S-1-5-18" ("" where there is none), dacl "D:(A;;0x1f01ff;;;S-1-5-18)" (""
// where there is none). An entry of a kind that is not understood has the type "?" and no account.
struct DescriptorText {
  std::string owner, dacl;
};
// nullopt: not one well-formed descriptor.
std::optional<DescriptorText> TextOf(std::string_view descriptor);

}  // namespace prov::images
