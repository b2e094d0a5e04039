#include "images/tree/wim_tree.h"

namespace prov::images {

Result<std::shared_ptr<WimFile>> WimFile::Open(const std::string& file, TreeAccess /*access*/,
                                               std::int64_t /*now_unix*/) {
  return Fail(Code::kTarget,
              "WIM files are edited on Linux only: mount it with `dism /Mount-Image` and give the folder with --root",
              file);
}

}  // namespace prov::images
