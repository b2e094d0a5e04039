// Port: the program's own place on a node, `%ProgramFiles%\Provisioner`, with the pinned signer of payloads in it, and
// files of a payload that are not needed any more.
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

  // `C:\Program Files\Provisioner\provisioner.exe`, whether it is there or not.
  virtual Result<std::string> ProgramPath() = 0;
  // Copies the running program there, into a folder that others than administrators can't write (made so, else refused:
  // owner). False: the same bytes are there already, and nobody else can change them. A program that runs there is
  // replaced at once and used from its next start on. What it replaces is kept as the former program, unless one is
  // kept already, until DropFormerProgram or RestoreProgram.
  virtual Result<bool> InstallProgram() = 0;
  // What lies at ProgramPath(). nullopt: nothing is installed. Errors: owner, too-large, io.
  virtual Result<std::optional<std::string>> ProgramBytes() { return std::nullopt; }
  // Reads only. Errors: owner, io.
  virtual Result<ProgramStatus> LookAtProgram() = 0;
  // The former program is the installed one again. False: none is kept.
  virtual Result<bool> RestoreProgram() = 0;
  virtual void DropFormerProgram() = 0;  // what can't be removed now is at the next call
  // Whether this process was started from the program that is installed now, not from one that was there before.
  virtual Result<bool> RunsProgram(std::uint32_t process_id) = 0;
  // With the pinned signer. False: there is none. What is in use goes at the next boot.
  virtual Result<bool> RemoveProgram() = 0;
  // `signer.cer` beside the program, the certificate whose payloads alone are believed; nullopt: none is pinned.
  // Errors: owner (others than administrators can change it), io.
  virtual Result<std::optional<std::string>> PinnedSigner() = 0;
  // Makes the folder as InstallProgram does. False: this one is pinned already.
  virtual Result<bool> PinSigner(std::string_view der) = 0;
  // `%SystemRoot%\Setup\Scripts`, where Windows setup takes payloads from and which only administrators can write.
  virtual Result<std::string> SetupScriptsFolder() = 0;
  // Whether what lies at `path` may be followed as SYSTEM: nothing on the way there is a link or can be replaced, and
  // nobody but administrators can change it and the folder that it is in. Errors: owner; an absent file is no error
  // here.
  virtual Result<void> CheckSource(std::string_view path) = 0;
  // A file that a round reads, of which the same holds. What was checked is what is read (followed_file.h). Errors:
  // owner, not-found, too-large, io.
  virtual Result<std::string> ReadFollowed(std::string_view path, std::uint64_t limit) = 0;
  // A plain file, not through links; absent: nothing to do.
  virtual Result<void> RemoveFile(std::string_view path) = 0;
  // The state folder with all that this program keeps in it, its lock and log included.
  virtual Result<void> RemoveState() = 0;
};

}  // namespace prov::machine
