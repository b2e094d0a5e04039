// Self-relative security descriptors: the two that written hives carry, and the check that a descriptor is well formed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace prov::images {

// An entry that allows. `flags`: who inherits it (0x01 objects, 0x02 containers).
struct Grant {
  enum class Who { kSystem, kAdministrators, kUsers };
  Who who = Who::kSystem;
  char flags = 0;
  std::uint32_t access = 0;
};
// Owner and group Administrators. Protected: nothing is inherited from the parent.
std::string AdministratorsDescriptor(std::initializer_list<Grant> grants, bool is_protected);

// O:BAG:BAD:(A;CI;KA;;;SY)(A;CI;KA;;;BA)(A;CI;KR;;;BU), 128 bytes: SYSTEM and Administrators full, Users read.
std::string SystemAdminsUsersDescriptor();
// The same without Users, 104 bytes: for keys whose values hold credentials.
std::string SystemAdminsDescriptor();

// Whether `bytes` is one self-relative security descriptor (MS-DTYP 2.4.6) whose owner, group and ACLs lie inside it.
bool IsSecurityDescriptor(std::string_view bytes);

}  // namespace prov::images
