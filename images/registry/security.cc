#include "images/registry/security.h"

#include <cstdint>

#include "images/registry/hive_format.h"

namespace prov::images {
namespace {

using regf::Load16;
using regf::Load32;
using Parts = DescriptorParts;

constexpr std::size_t kHeaderBytes = 20;
constexpr std::uint16_t kSelfRelative = 0x8000;
constexpr std::uint32_t kKeyAllAccess = 0x000F003F;

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

// The bytes from `offset` on; "" if that is not after the header.
std::string_view PartAt(std::string_view bytes, std::uint32_t offset) {
  return offset >= kHeaderBytes && offset < bytes.size() ? bytes.substr(offset) : std::string_view();
}

// The SID at the front; "" if there is none.
std::string_view SidIn(std::string_view part) {
  if (part.size() < 8 || part[0] != 1) return {};
  const auto sub_authorities = static_cast<unsigned char>(part[1]);
  const std::size_t size = 8U + 4U * sub_authorities;
  return sub_authorities <= 15 && part.size() >= size ? part.substr(0, size) : std::string_view();
}

// The ACL at the front; "" if there is none, or if its entries exceed it.
std::string_view AclIn(std::string_view part) {
  if (part.size() < Parts::kAclHeaderBytes || part[0] < 2 || part[0] > 4) return {};
  const std::size_t size = Load16(part, 2);
  if (size < Parts::kAclHeaderBytes || size > part.size()) return {};
  std::string_view rest = part.substr(Parts::kAclHeaderBytes, size - Parts::kAclHeaderBytes);
  for (unsigned left = Load16(part, 4); left > 0; --left) {
    if (rest.size() < 4) return {};
    const std::size_t ace = Load16(rest, 2);
    if (ace < 4 || ace > rest.size()) return {};
    rest.remove_prefix(ace);
  }
  return part.substr(0, size);
}

}  // namespace

std::string AllowAce(std::string_view sid, char flags, std::uint32_t access) {
  std::string ace = {0, flags};
  Append16(ace, static_cast<std::uint16_t>(8 + sid.size()));
  Append32(ace, access);
  return ace.append(sid);
}

std::string MakeAcl(const std::vector<std::string>& entries) {
  std::string out(Parts::kAclHeaderBytes, '\0');
  for (const std::string& ace : entries) out += ace;
  out[0] = 2;
  regf::Store16(out.data() + 2, static_cast<std::uint16_t>(out.size()));
  regf::Store16(out.data() + 4, static_cast<std::uint16_t>(entries.size()));
  return out;
}

std::string WriteParts(const DescriptorParts& parts) {
  std::string out(kHeaderBytes, '\0');
  out[0] = 1;
  regf::Store16(out.data() + 2, parts.control);
  const auto put = [&out](std::size_t field, std::string_view part) {
    regf::Store32(out.data() + field, part.empty() ? 0 : static_cast<std::uint32_t>(out.size()));
    out += part;
  };
  put(12, parts.sacl);
  put(16, parts.dacl);
  put(4, parts.owner);
  put(8, parts.group);
  return out;
}

std::string AdministratorsDescriptor(std::initializer_list<Grant> grants, bool is_protected) {
  std::vector<std::string> entries;
  for (const Grant& grant : grants) entries.push_back(AllowAce(SidOf(grant.who), grant.flags, grant.access));
  const std::string administrators = BuiltinSid(544), acl = MakeAcl(entries);
  const unsigned control = kSelfRelative | Parts::kDaclPresent | (is_protected ? Parts::kDaclProtected : 0U);
  return WriteParts({static_cast<std::uint16_t>(control), administrators, administrators, {}, acl});
}

std::string SystemAdminsUsersDescriptor() {
  return AdministratorsDescriptor({{Grant::Who::kSystem, Grant::kSubkeysInherit, kKeyAllAccess},
                                   {Grant::Who::kAdministrators, Grant::kSubkeysInherit, kKeyAllAccess},
                                   {Grant::Who::kUsers, Grant::kSubkeysInherit, Grant::kKeyRead}},
                                  false);
}

std::string SystemAdminsDescriptor() {
  return AdministratorsDescriptor({{Grant::Who::kSystem, Grant::kSubkeysInherit, kKeyAllAccess},
                                   {Grant::Who::kAdministrators, Grant::kSubkeysInherit, kKeyAllAccess}},
                                  false);
}

std::optional<DescriptorParts> ReadParts(std::string_view descriptor) {
  if (descriptor.size() < kHeaderBytes || descriptor[0] != 1) return std::nullopt;
  Parts out;
  out.control = Load16(descriptor, 2);
  if ((out.control & kSelfRelative) == 0) return std::nullopt;
  const auto sid = [&](std::size_t field, std::string_view& to) {
    const std::uint32_t offset = Load32(descriptor, field);
    if (offset != 0) to = SidIn(PartAt(descriptor, offset));
    return offset == 0 || !to.empty();
  };
  const auto acl = [&](std::uint16_t present, std::size_t field, std::string_view& to) {
    const std::uint32_t offset = (out.control & present) != 0 ? Load32(descriptor, field) : 0;
    if (offset != 0) to = AclIn(PartAt(descriptor, offset));
    return offset == 0 || !to.empty();
  };
  const bool whole = sid(4, out.owner) && sid(8, out.group) && acl(Parts::kSaclPresent, 12, out.sacl) &&
                     acl(Parts::kDaclPresent, 16, out.dacl);
  return whole ? std::optional(out) : std::nullopt;
}

std::vector<std::string_view> EntriesOf(std::string_view acl) {
  std::vector<std::string_view> out;
  std::size_t next = Parts::kAclHeaderBytes;
  for (unsigned left = Load16(acl, 4); left > 0; --left) {  // ReadParts has checked the bounds
    out.push_back(acl.substr(next, Load16(acl, next + 2)));
    next += out.back().size();
  }
  return out;
}

}  // namespace prov::images
