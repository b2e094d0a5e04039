// A folder for a test's files that no other test, and no killed run, has ever used.
#pragma once

#include <filesystem>
#include <random>
#include <string>

namespace prov::testing_support {

// A new, empty folder beneath `where`; it goes away with the object, with all that is in it. A folder that exists is
// never taken: process numbers come again, and what a killed test left would be found there.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::filesystem::path& where = std::filesystem::temp_directory_path()) {
    do {
      path_ = where / ("provisioner-test-" + std::to_string(std::random_device()()));
    } while (!std::filesystem::create_directory(path_));
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string At(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace prov::testing_support
