// The Windows machine that this program runs on: the adapters of its ports. Only *_win32.cc may include it; other code
// uses LiveHost().
#pragma once

#include <memory>
#include <string>

#include "provisioner/machine/certificate_store.h"
#include "provisioner/machine/files.h"
#include "provisioner/machine/host.h"
#include "provisioner/machine/registry.h"
#include "provisioner/machine/state_folder.h"
#include "provisioner/machine/system.h"
#include "provisioner/machine/windows_calls.h"

namespace prov::machine {

// The registry of the machine that this program runs on, in its 64-bit view.
class LiveRegistry final : public Registry {
 public:
  Result<bool> KeyExists(std::string_view key) override;
  Result<std::optional<images::RegValue>> Read(std::string_view key, std::string_view name) override;
  Result<std::vector<std::string>> Subkeys(std::string_view key) override;
  Result<void> Set(std::string_view key, const images::RegValue& value) override;
  Result<void> DeleteValue(std::string_view key, std::string_view name) override;
  Result<void> DeleteKeyIfEmpty(std::string_view key) override;
  bool HasSecurity() const override { return true; }
  Result<std::string> Security(std::string_view key) override;
  Result<void> SetSecurity(std::string_view key, std::string_view descriptor) override;
  Result<void> Flush() override;
};

// The certificate stores of the machine that this program runs on (LOCAL_MACHINE).
//
// Opens each store once, because opening is slow, so it does not see later changes of others. Additions may be written
// only by Flush.
class LiveCertificateStore final : public CertificateStore {
 public:
  explicit LiveCertificateStore(Registry& registry);
  LiveCertificateStore(const LiveCertificateStore&) = delete;
  LiveCertificateStore& operator=(const LiveCertificateStore&) = delete;
  ~LiveCertificateStore() override;

  Result<bool> Contains(pki::Store store, std::string_view der) override;
  Result<std::optional<std::string>> Find(pki::Store store, std::string_view sha1) override;
  Result<bool> IsDisallowed(std::string_view der) override;
  Result<void> Add(pki::Store store, std::string_view der) override;
  Result<void> Remove(pki::Store store, std::string_view der) override;
  Result<void> Flush() override;  // the stores lie in SOFTWARE

 private:
  struct Open;
  Registry& registry_;
  std::unique_ptr<Open> open_;
};

// The state folder of the machine that this program runs on.
class LiveStateFolder final : public StateFolder {
 public:
  // Makes a missing folder for SYSTEM and Administrators alone; checks an existing one (CheckPathSecurity).
  static Result<LiveStateFolder> Open(const std::string& path);
  // Checks the folder and makes nothing. Without it, all files are absent.
  static Result<LiveStateFolder> OpenToRead(const std::string& path);

  Result<std::optional<std::string>> Read(std::string_view name) override;
  Result<void> Write(std::string_view name, std::string_view bytes) override;
  Result<void> Remove(std::string_view name) override;
  std::string PathOf(std::string_view name) const override { return path_ + '\\' + std::string(name); }

 private:
  LiveStateFolder(std::string path, FileHandle handle, bool writable)
      : path_(std::move(path)), handle_(std::move(handle)), writable_(writable) {}

  std::string path_;
  FileHandle handle_;  // open without FILE_SHARE_DELETE, so that the folder can't be replaced meanwhile
  bool writable_;
};

// Files of the machine that this program runs on. A write or a removal that was cut short leaves at most a file
// images::kTemporaryName in its folder, which the next one there, or the removal of the folder, takes away.
class LiveFiles final : public Files {
 public:
  Result<std::optional<std::string>> ReadFile(std::string_view path, std::uint64_t limit) override;
  Result<bool> IsForEverybody(std::string_view path) override;
  Result<void> PutFile(std::string_view path, std::string_view bytes, FileAccess access) override;
  Result<void> RemoveFile(std::string_view path) override;
  Result<bool> FolderExists(std::string_view path) override;
  Result<void> RemoveFolderIfEmpty(std::string_view path) override;
};

// Removes what interrupted writes and removals of state files left, but not a payload's script's file: that may be its
// only record. The caller must hold the folder's lock.
void RemoveStateLeftovers(const std::string& path);

// Locks the file kLockFile in an existing folder, as long as the returned handle is open: Windows releases the lock
// when the process ends, however it ends. The file stays there afterwards: removing it could let two runs lock two
// different files. Only administrators can write the folder (LiveStateFolder::Open checks that), so other users can't
// hold the lock. It is the file's first byte, which a payload's script locks, too (templates/Apply-Egress.ps1). Errors:
// lock (another run or a script holds it), owner (the file belongs to others), io.
Result<FileHandle> AcquireLock(const std::string& folder);

// Identity of the machine that this program runs on and of its current boot.
class LiveSystem final : public System {
 public:
  explicit LiveSystem(Registry& registry) : registry_(registry) {}

  Result<std::string> MachineId() override;
  Result<std::string> BootId() override;
  void AnnounceEnvironment() override;
  std::optional<std::string> AccountSid(std::string_view account) override;

 private:
  Registry& registry_;
};

// `C:\ProgramData\Provisioner`, or where ProgramData is instead; ignores environment variables. Errors: target.
Result<std::string> DefaultStateFolder();

// Opens the machine. To write: makes `state_folder` if it is missing (its parent must exist), holds its lock and
// removes leftovers. To read: a missing folder counts as empty, and writing state is a defect. Errors: owner (the
// folder is a link, or others than SYSTEM and Administrators own it or have rights on it), lock, io.
Result<std::unique_ptr<OpenMachine>> OpenLiveMachine(const std::string& state_folder, Access access);

}  // namespace prov::machine
