// The attributes of a file besides its contents: owner, mode, extended attributes; on NTFS also the Windows security
// descriptor and file attributes, which ntfs-3g exposes as extended attributes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "images/tree/image_tree.h"
#include "provisioner/base/result.h"

namespace prov::images {

// FAT and exFAT keep neither owners nor rights, so secrets would be readable by everybody. `type`: of a file system, as
// statfs(2) has it. Errors: target.
Result<void> RefuseFat(std::uint64_t type, const std::string& where);

// Whether Windows' security descriptors can be read there, and therefore also set.
bool HasDescriptors(int fd);

// nullopt: the file has none.
Result<std::optional<std::string>> ReadDescriptor(int fd, const std::string& where);

// Copies the attributes of another file. Errors: io (an attribute that is not there afterwards).
Result<void> CopyAttributes(int from, int to, const std::string& where);

enum class OwnKind { kFile, kFolder };
// What the file system of an image can say of a file: Windows' descriptors, or else whose it is. Trusted beside the
// account that runs this is whoever owns the image.
struct Rights {
  bool has_descriptors = false;
  uid_t image_owner = 0;
};
// Restricts access to a new file or folder as `use` says, before it has contents.
Result<void> SetAttributes(int fd, OwnKind kind, FileUse use, const Rights& rights, const std::string& where);
// The same for a folder that may belong to somebody else.
Result<void> TakeOverFolder(int fd, FileUse use, const Rights& rights, const std::string& where);
// Whether it has the attributes that these two functions set.
Result<bool> HasAttributes(int fd, OwnKind kind, FileUse use, const Rights& rights, const std::string& where);

}  // namespace prov::images
