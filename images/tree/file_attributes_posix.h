// What a file has besides its contents: owner, mode, extended attributes; on NTFS the descriptor and the attributes
// that Windows reads, which ntfs-3g shows as extended attributes.
#pragma once

#include <optional>
#include <string>

#include "images/tree/image_tree.h"
#include "provisioner/base/result.h"

namespace prov::images {

// Whether Windows' security descriptors can be read there, hence set.
bool HasDescriptors(int fd);

// nullopt: it has none.
Result<std::optional<std::string>> ReadDescriptor(int fd, const std::string& where);

// Gives a file what another one has. Errors: io (something that is not there afterwards).
Result<void> CopyAttributes(int from, int to, const std::string& where);

// Makes what is new readable for whom `use` says; before there is anything in it.
enum class NewKind { kFile, kFolder };
Result<void> SetAttributes(int fd, NewKind kind, FileUse use, bool has_descriptors, const std::string& where);

}  // namespace prov::images
