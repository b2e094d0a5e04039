// Port: the program's own folder on a node, `%ProgramFiles%\Provisioner`, which also holds the pin of payloads; and the
// removal of payload files that are no longer needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/path_security.h"
#include "provisioner/base/result.h"
#include "provisioner/machine/program_version.h"

namespace prov::machine {

// The running program and the installed one.
struct ProgramStatus {
  std::optional<ProgramVersion> own, installed;  // nullopt: none is installed, or the file has no version
  bool is_installed = false;                     // it exists, and only administrators can change it
  bool is_same = false;                          // the installed program is the running one
  bool has_former = false;                       // one is kept, so no call has ended InstallProgram
};

class Installation {
 public:
  virtual ~Installation() = default;

  // `C:\Program Files\Provisioner\provisioner.exe`, whether it exists or not.
  virtual Result<std::string> ProgramPath() = 0;
  // Copies the running program there, into a folder that only administrators can write. A folder with other rights is
  // refused (owner). Returns false if the same bytes are there already and only administrators can change them. A
  // program that is running is replaced at once; the new one is used from its next start on. The replaced program is
  // kept as the former program until DropFormerProgram or RestoreProgram, unless one is already kept.
  virtual Result<bool> InstallProgram() = 0;
  // Reads only. Errors: owner, io.
  virtual Result<ProgramStatus> ReadProgramStatus() = 0;
  // Restores the former program as the installed one. Returns false if none is kept.
  virtual Result<bool> RestoreProgram() = 0;
  virtual void DropFormerProgram() = 0;  // what can't be removed now is removed by the next call
  // Whether this process runs the program that is installed now, and not one that it replaced.
  virtual Result<bool> RunsProgram(std::uint32_t process_id) = 0;
  // Removes the program and the pin. Returns false if there is none. Files in use are removed at the next
  // boot.
  virtual Result<bool> RemoveProgram() = 0;
  // `pin.json` beside the program: which payloads are accepted (payload/pin.h). nullopt: any. Errors: owner (others
  // than administrators can change it), io.
  virtual Result<std::optional<std::string>> ReadPin() = 0;
  // Replaces it with one rename; makes the folder as InstallProgram does. Returns false if nothing was written: it is
  // the same, or the files of an image's `--install` hold it.
  virtual Result<bool> WritePin(std::string_view bytes) = 0;
  // `%SystemRoot%\Setup\Scripts`, where Windows setup looks for payloads. Only administrators can write it.
  virtual Result<std::string> SetupScriptsFolder() = 0;
  // Checks whether the file or folder at `path` may be followed as SYSTEM: nothing on the way is a link or can be
  // replaced, and only administrators can change it and the folder that contains it. An absent file passes. Errors:
  // owner.
  virtual Result<void> CheckSource(std::string_view path, Shares shares) = 0;
  // Reads a file after the same check, from the handle that was checked (followed_file.h). Errors: owner, not-found,
  // too-large, io.
  virtual Result<std::string> ReadFollowed(std::string_view path, std::uint64_t limit, Shares shares) = 0;
  // Removes a plain file, but never through a link. Does nothing if it is absent.
  virtual Result<void> RemoveFile(std::string_view path) = 0;
  // Removes the state folder with everything in it, including its lock and log.
  virtual Result<void> RemoveState() = 0;
};

}  // namespace prov::machine
