#include "provisioner/machine/image_registry.h"

#include <fmt/format.h>

#include <algorithm>

#include "images/registry/hive_format.h"
#include "images/registry/hive_replay.h"
#include "provisioner/base/text.h"

namespace prov::machine {
namespace {

using images::HiveEditor;
using images::RegType;
using images::RegValue;

constexpr std::uint64_t kLargestHive = std::uint64_t{1} << 30U;
constexpr std::string_view kCurrent = "CurrentControlSet";
constexpr std::string_view kControlSet = "ControlSet";

// The first name of a path, and what follows it without the backslash.
std::pair<std::string_view, std::string_view> SplitFirst(std::string_view path) {
  const std::size_t backslash = path.find('\\');
  if (backslash == std::string_view::npos) return {path, {}};
  return {path.substr(0, backslash), path.substr(backslash + 1)};
}

Error At(Error error, const images::ImageTree& tree, std::string_view path) {
  error.where = fmt::format("{}, {}{}{}", tree.Name(), path, error.where.empty() ? "" : ", ", error.where);
  return error;
}

bool IsControlSet(std::string_view name) {
  return name.size() == kControlSet.size() + 3 &&
         EqualsIgnoreAsciiCase(name.substr(0, kControlSet.size()), kControlSet) &&
         std::ranges::all_of(name.substr(kControlSet.size()), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<HiveEditor*> ImageRegistry::Open(Hive& hive) {
  if (hive.editor) return &*hive.editor;
  auto bytes = PROV_TRY(tree_.Read(hive.path, kLargestHive));
  if (!bytes) {
    return Fail(Code::kTarget,
                "the image does not have this file: pass the folder that contains Windows, or the right index",
                fmt::format("{}, {}", tree_.Name(), hive.path));
  }
  const bool dirty = images::IsDirtyHive(*bytes);
  if (dirty) bytes = PROV_TRY(Replay(hive, *std::move(bytes)));
  auto editor = HiveEditor::Open(*std::move(bytes));
  if (!editor) {
    if (dirty) editor.error().message += " (read with its logs replayed)";
    return std::unexpected(At(editor.error(), tree_, hive.path));
  }
  hive.editor = *std::move(editor);
  return &*hive.editor;
}

Result<std::optional<std::string>> ImageRegistry::Selected(std::string_view value) {
  HiveEditor* system = PROV_TRY(Open(system_));
  const auto selected = PROV_TRY(system->Read("Select", value));
  const bool known = selected && selected->type == RegType::kDword && selected->data.size() == 4 &&
                     selected->data.substr(2) == std::string_view("\0\0", 2);
  if (!known) return std::nullopt;
  const unsigned number =
      static_cast<unsigned char>(selected->data[0]) + 256U * static_cast<unsigned char>(selected->data[1]);
  std::string name = fmt::format("ControlSet{:03}", number);
  if (!PROV_TRY(system->KeyExists(name))) return std::nullopt;
  return name;
}

// Leaves the log files as they are: a cleanly closed hive is read without them, and once it is opened again they are
// too old for it. So replacing one file takes the image from its old state to the new one.
Result<std::string> ImageRegistry::Replay(Hive& hive, std::string bytes) {
  images::HiveLogs logs;
  logs.log1 = PROV_TRY(tree_.Read(fmt::format("{}.LOG1", hive.path), kLargestHive));
  logs.log2 = PROV_TRY(tree_.Read(fmt::format("{}.LOG2", hive.path), kLargestHive));
  auto replayed = images::ReplayLogs(std::move(bytes), logs);
  if (!replayed) return std::unexpected(At(replayed.error(), tree_, hive.path));
  hive.replay = Finding{Severity::kInfo, "hive-replayed",
                        fmt::format("the hive was not closed cleanly: what its logs hold (entries {} to {}) counts as "
                                    "its content, as it will when Windows loads it; a change writes all of it as a "
                                    "cleanly closed hive",
                                    replayed->first, replayed->last),
                        fmt::format("{}, {}", tree_.Name(), hive.path)};
  return std::move(replayed->bytes);
}

// Finds what Open would report about a hive. A damaged hive is only a finding here: the run may not need it.
Result<void> ImageRegistry::FindReplay(Hive& hive) {
  const auto start = PROV_TRY(tree_.ReadStart(hive.path, images::regf::kBaseBlockBytes));
  if (!start || !images::IsDirtyHive(*start)) return {};
  auto bytes = PROV_TRY(tree_.Read(hive.path, kLargestHive));
  if (!bytes) return {};
  const auto replayed = Replay(hive, *std::move(bytes));
  if (!replayed) {
    hive.replay = Finding{Severity::kWarning, "dirty-hive", replayed.error().message, replayed.error().where};
  }
  return {};
}

Result<Findings> ImageRegistry::Replays() {
  Findings out;
  for (Hive* hive : {&system_, &software_}) {
    if (!hive->editor && !hive->replay) PROV_TRY(FindReplay(*hive));
    if (hive->replay) out.push_back(*hive->replay);
  }
  return out;
}

Result<std::string> ImageRegistry::ControlSet() {
  if (!control_set_.empty()) return control_set_;
  for (const std::string_view value : {"Default", "Current"}) {
    if (auto name = PROV_TRY(Selected(value))) return control_set_ = *std::move(name);
  }
  HiveEditor* system = PROV_TRY(Open(system_));
  if (!PROV_TRY(system->KeyExists("Select"))) {  // the hives that `bake` writes have no Select
    std::vector<std::string> names = PROV_TRY(system->Subkeys(""));
    std::erase_if(names, [](const std::string& name) { return !IsControlSet(name); });
    if (names.size() == 1) return control_set_ = std::move(names.front());
  }
  return Fail(Code::kTarget,
              "neither Default nor Current of the key Select names a control set that is there: start the image once, "
              "or repair Select",
              fmt::format("{}, {}", tree_.Name(), system_.path));
}

Result<std::optional<std::string>> ImageRegistry::LastControlSet() {
  auto last = PROV_TRY(Selected("Current"));
  if (last && EqualsIgnoreAsciiCase(*last, PROV_TRY(ControlSet()))) last.reset();
  return last;
}

Result<ImageRegistry::HiveKey> ImageRegistry::Resolve(std::string_view key) {
  const auto [hive, rest] = SplitFirst(key);
  if (EqualsIgnoreAsciiCase(hive, "SOFTWARE")) return HiveKey{PROV_TRY(Open(software_)), std::string(rest)};
  if (!EqualsIgnoreAsciiCase(hive, "SYSTEM")) {
    return Fail(Code::kInternal, "is not in a hive that this program edits", std::string(key));
  }
  const auto [first, below] = SplitFirst(rest);
  if (!EqualsIgnoreAsciiCase(first, kCurrent)) return HiveKey{PROV_TRY(Open(system_)), std::string(rest)};
  std::string path = PROV_TRY(ControlSet());
  if (!below.empty()) path.append("\\").append(below);
  return HiveKey{PROV_TRY(Open(system_)), std::move(path)};
}

Result<bool> ImageRegistry::KeyExists(std::string_view key) {
  const HiveKey found = PROV_TRY(Resolve(key));
  return found.editor->KeyExists(found.key);
}

Result<std::optional<RegValue>> ImageRegistry::Read(std::string_view key, std::string_view name) {
  const HiveKey found = PROV_TRY(Resolve(key));
  return found.editor->Read(found.key, name);
}

Result<std::vector<std::string>> ImageRegistry::Subkeys(std::string_view key) {
  const HiveKey found = PROV_TRY(Resolve(key));
  return found.editor->Subkeys(found.key);
}

Result<void> ImageRegistry::Set(std::string_view key, const RegValue& value) {
  const HiveKey found = PROV_TRY(Resolve(key));
  return found.editor->Set(found.key, value);
}

Result<void> ImageRegistry::DeleteValue(std::string_view key, std::string_view name) {
  const HiveKey found = PROV_TRY(Resolve(key));
  return found.editor->DeleteValue(found.key, name);
}

Result<void> ImageRegistry::DeleteKeyIfEmpty(std::string_view key) {
  const HiveKey found = PROV_TRY(Resolve(key));
  return found.editor->DeleteKeyIfEmpty(found.key);
}

Result<std::string> ImageRegistry::Security(std::string_view key) {
  const HiveKey found = PROV_TRY(Resolve(key));
  return found.editor->Security(found.key);
}

Result<void> ImageRegistry::SetSecurity(std::string_view key, std::string_view descriptor) {
  const HiveKey found = PROV_TRY(Resolve(key));
  return found.editor->SetSecurity(found.key, descriptor);
}

Result<void> ImageRegistry::Write(Hive& hive) {
  if (!hive.editor || !hive.editor->Changed()) return {};
  HiveEditor editor = *std::move(hive.editor);
  hive.editor.reset();  // opened again when it is needed
  const auto bytes = editor.Finish(filetime_);
  if (!bytes) return std::unexpected(At(bytes.error(), tree_, hive.path));
  return tree_.Write(hive.path, *bytes, images::FileUse::kEdited);
}

Result<void> ImageRegistry::Flush() {
  PROV_TRY(Write(software_));
  return Write(system_);
}

}  // namespace prov::machine
