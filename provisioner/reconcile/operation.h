// Operation: the smallest step of a change. It records the previous value, so that it can be repeated, skipped or taken
// back wherever a run was interrupted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/machine/machine.h"
#include "provisioner/reconcile/ledger.h"

namespace prov::reconcile {

struct RegistryWrite {
  std::string key;
  std::string name;
  std::optional<images::RegValue> before;  // nullopt: absent
  std::optional<images::RegValue> after;
  std::vector<std::string> own_keys;  // keys that we made, outermost first; removed when they are empty
  std::string item = {};              // its key in the ledger, which also gives the kind

  bool operator==(const RegistryWrite&) const = default;
};

struct CertificateWrite {
  pki::Store store = pki::Store::kRoot;
  std::string der;
  bool add = true;  // false: remove
  std::string item = {};
  std::optional<images::RegValue> before = {};  // a damaged entry under its thumbprint, which a removal restores

  bool operator==(const CertificateWrite&) const = default;
};

// Sets who may read a key. Both descriptors are self-relative; `before` is "" if this operation makes the key.
struct SecurityWrite {
  std::string key;
  std::string before, after;
  std::string item = {};

  bool operator==(const SecurityWrite&) const = default;
};

// Sets the layer-4 proxy policies of a pod's endpoint: the settings of each, byte for byte. All other policies stay.
struct EndpointWrite {
  std::string endpoint;  // GUID
  std::vector<std::string> before, after;
  std::string item = {};

  bool operator==(const EndpointWrite&) const = default;
};

inline constexpr std::uint64_t kMostManagedFileBytes = std::uint64_t{4} << 20U;

// Makes, replaces or removes a file.
struct FileWrite {
  std::string path;                        // FullWindowsPath
  std::optional<std::string> before = {};  // nullopt: absent
  std::optional<std::string> after = {};
  std::vector<std::string> own_folders = {};  // folders that we made, outermost first; removed when they are empty
  std::string item = {};
  bool is_before_closed = false;  // not everybody may read that content, so it comes back closed (FileAccess)
  bool is_after_closed = false;

  bool operator==(const FileWrite&) const = default;
};

using Operation = std::variant<RegistryWrite, CertificateWrite, SecurityWrite, EndpointWrite, FileWrite>;

// What a run does: its operations, and what is ours before and after them.
struct Run {
  std::vector<Operation> operations;
  Ledger ledger_before, ledger_after;
  bool reboot = false;       // services see machine variables only after a reboot
  bool is_rollback = false;  // the next rollback does not take it back
};

const std::string& ItemOf(const Operation& operation);
Operation Inverse(const Operation& operation);

// The keys on the way to `key` that are absent, outermost first.
Result<std::vector<std::string>> MissingKeys(machine::Registry& registry, std::string_view key);

// Whether a path is that of a hosts.toml or of a CA beside it, as they are written: FOLDER\REGISTRY\NAME in its one
// form (FullWindowsPath), and not below C:\k. Those in a journal or a ledger may come from others.
bool IsManagedFile(std::string_view path);
// Whether `folder` is on the way to a file, and in its one form.
bool IsFolderAbove(std::string_view folder, std::string_view path);

// The folders on the way to a file that are absent, outermost first.
Result<std::vector<std::string>> MissingFolders(machine::Files& files, std::string_view path);

void WriteOperation(JsonWriter& json, const Operation& operation);
// Errors: type.
Result<Operation> ReadOperation(const JsonNode& node);

// A value's type and bytes as JSON members `type`, `data` (base64); null for nullopt.
void WriteStored(JsonWriter& json, std::string_view key, const std::optional<images::RegValue>& value);
Result<std::optional<images::RegValue>> ReadStored(const JsonNode& parent, std::string_view key);

}  // namespace prov::reconcile
