// A file system of a Windows in memory: folders and files with owners, lists of permissions and links, as
// machine::ReadFollowed walks them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/machine/followed_file.h"

namespace prov::testing_support {

// What only administrators can change.
inline constexpr std::string_view kClosedDacl = "D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)";

class MemoryPaths final : public machine::PathOpener {
 public:
  struct Entry {
    PathFacts facts;
    std::string bytes;
  };

  // A drive as Windows sets it up (everybody may make folders in C:\, and what is in C:\ProgramData), and no more.
  MemoryPaths();

  void PutFolder(const std::string& path, std::string_view dacl = kClosedDacl, std::string_view owner = "S-1-5-32-544");
  void PutFile(const std::string& path, std::string bytes, std::string_view dacl = kClosedDacl,
               std::string_view owner = "S-1-5-32-544");
  Entry& At(const std::string& path) { return *entries_.at(path); }

  std::vector<std::string> opened;                              // in order
  std::function<void(const std::string& path)> after_checking;  // what others do then

  // machine::PathOpener
  Result<std::unique_ptr<machine::OpenedPath>> Open(const machine::FollowedStep& step, bool last) override;

 private:
  // Who opened an entry has it, whatever is at its path by then.
  std::map<std::string, std::shared_ptr<Entry>> entries_;
};

}  // namespace prov::testing_support
