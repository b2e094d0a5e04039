// What a file has besides its contents: owner, mode, extended attributes; on NTFS the descriptor and the attributes
// that Windows reads, which ntfs-3g shows as extended attributes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "images/tree/image_tree.h"
#include "provisioner/base/result.h"

namespace prov::images {

// FAT and exFAT keep neither owners nor rights: what is secret would be open to everybody. `type`: of a file system, as
// statfs(2) has it. Errors: target.
Result<void> RefuseFat(std::uint64_t type, const std::string& where);

// Whether Windows' security descriptors can be read there, hence set.
bool HasDescriptors(int fd);

// nullopt: it has none.
Result<std::optional<std::string>> ReadDescriptor(int fd, const std::string& where);

// Gives a file what another one has. Errors: io (something that is not there afterwards).
Result<void> CopyAttributes(int from, int to, const std::string& where);

enum class OwnKind { kFile, kFolder };
// What the file system of an image can say of a file: Windows' descriptors, or else whose it is. Trusted beside the
// account that runs this is whoever owns the image.
struct Rights {
  bool has_descriptors = false;
  uid_t image_owner = 0;
};
// Makes what is new readable for whom `use` says; before there is anything in it.
Result<void> SetAttributes(int fd, OwnKind kind, FileUse use, const Rights& rights, const std::string& where);
// The same for a folder that may be somebody else's.
Result<void> TakeOverFolder(int fd, FileUse use, const Rights& rights, const std::string& where);
// Whether it is as these two leave it.
Result<bool> HasAttributes(int fd, OwnKind kind, FileUse use, const Rights& rights, const std::string& where);

}  // namespace prov::images
