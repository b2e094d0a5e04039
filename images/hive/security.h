// Self-relative security descriptors: the two that written hives carry, and the check that a descriptor is well formed.
#pragma once

#include <string>
#include <string_view>

namespace prov::images {

// O:BAG:BAD:(A;CI;KA;;;SY)(A;CI;KA;;;BA)(A;CI;KR;;;BU), 128 bytes: SYSTEM and Administrators full, Users read.
std::string SystemAdminsUsersDescriptor();
// The same without Users, 104 bytes: for keys whose values hold credentials.
std::string SystemAdminsDescriptor();

// Whether `bytes` is one self-relative security descriptor (MS-DTYP 2.4.6) whose owner, group and ACLs lie inside it.
bool IsSecurityDescriptor(std::string_view bytes);

}  // namespace prov::images
