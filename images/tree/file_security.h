// The security descriptors of files and folders that are made in images.
#pragma once

#include <string>
#include <string_view>

#include "images/tree/image_tree.h"

namespace prov::images {

// Self-relative. kSecret: O:BAG:BAD:P(A;;FA;;;SY)(A;;FA;;;BA). kPlain: Users may read and execute, too
// ((A;;0x1200a9;;;BU)). A folder's entries are inherited (OICI). Protected, so that nothing comes from the parent.
std::string FileDescriptor(FileUse use);
std::string FolderDescriptor(FileUse use);

// The same in the language in which Windows takes them; the group is the maker's.
std::string_view FileSddl(FileUse use);
std::string_view FolderSddl(FileUse use);

}  // namespace prov::images
