// Self-relative security descriptors (MS-DTYP 2.4.6): the two that written hives contain, and a reader for any.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prov::images {

// An allowing entry. `flags`: who inherits it (0x01 objects, 0x02 containers).
struct Grant {
  static constexpr char kSubkeysInherit = 0x02;
  static constexpr std::uint32_t kKeyRead = 0x00020019;

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

// An entry that allows `access` to the account `sid` (binary).
std::string AllowAce(std::string_view sid, char flags, std::uint32_t access);

// Views into a descriptor; empty for absent parts.
struct DescriptorParts {
  static constexpr std::uint16_t kDaclPresent = 0x0004;
  static constexpr std::uint16_t kSaclPresent = 0x0010;
  static constexpr std::uint16_t kDaclProtected = 0x1000;
  static constexpr std::size_t kAclHeaderBytes = 8;

  std::uint16_t control = 0;
  std::string_view owner, group;  // SIDs
  std::string_view sacl, dacl;    // with their headers
};
// nullopt: not a self-relative descriptor with owner, group and ACLs inside it.
std::optional<DescriptorParts> ReadParts(std::string_view descriptor);
// A descriptor of these parts.
std::string WriteParts(const DescriptorParts& parts);
std::string MakeAcl(const std::vector<std::string>& entries);
inline bool IsSecurityDescriptor(std::string_view bytes) { return ReadParts(bytes).has_value(); }

// The entries of an ACL from ReadParts().
std::vector<std::string_view> EntriesOf(std::string_view acl);

}  // namespace prov::images
