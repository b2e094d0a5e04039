// A machine in memory: it logs each call of a port, and can fail or stop at any of them and lose what was not flushed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "provisioner/machine/machine.h"
#include "tests/support/stoppable_calls.h"

namespace prov::testing_support {

class MemoryMachine final : public machine::Registry,
                            public machine::CertificateStore,
                            public machine::StateFolder,
                            public machine::System,
                            public machine::Files,
                            public StoppableCalls {
 public:
  struct Key {
    std::string spelling;
    std::map<std::string, images::RegValue> values;  // by lower-case name
    std::string security;                            // "": Users may read it, as Windows makes keys
    bool operator==(const Key&) const = default;
  };
  // What a person would find on the machine, state files aside.
  struct Content {
    std::map<std::string, Key> keys;                                 // by path without its case
    std::map<pki::Store, std::map<std::string, bool>> certificates;  // DER to: in the machine's own physical store
    std::set<std::string> disallowed;
    std::map<std::string, std::string> files;  // by path without its case; durable at once
    std::set<std::string> closed;              // those that not everybody may read
    std::set<std::string> folders;             // likewise; the volume itself is always there
    bool operator==(const Content&) const = default;
    std::string Text() const;  // a line for each thing, for comparing in tests
  };

  MemoryMachine();

  machine::Machine Ports() { return {*this, *this, State(), *this, Network(), Others(), *this}; }
  machine::ComputeNetwork& Network() { return network != nullptr ? *network : machine::AbsentComputeNetwork(); }
  machine::Programs& Others() { return programs != nullptr ? *programs : machine::AbsentPrograms(); }
  // What is kept in files(). Lasts until the next call of State or Ports; a copy of the machine has its own.
  machine::StateRecord& State() { return record_.emplace(*this); }
  // Its sections as documents; not a call of a port.
  std::optional<std::string> Section(std::string_view name) const;
  std::map<std::string, std::string> Sections() const;

  // Setting up and looking at the machine: not logged, durable.
  void Put(std::string_view key, const images::RegValue& value);
  void PutKey(std::string_view key);
  void Erase(std::string_view key, std::string_view name);
  std::optional<images::RegValue> At(std::string_view key, std::string_view name) const;
  void PutFileOf(std::string_view path, std::string_view bytes);  // of somebody else
  void CloseFileOf(std::string_view path);                        // for administrators alone
  std::set<std::string> unsafe_files;                             // by path without its case: refused (owner)
  // At the call of machine::Files of this number (from 0): an io error, without effect or after it.
  std::size_t file_calls = 0, fail_file_at = kNever;
  bool fails_late = false;
  std::optional<std::string> FileAt(std::string_view path) const;
  Content& content() { return now_; }
  const Content& content() const { return now_; }
  std::map<std::string, std::string>& files() { return files_; }
  const std::map<std::string, std::string>& files() const { return files_; }
  void MakeDurable() { durable_ = now_; }
  // Whether nothing tells them apart: what is on them, what of it is flushed, and what was written since the boot.
  bool IsLike(const MemoryMachine& other) const {
    return now_ == other.now_ && durable_ == other.durable_ && files_ == other.files_ && log == other.log &&
           accounts == other.accounts && machine_id_ == other.machine_id_ && boot_ == other.boot_;
  }

  std::map<std::string, std::string, std::less<>> accounts;  // SIDs by name, as a domain would tell them

  machine::ComputeNetwork* network = nullptr;  // null: no HNS. A copy of the machine has the same
  machine::Programs* programs = nullptr;       // null: no programs of others

  std::vector<std::string> log;  // "Set SYSTEM\…\HTTP_PROXY": the calls that write, in order
  std::string failed_call;       // the one at `fail_at`

  // After a power failure: what was not flushed stays, goes, or (by the seed) some of each; then the machine boots.
  enum class Unflushed { kKept, kLost, kSome };
  void Boot(Unflushed unflushed, std::uint32_t seed = 0);

  void set_machine_id(std::string id) { machine_id_ = std::move(id); }

  // machine::Registry
  Result<bool> KeyExists(std::string_view key) override;
  Result<std::optional<images::RegValue>> Read(std::string_view key, std::string_view name) override;
  Result<std::vector<std::string>> Subkeys(std::string_view key) override;
  Result<void> Set(std::string_view key, const images::RegValue& value) override;
  Result<void> DeleteValue(std::string_view key, std::string_view name) override;
  Result<void> DeleteKeyIfEmpty(std::string_view key) override;
  bool HasSecurity() const override { return true; }
  Result<std::string> Security(std::string_view key) override;
  Result<void> SetSecurity(std::string_view key, std::string_view descriptor) override;
  // machine::CertificateStore
  Result<bool> Contains(pki::Store store, std::string_view der) override;
  Result<std::optional<std::string>> Find(pki::Store store, std::string_view sha1) override;
  Result<bool> IsDisallowed(std::string_view der) override;
  Result<void> Add(pki::Store store, std::string_view der) override;
  Result<void> Remove(pki::Store store, std::string_view der) override;
  // machine::Registry and machine::CertificateStore
  Result<void> Flush() override;
  // machine::StateFolder
  Result<std::optional<std::string>> Read(std::string_view name) override;
  Result<void> Write(std::string_view name, std::string_view bytes) override;
  Result<void> Remove(std::string_view name) override;
  std::string PathOf(std::string_view name) const override {
    return R"(C:\ProgramData\Provisioner\)" + std::string(name);
  }
  // machine::Files
  Result<std::optional<std::string>> ReadFile(std::string_view path, std::uint64_t limit) override;
  Result<bool> IsForEverybody(std::string_view path) override;
  Result<void> PutFile(std::string_view path, std::string_view bytes, machine::FileAccess access) override;
  Result<void> RemoveFile(std::string_view path) override;
  Result<bool> FolderExists(std::string_view path) override;
  Result<void> RemoveFolderIfEmpty(std::string_view path) override;
  // machine::System
  Result<std::string> MachineId() override { return machine_id_; }
  Result<std::string> BootId() override { return std::to_string(boot_); }
  void AnnounceEnvironment() override { log.emplace_back("Announce"); }
  std::optional<std::string> AccountSid(std::string_view account) override;

 private:
  // Runs `effect` as the next call.
  template <class Effect>
  auto Call(std::string what, Effect effect) -> Result<decltype(effect())>;
  template <class Effect>
  auto FileCall(std::string what, std::string_view path, Effect effect) -> Result<decltype(effect())>;
  void MakeKey(std::string_view key);

  Content now_, durable_;
  std::map<std::string, std::string> files_;
  std::optional<machine::StateRecord> record_;  // of this machine, not of the one it is a copy of
  std::string machine_id_ = "11111111-2222-3333-4444-555555555555";
  unsigned boot_ = 1;
};

using Unflushed = MemoryMachine::Unflushed;

}  // namespace prov::testing_support
