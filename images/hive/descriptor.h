// Whom a self-relative security descriptor lets in, and the same descriptor for administrators only. MS-DTYP 2.4.4 to
// 2.4.6.
#pragma once

#include <string>
#include <string_view>

namespace prov::images {

// Whether only SYSTEM, Administrators, TrustedInstaller, the creator (CREATOR OWNER) and single services (S-1-5-80-…)
// are granted anything. False for what is not understood and for a descriptor without a DACL, which lets everybody in.
bool IsForAdministratorsOnly(std::string_view descriptor);

// `descriptor` less every entry that grants something to others, protected against inheriting them again; owner, group
// and the entries that deny or audit stay. What is not understood gives SystemAdminsDescriptor().
std::string ForAdministratorsOnly(std::string_view descriptor);

}  // namespace prov::images
