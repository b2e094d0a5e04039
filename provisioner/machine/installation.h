// Port: the program's own folder on a node, `%ProgramFiles%\Provisioner`, which also holds the pinned signer of
// payloads; and the removal of payload files that are no longer needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/machine/program_version.h"

namespace prov::machine {

// The program that runs, and the one that is installed.
struct ProgramStatus {
  std::optional<ProgramVersion> own, installed;  // nullopt: none is installed, or the file names no version
  bool is_installed = false;                     // one is in its place, and nobody else can change it
  bool is_same = false;                          // the very program that runs
  bool has_former = false;                       // InstallProgram was not followed by one of the two that end it
};

class Installation {
 public:
  virtual ~Installation() = default;

  // `C:\Program Files\Provisioner\provisioner.exe`, whether it exists or not.
  virtual Result<std::string> ProgramPath() = 0;
  // Copies the running program there, into a folder that only administrators can write (a folder with other rights is
  // refused: owner). False: the same bytes are there already, and nobody else can change them. A program that runs
  // there is replaced at once, and the new one is used from its next start on. The replaced program is kept as the
  // former program, unless one is kept already, until DropFormerProgram or RestoreProgram.
  virtual Result<bool> InstallProgram() = 0;
  // The program at ProgramPath(). nullopt: nothing is installed. Errors: owner, too-large, io.
  virtual Result<std::optional<std::string>> ProgramBytes() { return std::nullopt; }
  // Reads only. Errors: owner, io.
  virtual Result<ProgramStatus> LookAtProgram() = 0;
  // Restores the former program as the installed one. False: none is kept.
  virtual Result<bool> RestoreProgram() = 0;
  virtual void DropFormerProgram() = 0;  // what can't be removed now is at the next call
  // Whether this process was started from the program that is installed now, not from one that it has replaced.
  virtual Result<bool> RunsProgram(std::uint32_t process_id) = 0;
  // Removes it with the pinned signer. False: there is none. Files in use are removed at the next boot.
  virtual Result<bool> RemoveProgram() = 0;
  // `signer.cer` beside the program: only payloads that this certificate signed are accepted; nullopt: none is pinned.
  // Errors: owner (others than administrators can change it), io.
  virtual Result<std::optional<std::string>> PinnedSigner() = 0;
  // Makes the folder as InstallProgram does. False: this one is pinned already.
  virtual Result<bool> PinSigner(std::string_view der) = 0;
  // `%SystemRoot%\Setup\Scripts`, where Windows setup takes payloads from and which only administrators can write.
  virtual Result<std::string> SetupScriptsFolder() = 0;
  // Checks whether the file or folder at `path` may be followed as SYSTEM: nothing on the way is a link or can be
  // replaced, and only administrators can change it and the folder that contains it. Errors: owner; an absent file is
  // no error here.
  virtual Result<void> CheckSource(std::string_view path) = 0;
  // Reads a file of which the same holds. The handle that was checked is the one that is read (followed_file.h).
  // Errors: owner, not-found, too-large, io.
  virtual Result<std::string> ReadFollowed(std::string_view path, std::uint64_t limit) = 0;
  // Removes a plain file, not through links; absent: nothing to do.
  virtual Result<void> RemoveFile(std::string_view path) = 0;
  // Removes the state folder with everything in it, including its lock and log.
  virtual Result<void> RemoveState() = 0;
};

}  // namespace prov::machine
