// The registry of an image: its SYSTEM and SOFTWARE hives, edited in memory and written by Flush.
#pragma once

#include <optional>

#include "images/registry/hive_editor.h"
#include "images/tree/image_tree.h"
#include "provisioner/base/finding.h"
#include "provisioner/machine/registry.h"

namespace prov::machine {

// `SYSTEM\CurrentControlSet` is the control set that Windows starts with next: the value Default of `Select`. (Current
// is the one that it ran with last. They differ after a start with the last known good configuration.) A hive that was
// not closed cleanly is read with its logs applied, and a change writes it as a clean hive. Errors of every member:
// those of HiveEditor, ReplayLogs and ImageTree; target (an image without its hives).
class ImageRegistry final : public Registry {
 public:
  // `tree` must outlive this. `filetime` is the timestamp for what is written.
  ImageRegistry(images::ImageTree& tree, std::uint64_t filetime) : tree_(tree), filetime_(filetime) {}

  Result<bool> KeyExists(std::string_view key) override;
  Result<std::optional<images::RegValue>> Read(std::string_view key, std::string_view name) override;
  Result<std::vector<std::string>> Subkeys(std::string_view key) override;
  Result<void> Set(std::string_view key, const images::RegValue& value) override;
  Result<void> DeleteValue(std::string_view key, std::string_view name) override;
  Result<void> DeleteKeyIfEmpty(std::string_view key) override;
  bool HasSecurity() const override { return true; }
  Result<std::string> Security(std::string_view key) override;
  Result<void> SetSecurity(std::string_view key, std::string_view descriptor) override;
  // Writes SOFTWARE before SYSTEM, so that certificates are trusted before clients use the proxy.
  Result<void> Flush() override;

  // The control set for SYSTEM\CurrentControlSet: "ControlSet001".
  Result<std::string> ControlSet();
  // The control set that `Select` names as Current, if it differs.
  Result<std::optional<std::string>> LastControlSet();

  // For each hive that was not closed cleanly: `hive-replayed`, or `dirty-hive` for an unread one whose logs can't be
  // replayed.
  Result<Findings> Replays();

 private:
  struct Hive {
    std::string_view path;
    std::optional<images::HiveEditor> editor{};
    std::optional<Finding> replay{};
  };
  // A key of one of the two hives.
  struct HiveKey {
    images::HiveEditor* editor;
    std::string key;
  };

  Result<images::HiveEditor*> Open(Hive& hive);
  // The control set that a value of `Select` names; nullopt if that does not exist.
  Result<std::optional<std::string>> Selected(std::string_view value);
  Result<std::string> Replay(Hive& hive, std::string bytes);
  Result<void> FindReplay(Hive& hive);
  Result<HiveKey> Resolve(std::string_view key);
  Result<void> Write(Hive& hive);

  images::ImageTree& tree_;
  std::uint64_t filetime_;
  Hive system_{"Windows/System32/config/SYSTEM"};
  Hive software_{"Windows/System32/config/SOFTWARE"};
  std::string control_set_;  // "" until it is known
};

}  // namespace prov::machine
