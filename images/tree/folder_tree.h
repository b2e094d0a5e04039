// The files of a mounted or extracted image: a folder that holds the Windows folder.
#pragma once

#include <memory>
#include <string>

#include "images/tree/image_tree.h"
#include "provisioner/base/result.h"

namespace prov::images {

// The image may be hostile: reads and writes nothing outside of `root`, follows no link, and opens no device. kWrite
// holds a lock as long as the tree exists; kRead takes none and writes nothing. An interrupted write leaves at most a
// file kTemporaryName in its folder, which the next write there replaces. Errors: target (no folder; no Windows in it),
// lock (another run has it), io.
Result<std::unique_ptr<ImageTree>> OpenFolderTree(const std::string& root, TreeAccess access);

inline constexpr std::string_view kTemporaryName = ".provisioner-new.tmp";

}  // namespace prov::images
