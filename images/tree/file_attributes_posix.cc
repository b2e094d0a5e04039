#include "images/tree/file_attributes_posix.h"

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <vector>

#include "images/tree/descriptor_posix.h"
#include "images/tree/file_security.h"

namespace prov::images {
namespace {

constexpr const char* kAcl = "system.ntfs_acl";
// In this order, because the attributes may make the file read-only.
constexpr const char* kNtfs[] = {kAcl, "system.ntfs_crtime", "system.ntfs_attrib"};

bool IsNtfs(std::string_view name) { return name.starts_with("system.ntfs_"); }

// nullopt: the file has none, or the file system does not support it.
Result<std::optional<std::string>> Get(int fd, const char* name, const std::string& where) {
  std::string value(XATTR_SIZE_MAX, '\0');
  const ssize_t size = fgetxattr(fd, name, value.data(), value.size());
  if (size < 0 && (errno == ENODATA || errno == ENOTSUP)) return std::nullopt;
  if (size < 0) return SystemError(fmt::format("cannot read its attribute {}", name), where);
  value.resize(static_cast<std::size_t>(size));
  return value;
}

Result<void> CopyAttribute(int from, int to, const char* name, const std::string& where) {
  const auto value = PROV_TRY(Get(from, name, where));
  if (!value) return {};
  if (fsetxattr(to, name, value->data(), value->size(), 0) == 0 || errno == ENOTSUP) return {};
  // Labels of this machine's own policy, which the system sets by itself.
  if (errno == EPERM && std::string_view(name).starts_with("security.")) return {};
  return SystemError(fmt::format("cannot keep its attribute {}", name), where);
}

Result<std::vector<std::string>> Names(int fd, const std::string& where) {
  std::string list(XATTR_LIST_MAX, '\0');
  const ssize_t size = flistxattr(fd, list.data(), list.size());
  if (size < 0 && errno == ENOTSUP) return std::vector<std::string>();
  if (size < 0) return SystemError("cannot list its attributes", where);
  std::vector<std::string> out;
  for (std::size_t at = 0; at < static_cast<std::size_t>(size); at += out.back().size() + 1) {
    out.emplace_back(list.c_str() + at);
  }
  return out;
}

mode_t ModeFor(OwnKind kind, FileUse use) {
  if (kind == OwnKind::kFolder) return use == FileUse::kSecret ? 0700U : 0755U;
  return use == FileUse::kSecret ? 0600U : 0644U;
}

Result<bool> IsOwned(int fd, const Rights& rights, const std::string& where) {
  struct stat now{};
  if (fstat(fd, &now) != 0) return SystemError("cannot read its owner", where);
  return now.st_uid == geteuid() || now.st_uid == rights.image_owner;
}

std::string DescriptorFor(OwnKind kind, FileUse use) {
  return kind == OwnKind::kFolder ? FolderDescriptor(use) : FileDescriptor(use);
}

}  // namespace

Result<void> RefuseFat(std::uint64_t type, const std::string& where) {
  if (type != MSDOS_SUPER_MAGIC && type != EXFAT_SUPER_MAGIC) return {};
  return Fail(
      Code::kTarget,
      "is on FAT or exFAT, which store no permissions, so every user could read files with credentials: copy the "
      "image to NTFS or another file system that keeps them",
      where);
}

bool HasDescriptors(int fd) { return fgetxattr(fd, kAcl, nullptr, 0) > 0; }

Result<std::optional<std::string>> ReadDescriptor(int fd, const std::string& where) { return Get(fd, kAcl, where); }

Result<void> CopyAttributes(int from, int to, const std::string& where) {
  struct stat old{};
  struct stat now{};
  if (fstat(from, &old) != 0 || fstat(to, &now) != 0) return SystemError("cannot read its attributes", where);
  if ((old.st_uid != now.st_uid || old.st_gid != now.st_gid) && fchown(to, old.st_uid, old.st_gid) != 0) {
    return SystemError("cannot keep its owner", where);
  }
  if (fchmod(to, old.st_mode & 07777U) != 0) return SystemError("cannot keep its mode", where);
  for (const std::string& name : PROV_TRY(Names(from, where))) {
    if (!IsNtfs(name)) PROV_TRY(CopyAttribute(from, to, name.c_str(), where));
  }
  // They are not always listed. Copied last, because changing owner or mode may make a new NTFS descriptor.
  for (const char* name : kNtfs) PROV_TRY(CopyAttribute(from, to, name, where));
  return {};
}

Result<void> SetAttributes(int fd, OwnKind kind, FileUse use, const Rights& rights, const std::string& where) {
  if (fchmod(fd, ModeFor(kind, use)) != 0) return SystemError("cannot set its mode", where);
  if (!rights.has_descriptors) return {};
  const std::string descriptor = DescriptorFor(kind, use);
  if (fsetxattr(fd, kAcl, descriptor.data(), descriptor.size(), 0) == 0) return {};
  return SystemError("cannot set its security descriptor", where);
}

Result<void> TakeOverFolder(int fd, FileUse use, const Rights& rights, const std::string& where) {
  // First, because the old owner could open the folder again. A descriptor contains its owner.
  if (!rights.has_descriptors && !PROV_TRY(IsOwned(fd, rights, where)) && fchown(fd, geteuid(), getegid()) != 0) {
    return SystemError("cannot take the folder over from its owner", where);
  }
  return SetAttributes(fd, OwnKind::kFolder, use, rights, where);
}

Result<bool> HasAttributes(int fd, OwnKind kind, FileUse use, const Rights& rights, const std::string& where) {
  if (rights.has_descriptors) {
    return HasSameAccess(PROV_TRY(ReadDescriptor(fd, where)).value_or(""), DescriptorFor(kind, use));
  }
  struct stat now{};
  if (fstat(fd, &now) != 0) return SystemError("cannot read its mode", where);
  return (now.st_mode & 07777U) == ModeFor(kind, use) && PROV_TRY(IsOwned(fd, rights, where));
}

}  // namespace prov::images
