// The security descriptors of files and folders that are made in images.
#pragma once

#include <string>
#include <string_view>

#include "images/tree/image_tree.h"

namespace prov::images {

// Self-relative. kSecret: O:BAG:BAD:P(A;;FA;;;SY)(A;;FA;;;BA). Otherwise Users may read and execute, too
// ((A;;0x1200a9;;;BU)). A folder's entries are inherited (OICI). Protected, so that nothing comes from the parent.
std::string FileDescriptor(FileUse use);
std::string FolderDescriptor(FileUse use);

// Whether a descriptor has the owner, the entries and the protection of `ours`, which is one of the above. Windows
// sets other bits in what it stores, and leaves the group to whoever asks for it.
bool GrantsAlike(std::string_view descriptor, std::string_view ours);

// The same in the language in which Windows takes them; the group is the maker's.
std::string_view FileSddl(FileUse use);
std::string_view FolderSddl(FileUse use);

}  // namespace prov::images
