#include "images/tree/file_security.h"

#include <cstdint>

#include "images/hive/security.h"

namespace prov::images {
namespace {

constexpr std::uint32_t kFileAll = 0x001F01FF;
constexpr std::uint32_t kReadAndExecute = 0x001200A9;
constexpr char kInherit = 0x03;  // objects and containers

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

std::string FileDescriptor(FileUse use) { return Descriptor(use, 0); }
std::string FolderDescriptor(FileUse use) { return Descriptor(use, kInherit); }

}  // namespace prov::images
