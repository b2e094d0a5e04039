// The kind of files that are ours as a whole: containerd's hosts.toml and the CAs beside it. An item is a file. What is
// another program's at its place is kept in the ledger and comes back when ours is removed.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/reconcile/containerd_folders.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/kind.h"
#include "provisioner/reconcile/planner.h"
#include "provisioner/registries/hosts_files.h"
#include "provisioner/registries/hosts_toml.h"

namespace prov::reconcile {
namespace {

using images::RegValue;
using Bytes = std::optional<std::string>;

std::string ItemOfPath(std::string_view path) { return ItemKey(kFileItem, AsciiLower(path)); }

bool IsHostsToml(std::string_view path) {
  return AsciiLower(path).ends_with("\\" + std::string(registries::kHostsFile));
}

std::size_t CountOf(std::string_view text, std::string_view word) {
  std::size_t out = 0;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++out;
  return out;
}

// The URLs of a hosts.toml in their order; nullopt: containerd does not read it. No part of it that may hold a login.
std::optional<std::vector<std::string>> HostsIn(const std::string& bytes) {
  Findings ignored;
  const auto read = registries::ReadHostsToml(bytes, "", registries::Containerd::k2, ignored);
  if (!read) return std::nullopt;
  std::vector<std::string> out;
  out.reserve(read->hosts.size() + 1);
  for (const registries::HostConfig& host : read->hosts) out.push_back(host.url.Text());
  if (!read->server.url.host.empty() && read->server.pull) out.push_back(read->server.url.Text());
  return out;
}

std::string ShowFile(const std::string& path, const Bytes& bytes) {
  if (!bytes) return {};
  if (!IsHostsToml(path)) return fmt::format("certificates: {}", CountOf(*bytes, "-----BEGIN CERTIFICATE-----"));
  const auto hosts = HostsIn(*bytes);
  if (!hosts) return "not a hosts.toml that containerd reads";
  return hosts->empty() ? "the registry itself" : fmt::format("{}", fmt::join(*hosts, ", "));
}

ValueParts PartsOfFile(const std::string& path, const Bytes& bytes) {
  if (!bytes) return {};
  ValueParts out;
  const auto hosts = IsHostsToml(path) ? HostsIn(*bytes) : std::nullopt;
  if (hosts) out.push_back({"hosts", Secret(fmt::format("{}", fmt::join(*hosts, ","))), ValuePart::Form::kList});
  out.push_back({"sha256", Secret(ToHex(Sha256(*bytes))), ValuePart::Form::kData});
  return out;
}

Change DescribeFile(Action action, const std::string& path, const Bytes& before, const Bytes& after,
                    std::string reason = {}) {
  return {ItemKind::kFile,
          action,
          path,
          ShowFile(path, before),
          ShowFile(path, after),
          std::move(reason),
          {},
          PartsOfFile(path, before),
          PartsOfFile(path, after)};
}

Bytes BytesOf(const std::optional<RegValue>& value) { return value ? Bytes(value->data) : std::nullopt; }
std::optional<RegValue> StoredAs(const std::string& path, const Bytes& bytes) {
  if (!bytes) return std::nullopt;
  return RegValue{path, images::RegType::kBinary, *bytes};
}

using Folders = std::vector<std::string>;

// What is at a path now.
struct Present {
  std::string path;
  Bytes bytes = {};
  Folders missing_folders = {};  // on the way to it, outermost first
};

Result<Present> ReadPresent(machine::Files& files, const std::string& path) {
  Present out{path, PROV_TRY(files.ReadFile(path, kMostManagedFileBytes))};
  if (!out.bytes) out.missing_folders = PROV_TRY(MissingFolders(files, path));
  return out;
}

bool IsBelow(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path[folder.size()] == '\\' &&
         EqualsIgnoreAsciiCase(path.substr(0, folder.size()), folder);
}

// The folders on the way to a file that we made, for this item or for another, outermost first.
Folders OwnFolders(const Ledger& ledger, const Present& present) {
  std::set<std::string> out(present.missing_folders.begin(), present.missing_folders.end());
  for (const auto& [item, entry] : ledger) {
    if (!item.starts_with(kFileItem)) continue;
    for (const std::string& folder : entry.own_keys) {
      if (!IsBelow(present.path, folder)) continue;
      const bool is_there =
          std::ranges::any_of(out, [&](const auto& one) { return EqualsIgnoreAsciiCase(one, folder); });
      if (!is_there) out.insert(folder);
    }
  }
  Folders sorted(out.begin(), out.end());
  std::ranges::sort(sorted, {}, &std::string::size);
  return sorted;
}

class FilePlan {
 public:
  FilePlan(Planner& planner, Present present)
      : planner_(planner),
        present_(std::move(present)),
        path_(present_.path),
        now_(present_.bytes),
        item_(ItemOfPath(path_)),
        entry_(planner.Find(item_)) {}

  void Want(const std::string& wanted) {
    if (now_ == wanted) {
      Keep();
      return;
    }
    LedgerEntry entry = entry_ != nullptr ? *entry_ : LedgerEntry{StoredAs(path_, now_), {}, {}};
    entry.own_keys = OwnFolders(planner_.ledger(), present_);
    const bool drifted = entry_ != nullptr && !IsOurs();
    entry.ours = StoredAs(path_, wanted);
    planner_.Add(FileWrite{path_, now_, wanted, entry.own_keys, item_});
    planner_.Own(item_, std::move(entry));
    Report(now_ ? Action::kUpdate : Action::kCreate, wanted,
           drifted ? (now_ ? "was changed since we set it" : "was removed since we set it") : "");
  }

  void LetGo() {
    planner_.Disown(item_);
    if (!IsOurs()) {
      Report(Action::kYield, now_, now_ ? "was changed since we set it; left as it is" : "is gone already");
      return;
    }
    const Bytes before = BytesOf(entry_->before);
    planner_.AddUndo(FileWrite{path_, now_, before, entry_->own_keys, item_});
    Report(before ? Action::kUpdate : Action::kDelete, before,
           before ? "what was there before us" : "no longer wanted");
  }

 private:
  bool IsOurs() const { return entry_ != nullptr && now_ && now_ == BytesOf(entry_->ours); }

  void Keep() {
    const bool adopt = !IsOurs() && planner_.options().adopt;
    if (adopt) {
      LedgerEntry entry = entry_ != nullptr ? *entry_ : LedgerEntry();
      entry.ours = StoredAs(path_, now_);
      planner_.Own(item_, std::move(entry));
    }
    Report(adopt ? Action::kAdopt : Action::kNone, now_, adopt ? std::string(planner_.options().adopt_reason) : "");
  }

  void Report(Action action, const Bytes& after, std::string reason) {
    planner_.Report(item_, DescribeFile(action, path_, now_, after, std::move(reason)));
  }

  Planner& planner_;
  Present present_;
  const std::string& path_;
  const Bytes& now_;
  std::string item_;
  const LedgerEntry* entry_;
};

// Reads what is at the wanted places. Errors: owner (containerd is the Windows operator's); those of the ports.
Result<std::vector<Present>> ReadWanted(Planner& planner) {
  std::vector<Present> out;
  const std::vector<FileItem>& files = planner.desired().files;
  if (files.empty()) return out;
  const ContainerdFolders containerd = PROV_TRY(ReadContainerdFolders(planner.machine()));
  if (!containerd.of_operator.empty()) {
    return Fail(Code::kOwner,
                fmt::format("containerd is the Windows Machine Config Operator's ({}), which writes hosts.toml files "
                            "by the cluster's mirrors itself; leave out --registry-folder",
                            containerd.of_operator),
                containerd.config);
  }
  out.reserve(files.size());
  for (const FileItem& file : files) out.push_back(PROV_TRY(ReadPresent(planner.machine().files, file.path)));
  if (auto finding = ReviewRegistryFolder(containerd, planner.desired().registry_folder.value_or("")))
    planner.Note(*std::move(finding));
  return out;
}

class File final : public Kind {
 public:
  bool IsInScope(const Scope& scope) const override { return scope.registries; }
  bool Owns(std::string_view item) const override { return item.starts_with(kFileItem); }

  // Everything is read before anything is planned, so that what is refused leaves no part of itself in the plan.
  Result<void> Plan(Planner& planner) const override {
    auto wanted = ReadWanted(planner);
    if (!wanted && !planner.options().leaves_out_refused) return std::unexpected(std::move(wanted).error());
    if (!wanted) {
      // The proxy and the certificates of a node matter more than its mirrors.
      planner.Note({Severity::kWarning, "registries-refused",
                    fmt::format("the hosts.toml files are left as they are: {}", wanted.error().message),
                    wanted.error().where});
      return {};
    }
    std::set<std::string, std::less<>> items;
    for (std::size_t i = 0; i < wanted->size(); ++i) {
      const FileItem& file = planner.desired().files[i];
      items.insert(ItemOfPath(file.path));
      FilePlan(planner, std::move((*wanted)[i])).Want(file.bytes);
    }
    // What undoes runs in reverse order: a hosts.toml goes before the CAs that it names.
    for (const bool hosts : {false, true}) {
      for (const auto& [item, entry] : planner.ledger()) {
        if (!Owns(item) || items.contains(item) || IsHostsToml(item) != hosts) continue;
        PROV_TRY(PlanUnwanted(planner, item, entry));
      }
    }
    return {};
  }

  // A file that can't be read any more, such as one that others may change now, is not as we left it.
  Result<std::optional<Drift>> FindDrift(machine::Machine& machine, std::string_view item,
                                         const LedgerEntry& entry) const override {
    const std::string path = PROV_TRY(PathOf(item, entry));
    const auto now = machine.files.ReadFile(path, kMostManagedFileBytes);
    const Bytes ours = BytesOf(entry.ours);
    if (!now) {
      Drift out = DriftOf(DescribeFile(Action::kUpdate, path, ours, {}), false);
      out.after = now.error().message;
      return out;
    }
    if (*now == ours) return std::nullopt;
    return DriftOf(DescribeFile(Action::kUpdate, path, ours, *now), !*now);
  }

  Change ChangeOf(std::string_view /*item*/, const Operation& operation) const override {
    const auto& write = std::get<FileWrite>(operation);
    return DescribeFile(ActionOf(write.before.has_value(), write.after.has_value()), write.path, write.before,
                        write.after);
  }

  void Bake(const DesiredState& /*desired*/, bool /*closed*/, images::RegKey& /*machine*/) const override {}

 private:
  // In the spelling with which it was written. The record of an image may come from others. Errors: type.
  static Result<std::string> PathOf(std::string_view item, const LedgerEntry& entry) {
    std::string path = entry.ours ? entry.ours->name : std::string();
    const auto full = FullWindowsPath(path);
    if (!full || *full != path || ItemOfPath(path) != item || IsOperatorsPath(path)) return UnknownItem(item);
    return path;
  }

  static Result<void> PlanUnwanted(Planner& planner, const std::string& item, const LedgerEntry& entry) {
    const std::string path = PROV_TRY(PathOf(item, entry));
    auto now = ReadPresent(planner.machine().files, path);
    if (now) {
      FilePlan(planner, *std::move(now)).LetGo();
      return {};
    }
    // It may not keep a removal from the rest. A round tries again.
    if (!planner.options().leaves_out_refused) planner.Disown(item);
    Change change = DescribeFile(Action::kYield, path, {}, {},
                                 fmt::format("is left as it is, because it can't be read: {}", now.error().message));
    planner.Report(item, std::move(change));
    return {};
  }
};

}  // namespace

const Kind& FileKind() {
  static const File kind;
  return kind;
}

}  // namespace prov::reconcile
