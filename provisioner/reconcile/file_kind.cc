// The kind of files that are ours as a whole: containerd's hosts.toml and the CAs beside it. An item is a file. What is
// another program's at its place is kept in the ledger and comes back when ours is removed.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/kind.h"
#include "provisioner/reconcile/planner.h"
#include "provisioner/reconcile/wmco.h"
#include "provisioner/registries/containerd_config.h"
#include "provisioner/registries/hosts_files.h"
#include "provisioner/registries/hosts_toml.h"

namespace prov::reconcile {
namespace {

using images::RegValue;
using Bytes = std::optional<std::string>;

constexpr std::string_view kContainerdService = "containerd";
constexpr std::string_view kDefaultConfig = R"(\containerd\config.toml)";

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

class FilePlan {
 public:
  FilePlan(Planner& planner, std::string path, Bytes now)
      : planner_(planner),
        path_(std::move(path)),
        now_(std::move(now)),
        item_(ItemOfPath(path_)),
        entry_(planner.Find(item_)) {}

  Result<void> Want(const std::string& wanted) {
    if (now_ == wanted) {
      Keep();
      return {};
    }
    LedgerEntry entry = entry_ != nullptr ? *entry_ : LedgerEntry{StoredAs(path_, now_), {}, {}};
    for (std::string& folder : PROV_TRY(MissingFolders(planner_.machine().files, path_))) {
      if (std::ranges::find(entry.own_keys, folder) == entry.own_keys.end())
        entry.own_keys.push_back(std::move(folder));
    }
    const bool drifted = entry_ != nullptr && !IsOurs();
    entry.ours = StoredAs(path_, wanted);
    planner_.Add(FileWrite{path_, now_, wanted, entry.own_keys, item_});
    planner_.Own(item_, std::move(entry));
    Report(now_ ? Action::kUpdate : Action::kCreate, wanted,
           drifted ? (now_ ? "was changed since we set it" : "was removed since we set it") : "");
    return {};
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
  std::string path_;
  Bytes now_;
  std::string item_;
  const LedgerEntry* entry_;
};

// The program's command line in the service's key; nssm has the arguments in a key below. nullopt: no such service.
Result<std::optional<std::string>> CommandLineOfContainerd(machine::Registry& registry) {
  const std::string key = ServiceKeyPath(std::string(kContainerdService));
  const auto path = PROV_TRY(registry.Read(key, "ImagePath"));
  if (!path) return std::nullopt;
  std::string out = StringOf(*path).value_or("");
  if (const auto parameters = PROV_TRY(registry.Read(key + "\\Parameters", "AppParameters")))
    out += " " + StringOf(*parameters).value_or("");
  return out;
}

// The path of containerd's config.toml.
Result<std::string> ConfigOf(machine::Registry& registry, std::string_view command_line) {
  std::string named = registries::ConfigFileOf(command_line);
  if (!named.empty()) return named;
  const auto programs = PROV_TRY(registry.Read(R"(SOFTWARE\Microsoft\Windows\CurrentVersion)", "ProgramFilesDir"));
  std::string folder = programs ? StringOf(*programs).value_or("") : std::string();
  if (folder.empty()) folder = R"(C:\Program Files)";
  return folder + std::string(kDefaultConfig);
}

std::unexpected<Error> OfTheOperator(std::string_view what, const std::string& where) {
  return Fail(Code::kOwner,
              fmt::format("{}: the Windows Machine Config Operator writes hosts.toml files by the cluster's mirrors "
                          "itself; leave out --registry-folder",
                          what),
              where);
}

// Whether containerd will look in our folder. Errors: owner (containerd is the Windows operator's); those of the ports.
Result<void> ReviewContainerd(Planner& planner) {
  machine::Registry& registry = planner.machine().registry;
  if (PROV_TRY(SeesWmcoDaemon(registry))) return OfTheOperator("containerd is the operator's here", {});
  const std::string folder = planner.desired().registry_folder.value_or("");
  const auto command_line = PROV_TRY(CommandLineOfContainerd(registry));
  const std::string remedy = fmt::format("hosts.toml has an effect only with config_path = '{}' there", folder);
  if (!command_line) {
    planner.Note({Severity::kInfo, "registries-config",
                  fmt::format("there is no service containerd here yet, so its configuration is not known; {}", remedy),
                  "containerd"});
    return {};
  }
  const std::string config = PROV_TRY(ConfigOf(registry, *command_line));
  const auto path = FullWindowsPath(config);
  if (path && IsOperatorsPath(*path)) return OfTheOperator("containerd's configuration is the operator's", *path);
  const auto note = [&](std::string_view why) {
    planner.Note({Severity::kWarning, "registries-config", fmt::format("{}; {}", why, remedy), config});
  };
  const auto text =
      path ? planner.machine().files.ReadFile(*path, kMostManagedFileBytes) : std::unexpected(path.error());
  const auto read = text && *text ? registries::ReadContainerdConfig(**text, *path)
                                  : Result<registries::ContainerdConfig>(registries::ContainerdConfig());
  if (!text || !read) {
    note(fmt::format("containerd's configuration can't be read ({})", (text ? read.error() : text.error()).message));
    return {};
  }
  for (const std::string& one : read->config_paths) {
    const auto named = FullWindowsPath(one);
    if (named && IsOperatorsPath(*named)) return OfTheOperator("config_path is the operator's", *path);
    if (named && EqualsIgnoreAsciiCase(*named, folder)) return {};
  }
  if (!read->config_paths.empty()) {
    note(fmt::format("config_path is '{}'", fmt::join(read->config_paths, ";")));
  } else if (read->imports) {
    note("names no config_path itself, and the files that it imports were not read");
  } else {
    note(*text ? "names no config_path" : "is not there, so containerd has no config_path");
  }
  return {};
}

class File final : public Kind {
 public:
  bool IsInScope(const Scope& scope) const override { return scope.registries; }
  bool Owns(std::string_view item) const override { return item.starts_with(kFileItem); }

  Result<void> Plan(Planner& planner) const override {
    if (!planner.desired().files.empty()) PROV_TRY(ReviewContainerd(planner));
    std::set<std::string, std::less<>> wanted;
    for (const FileItem& file : planner.desired().files) {
      wanted.insert(ItemOfPath(file.path));
      PROV_TRY(FilePlan(planner, file.path, PROV_TRY(ReadNow(planner.machine(), file.path))).Want(file.bytes));
    }
    // What undoes runs in reverse order: a hosts.toml goes before the CAs that it names.
    for (const bool hosts : {false, true}) {
      for (const auto& [item, entry] : planner.ledger()) {
        if (!Owns(item) || wanted.contains(item) || IsHostsToml(item) != hosts) continue;
        const std::string path = PathOf(item, entry);
        FilePlan(planner, path, PROV_TRY(ReadNow(planner.machine(), path))).LetGo();
      }
    }
    return {};
  }

  Result<std::optional<Drift>> FindDrift(machine::Machine& machine, std::string_view item,
                                         const LedgerEntry& entry) const override {
    const std::string path = PathOf(item, entry);
    const Bytes now = PROV_TRY(ReadNow(machine, path));
    const Bytes ours = BytesOf(entry.ours);
    if (now == ours) return std::nullopt;
    return DriftOf(DescribeFile(Action::kUpdate, path, ours, now), !now);
  }

  Change ChangeOf(std::string_view /*item*/, const Operation& operation) const override {
    const auto& write = std::get<FileWrite>(operation);
    return DescribeFile(ActionOf(write.before.has_value(), write.after.has_value()), write.path, write.before,
                        write.after);
  }

  void Bake(const DesiredState& /*desired*/, bool /*closed*/, images::RegKey& /*machine*/) const override {}

 private:
  // In the spelling with which it was written.
  static std::string PathOf(std::string_view item, const LedgerEntry& entry) {
    return entry.ours && !entry.ours->name.empty() ? entry.ours->name : std::string(item.substr(kFileItem.size()));
  }
  static Result<Bytes> ReadNow(machine::Machine& machine, const std::string& path) {
    return machine.files.ReadFile(path, kMostManagedFileBytes);
  }
};

}  // namespace

const Kind& FileKind() {
  static const File kind;
  return kind;
}

}  // namespace prov::reconcile
