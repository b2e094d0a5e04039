#include "images/tree/file_security.h"

#include <cstdint>

#include "images/registry/hive_format.h"
#include "images/registry/security.h"

namespace prov::images {
namespace {

constexpr std::uint32_t kFileAll = 0x001F01FF;
constexpr std::uint32_t kReadAndExecute = 0x001200A9;
constexpr char kInherit = 0x03;  // objects and containers

struct DescriptorParts {
  std::string_view owner;
  std::string_view dacl;  // its entries; empty where there is no list
  bool is_protected = false;
};

// Of a well-formed one.
DescriptorParts PartsOf(std::string_view descriptor) {
  constexpr std::uint16_t kDaclPresent = 0x0004, kDaclProtected = 0x1000;
  constexpr std::size_t kControlAt = 2, kOwnerAt = 4, kDaclAt = 16, kAclHeaderBytes = 8;
  DescriptorParts out;
  const std::uint16_t control = regf::Load16(descriptor, kControlAt);
  out.is_protected = (control & kDaclProtected) != 0;
  if (const std::size_t owner = regf::Load32(descriptor, kOwnerAt); owner != 0) {
    const auto authorities = static_cast<unsigned char>(descriptor[owner + 1]);
    out.owner = descriptor.substr(owner, 8 + std::size_t{4} * authorities);
  }
  const std::size_t dacl = regf::Load32(descriptor, kDaclAt);
  if ((control & kDaclPresent) != 0 && dacl != 0) {
    // Room behind the last entry counts as a difference: nothing of ours has any.
    out.dacl = descriptor.substr(dacl + kAclHeaderBytes, regf::Load16(descriptor, dacl + 2) - kAclHeaderBytes);
  }
  return out;
}

std::string Descriptor(FileUse use, char flags) {
  using Who = Grant::Who;
  const Grant system{Who::kSystem, flags, kFileAll};
  const Grant administrators{Who::kAdministrators, flags, kFileAll};
  if (use == FileUse::kSecret) return AdministratorsDescriptor({system, administrators}, true);
  return AdministratorsDescriptor({system, administrators, {Who::kUsers, flags, kReadAndExecute}}, true);
}

}  // namespace

std::string_view FileSddl(FileUse use) {
  return use == FileUse::kSecret ? "O:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)"
                                 : "O:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;0x1200a9;;;BU)";
}
std::string_view FolderSddl(FileUse use) {
  return use == FileUse::kSecret ? "O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"
                                 : "O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)";
}

bool GrantsAlike(std::string_view descriptor, std::string_view ours) {
  if (!IsSecurityDescriptor(descriptor)) return false;
  const DescriptorParts theirs = PartsOf(descriptor), wanted = PartsOf(ours);
  return theirs.owner == wanted.owner && theirs.is_protected == wanted.is_protected && theirs.dacl == wanted.dacl;
}

std::string FileDescriptor(FileUse use) { return Descriptor(use, 0); }
std::string FolderDescriptor(FileUse use) { return Descriptor(use, kInherit); }

}  // namespace prov::images
