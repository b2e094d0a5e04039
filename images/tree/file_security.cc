#include "images/tree/file_security.h"

#include <cstdint>

#include "images/hive/format.h"

namespace prov::images {
namespace {

constexpr std::uint32_t kFileAll = 0x001F01FF;
constexpr std::uint32_t kReadAndExecute = 0x001200A9;
constexpr std::uint32_t kSystem = 18, kBuiltin = 32, kAdministrators = 544, kUsers = 545;
constexpr std::uint16_t kDaclPresent = 0x0004, kDaclProtected = 0x1000, kSelfRelative = 0x8000;
constexpr char kInherit = 0x03;  // objects and containers

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

// S-1-5-18, S-1-5-32-544
std::string Sid(std::initializer_list<std::uint32_t> authorities) {
  std::string out = {1, static_cast<char>(authorities.size()), 0, 0, 0, 0, 0, 5};
  for (const std::uint32_t authority : authorities) Append32(out, authority);
  return out;
}

std::string Allow(char flags, std::uint32_t access, const std::string& sid) {
  std::string out = {0, flags};
  Append16(out, static_cast<std::uint16_t>(8 + sid.size()));
  Append32(out, access);
  return out + sid;
}

std::string Descriptor(FileUse use, char flags) {
  constexpr std::uint32_t kHeaderBytes = 20, kAclHeaderBytes = 8;
  const std::string administrators = Sid({kBuiltin, kAdministrators});
  std::string entries = Allow(flags, kFileAll, Sid({kSystem})) + Allow(flags, kFileAll, administrators);
  if (use == FileUse::kPlain) entries += Allow(flags, kReadAndExecute, Sid({kBuiltin, kUsers}));
  const auto acl_bytes = static_cast<std::uint16_t>(kAclHeaderBytes + entries.size());
  const std::uint32_t owner = kHeaderBytes + acl_bytes;
  std::string out = {1, 0};
  Append16(out, kSelfRelative | kDaclPresent | kDaclProtected);
  Append32(out, owner);
  Append32(out, owner + static_cast<std::uint32_t>(administrators.size()));  // group
  Append32(out, 0);                                                          // no SACL
  Append32(out, kHeaderBytes);                                               // DACL
  Append16(out, 2);
  Append16(out, acl_bytes);
  Append16(out, use == FileUse::kPlain ? 3 : 2);
  Append16(out, 0);
  return out + entries + administrators + administrators;
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
