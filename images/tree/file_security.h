// The security descriptors of files and folders that are made in images.
#pragma once

#include <string>
#include <string_view>

#include "images/tree/image_tree.h"

namespace prov::images {

// Self-relative descriptors. kSecret: O:BAG:BAD:P(A;;FA;;;SY)(A;;FA;;;BA). Otherwise Users may also read and execute
// ((A;;0x1200a9;;;BU)). A folder's entries are inherited (OICI). Protected: nothing is inherited from the parent.
std::string FileDescriptor(FileUse use);
std::string FolderDescriptor(FileUse use);

// Whether a descriptor has the owner, the entries and the protection of `ours`, which is one of the above. Ignores
// other control bits, which Windows changes, and the group, which depends on the creator.
bool HasSameAccess(std::string_view descriptor, std::string_view ours);

// The same in SDDL; the group is the creator's.
std::string_view FileSddl(FileUse use);
std::string_view FolderSddl(FileUse use);

}  // namespace prov::images
