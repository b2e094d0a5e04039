// A folder with the start of a Windows in it, for tests; it goes away with the object.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "images/tree/folder_tree.h"
#include "provisioner/base/file.h"
#include "tests/support/result.h"
#include "tests/support/scratch_folder.h"

namespace prov::images::testing {

// More than any file has that these tests read.
inline constexpr std::uint64_t kLimit = 1U << 28U;

class ImageFolder {
 public:
  // Beneath `where`, a folder; by default that of temporary files.
  explicit ImageFolder(const std::string& where = ::testing::TempDir()) : folder_(where), path_(folder_.path()) {
    std::filesystem::create_directories(path_ / "Windows/System32/config");
  }

  std::string root() const { return path_.generic_string(); }
  std::string At(const std::string& path) const { return root() + "/" + path; }

  // The first file below "WINDOWS" takes the place of the empty "Windows".
  void Put(const std::string& path, const std::string& bytes) const {
    const auto parent = (path_ / std::filesystem::path(path)).parent_path();
    if (path.starts_with("WINDOWS/") && Entries().starts_with("Windows/"))
      std::filesystem::remove_all(path_ / "Windows");
    std::filesystem::create_directories(parent);
    ASSERT_TRUE(WriteFileAtomically(At(path), bytes, 0644));
  }
  std::string Get(const std::string& path) const { return ReadFile(At(path), kLimit).value_or("(unreadable)"); }

  // All entries, sorted, folders with a slash.
  std::string Entries() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
      const bool folder = entry.symlink_status().type() == std::filesystem::file_type::directory;
      all.push_back(entry.path().lexically_relative(path_).generic_string() + (folder ? "/" : ""));
    }
    std::ranges::sort(all);
    std::string out;
    for (const std::string& entry : all) out += (out.empty() ? "" : " ") + entry;
    return out;
  }

 private:
  testing_support::ScratchFolder folder_;
  std::filesystem::path path_;
};

inline std::unique_ptr<ImageTree> OpenTree(const std::string& root, TreeAccess access = TreeAccess::kWrite) {
  return Must(OpenFolderTree(root, access));
}

}  // namespace prov::images::testing
