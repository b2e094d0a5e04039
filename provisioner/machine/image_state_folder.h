// The state folder of an image: `ProgramData\Provisioner`, where the program finds it when the image runs.
#pragma once

#include "images/tree/image_tree.h"
#include "provisioner/machine/state_folder.h"

namespace prov::machine {

inline constexpr std::string_view kImageStateFolder = "ProgramData/Provisioner";

class ImageStateFolder final : public StateFolder {
 public:
  explicit ImageStateFolder(images::ImageTree& tree) : tree_(tree) {}  // which must outlive this

  Result<std::optional<std::string>> Read(std::string_view name) override;
  Result<void> Write(std::string_view name, std::string_view bytes) override;
  Result<void> Remove(std::string_view name) override;

 private:
  // What is there already must be administrators' alone, as on a running node. Errors: owner.
  Result<void> CheckFolder();
  Result<void> CheckFile(std::string_view path);
  Result<void> CheckSecurity(std::string_view path);
  // Where it can't be checked (no descriptors), one that was there is closed to others by its mode.
  Result<void> CloseFolder();

  images::ImageTree& tree_;
  bool folder_is_checked_ = false, folder_is_closed_ = false;
};

}  // namespace prov::machine
