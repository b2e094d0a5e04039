// WIM files made, read and verified by wimlib's own programs.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "images/tree/wim_tree.h"
#include "provisioner/base/folder.h"
#include "tests/images/image_folder.h"
#include "tests/support/process.h"
#include "tests/support/result.h"

namespace prov::images::testing {

namespace fs = std::filesystem;

inline constexpr const char* kHive = "Windows/System32/config/SYSTEM";
inline constexpr std::int64_t kNow = 1'800'000'000;  // 2027-01-15: the time of changes

inline bool HasWimlib() { return testing_support::Run({"sh", "-c", "command -v wimlib-imagex"}).exit == 0; }

#define REQUIRE_WIMLIB() \
  if (!HasWimlib()) GTEST_SKIP() << "NOT RUN: wimlib-imagex is not installed (Debian package: wimtools)"

inline std::string Wimlib(std::vector<std::string> words) {
  words.insert(words.begin(), "wimlib-imagex");
  const testing_support::ProcessResult result = testing_support::Run(words);
  EXPECT_EQ(result.exit, 0) << words[1] << ": " << result.err << result.out;
  return result.out;
}

// Text that is worth compressing.
inline std::string Text(int seed, std::size_t size) {
  std::string out;
  for (unsigned i = 0; out.size() < size; ++i)
    out += std::to_string(i * 2654435761U % 1000 + static_cast<unsigned>(seed)) + " word ";
  out.resize(size);
  return out;
}

// Hundreds of files are made and killed processes lose nothing without a disk.
inline std::string Memory() { return fs::is_directory("/dev/shm") ? "/dev/shm" : ::testing::TempDir(); }

// A WIM file of a folder with a few hundred files, and a place for more.
class WimSample {
 public:
  explicit WimSample(const std::string& compression = "LZX", const std::vector<std::string>& options = {"--check"},
                     const std::string& where = Memory())
      : files_(where), place_(where) {
    for (int i = 0; i < 200; ++i) {
      files_.Put("Windows/System32/file" + std::to_string(i), Text(i, static_cast<std::size_t>(i) * 37));
    }
    files_.Put(kHive, Text(1, 300000));
    files_.Put("Windows/empty", "");
    fs::create_directory(files_.At("Empty folder"));
    fs::create_hard_link(files_.At("Windows/System32/file7"), files_.At("Windows/hard"));
    fs::create_symlink("System32/file8", files_.At("Windows/link"));
    fs::create_directory_symlink("System32", files_.At("Windows/folder link"));
    std::vector<std::string> words = {"capture", files_.root(), path(), "First", "--compress=" + compression};
    words.insert(words.end(), options.begin(), options.end());
    Wimlib(words);
  }

  std::string path() const { return place_.At("image.wim"); }
  std::string At(const std::string& name) const { return place_.At(name); }

  std::shared_ptr<WimFile> Open(TreeAccess access = TreeAccess::kWrite) const {
    return Must(WimFile::Open(path(), access, kNow));
  }

  // Everything in an image, as wimlib extracts it: names to contents; folders end in a slash, links hold their target.
  std::map<std::string, std::string> Extract(int index) const {
    const std::string to = place_.At("extracted");
    fs::remove_all(to);
    Wimlib({"apply", path(), std::to_string(index), to});
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(to)) {
      const std::string name = entry.path().lexically_relative(to).generic_string();
      if (entry.is_symlink()) {
        out[name] = "-> " + fs::read_symlink(entry.path()).string();
      } else if (entry.is_directory()) {
        out[name + "/"] = "";
      } else {
        out[name] = ReadFile(entry.path().string(), kLimit).value();
      }
    }
    return out;
  }

  void Verify() const { Wimlib({"verify", path()}); }
  std::string Info() const { return Wimlib({"info", path()}); }
  std::string Detailed(int index, const std::string& name) const {
    const std::string all = Wimlib({"dir", path(), std::to_string(index), "--detailed", "--path=/" + name});
    return all;
  }

 private:
  ImageFolder files_, place_;
};

inline Result<std::unique_ptr<ImageTree>> OpenWimTree(const std::string& file, int index, TreeAccess access) {
  return PROV_TRY(WimFile::Open(file, access, kNow))->Tree(index);
}

inline std::unique_ptr<ImageTree> TreeOf(WimFile& file, int index) { return Must(file.Tree(index)); }

inline void ExpectOk(const Result<void>& result) {
  EXPECT_TRUE(result) << result.error().message << " at " << result.error().where;
}

}  // namespace prov::images::testing
