// The state folder of the machine that this program runs on.
#pragma once

#include <cstdint>
#include <string>

#include "provisioner/machine/state_folder.h"

namespace prov::machine {

class LiveStateFolder final : public StateFolder {
 public:
  // Makes it for SYSTEM and Administrators alone where it is missing; checks it where it is not (CheckPathSecurity).
  static Result<LiveStateFolder> Open(const std::string& path);
  // Checks it and makes nothing; where it is missing all files are.
  static Result<LiveStateFolder> OpenToRead(const std::string& path);

  LiveStateFolder(LiveStateFolder&& other) noexcept;
  LiveStateFolder& operator=(LiveStateFolder&&) = delete;
  ~LiveStateFolder() override;

  Result<std::optional<std::string>> Read(std::string_view name) override;
  Result<void> Write(std::string_view name, std::string_view bytes) override;
  Result<void> Remove(std::string_view name) override;

 private:
  LiveStateFolder(std::string path, std::intptr_t handle, bool writable);

  std::string path_;
  std::intptr_t handle_;  // open without FILE_SHARE_DELETE: nobody can put another folder in its place meanwhile
  bool writable_;
};

// Removes what writes and removals of state files left when they were cut short; not what a payload's script left,
// which may be all there is of its record. For who holds the lock of the folder.
void RemoveStateLeftovers(const std::string& path);

}  // namespace prov::machine
