#include "images/registry/security.h"

#include <cstdint>

#include "images/registry/hive_format.h"

namespace prov::images {
namespace {

using regf::Load16;
using regf::Load32;

constexpr std::size_t kHeaderBytes = 20;
constexpr std::uint16_t kDaclPresent = 0x0004;
constexpr std::uint16_t kSaclPresent = 0x0010;
constexpr std::uint16_t kDaclProtected = 0x1000;
constexpr std::uint16_t kSelfRelative = 0x8000;
constexpr std::uint32_t kKeyAllAccess = 0x000F003F;
constexpr std::uint32_t kKeyRead = 0x00020019;
constexpr char kSubkeysInherit = 0x02;

void Append16(std::string& out, std::uint16_t value) {
  char bytes[2];
  regf::Store16(bytes, value);
  out.append(bytes, sizeof bytes);
}

void Append32(std::string& out, std::uint32_t value) {
  char bytes[4];
  regf::Store32(bytes, value);
  out.append(bytes, sizeof bytes);
}

// S-1-5-18
std::string SystemSid() {
  std::string sid("\x01\x01\0\0\0\0\0\x05", 8);
  Append32(sid, 18);
  return sid;
}

// S-1-5-32-rid: 544 Administrators, 545 Users
std::string BuiltinSid(std::uint32_t rid) {
  std::string sid("\x01\x02\0\0\0\0\0\x05", 8);
  Append32(sid, 32);
  Append32(sid, rid);
  return sid;
}

std::string SidOf(Grant::Who who) {
  if (who == Grant::Who::kSystem) return SystemSid();
  return BuiltinSid(who == Grant::Who::kAdministrators ? 544 : 545);
}

std::string AllowAce(const Grant& grant) {
  const std::string sid = SidOf(grant.who);
  std::string ace = {0, grant.flags};
  Append16(ace, static_cast<std::uint16_t>(8 + sid.size()));
  Append32(ace, grant.access);
  return ace + sid;
}

// What stands at `offset`, or "" if that is no place behind the header.
std::string_view PartAt(std::string_view bytes, std::uint32_t offset) {
  return offset >= kHeaderBytes && offset < bytes.size() ? bytes.substr(offset) : std::string_view();
}

bool IsSid(std::string_view part) {
  if (part.size() < 8 || part[0] != 1) return false;
  const auto sub_authorities = static_cast<unsigned char>(part[1]);
  return sub_authorities <= 15 && part.size() >= 8U + 4U * sub_authorities;
}

bool IsAcl(std::string_view part) {
  if (part.size() < 8 || part[0] < 2 || part[0] > 4) return false;
  const std::size_t size = Load16(part, 2);
  if (size < 8 || size > part.size()) return false;
  std::string_view rest = part.substr(8, size - 8);
  for (unsigned left = Load16(part, 4); left > 0; --left) {
    if (rest.size() < 4) return false;
    const std::size_t ace = Load16(rest, 2);
    if (ace < 4 || ace > rest.size()) return false;
    rest.remove_prefix(ace);
  }
  return true;
}

}  // namespace

std::string AdministratorsDescriptor(std::initializer_list<Grant> grants, bool is_protected) {
  std::string aces;
  for (const Grant& grant : grants) aces += AllowAce(grant);
  const std::string administrators = BuiltinSid(544);
  const auto acl_bytes = static_cast<std::uint16_t>(8 + aces.size());
  std::string out("\x01\x00", 2);
  Append16(out, static_cast<std::uint16_t>(kSelfRelative | kDaclPresent | (is_protected ? kDaclProtected : 0)));
  Append32(out, static_cast<std::uint32_t>(kHeaderBytes + acl_bytes));                          // owner
  Append32(out, static_cast<std::uint32_t>(kHeaderBytes + acl_bytes + administrators.size()));  // group
  Append32(out, 0);                                                                             // no SACL
  Append32(out, kHeaderBytes);                                                                  // DACL
  Append16(out, 2);
  Append16(out, acl_bytes);
  Append16(out, static_cast<std::uint16_t>(grants.size()));
  Append16(out, 0);
  return out + aces + administrators + administrators;
}

std::string SystemAdminsUsersDescriptor() {
  return AdministratorsDescriptor({{Grant::Who::kSystem, kSubkeysInherit, kKeyAllAccess},
                                   {Grant::Who::kAdministrators, kSubkeysInherit, kKeyAllAccess},
                                   {Grant::Who::kUsers, kSubkeysInherit, kKeyRead}},
                                  false);
}

std::string SystemAdminsDescriptor() {
  return AdministratorsDescriptor({{Grant::Who::kSystem, kSubkeysInherit, kKeyAllAccess},
                                   {Grant::Who::kAdministrators, kSubkeysInherit, kKeyAllAccess}},
                                  false);
}

bool IsSecurityDescriptor(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || bytes[0] != 1) return false;
  const std::uint16_t control = Load16(bytes, 2);
  if ((control & kSelfRelative) == 0) return false;
  const auto sid_ok = [&](std::uint32_t offset) { return offset == 0 || IsSid(PartAt(bytes, offset)); };
  const auto acl_ok = [&](std::uint16_t present, std::uint32_t offset) {
    return (control & present) == 0 || offset == 0 || IsAcl(PartAt(bytes, offset));
  };
  return sid_ok(Load32(bytes, 4)) && sid_ok(Load32(bytes, 8)) && acl_ok(kSaclPresent, Load32(bytes, 12)) &&
         acl_ok(kDaclPresent, Load32(bytes, 16));
}

}  // namespace prov::images
