#include "images/tree/file_security.h"

#include <cstdint>

#include "images/registry/security.h"

namespace prov::images {
namespace {

constexpr std::uint32_t kFileAll = 0x001F01FF;
constexpr std::uint32_t kReadAndExecute = 0x001200A9;
constexpr char kInherit = 0x03;  // objects and containers

// The entries without the header, which may differ. Spare room after the last entry counts as a difference: our lists
// have none.
std::string_view EntriesIn(std::string_view acl) {
  return acl.empty() ? acl : acl.substr(DescriptorParts::kAclHeaderBytes);
}

std::string MakeDescriptor(FileUse use, char flags) {
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

bool HasSameAccess(std::string_view descriptor, std::string_view ours) {
  const auto theirs = ReadParts(descriptor), wanted = ReadParts(ours);
  if (!theirs || !wanted) return false;
  const bool alike_protected = ((theirs->control ^ wanted->control) & DescriptorParts::kDaclProtected) == 0;
  return theirs->owner == wanted->owner && alike_protected && EntriesIn(theirs->dacl) == EntriesIn(wanted->dacl);
}

std::string FileDescriptor(FileUse use) { return MakeDescriptor(use, 0); }
std::string FolderDescriptor(FileUse use) { return MakeDescriptor(use, kInherit); }

}  // namespace prov::images
