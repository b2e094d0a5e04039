// The kind of files that are ours as a whole: containerd's hosts.toml and the CAs beside it. An item is a file. What is
// another program's at its place is kept in the ledger and comes back when ours is removed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
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

// Whether a hosts.toml names a file beside it as a CA. True if it can't be told.
bool MayName(const std::string& bytes, std::string_view ca_path) {
  Findings ignored;
  const auto read = registries::ReadHostsToml(bytes, "", registries::Containerd::k2, ignored);
  if (!read) return true;
  const std::string_view name = ca_path.substr(ca_path.rfind('\\') + 1);
  const auto is_it = [&](std::string_view ca) {
    return EqualsIgnoreAsciiCase(ca.substr(ca.find_last_of("/\\") + 1), name);
  };
  const auto names_it = [&](const registries::HostConfig& host) { return std::ranges::any_of(host.ca, is_it); };
  return names_it(read->server) || std::ranges::any_of(read->hosts, names_it);
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
// A type of its own says that not everybody could read it.
std::optional<RegValue> StoredAs(const std::string& path, const Bytes& bytes, bool is_closed = false) {
  if (!bytes) return std::nullopt;
  return RegValue{path, is_closed ? images::RegType::kNone : images::RegType::kBinary, *bytes};
}
bool IsClosed(const std::optional<RegValue>& value) { return value && value->type == images::RegType::kNone; }

std::string_view FolderOf(std::string_view path) { return path.substr(0, path.rfind('\\')); }
bool AreInOneFolder(std::string_view a, std::string_view b) { return EqualsIgnoreAsciiCase(FolderOf(a), FolderOf(b)); }

// What a person can do about a file that could not be read, written or removed.
std::string_view RemedyOf(Code code) {
  switch (code) {
    case Code::kOwner:
      return "let administrators alone change it and its folder, or delete it";
    case Code::kTarget:
      return "see whether its drive is there, and whether a folder is in its place";
    case Code::kLink:
      return "remove the link";
    case Code::kTooLarge:
      return "move the file away";
    default:
      return "see whether it is read-only or open in another program, and whether its volume has room";
  }
}

Finding LeftFile(const std::string& path, std::string_view what_failed, const Error& error) {
  const std::string where = error.where.empty() || error.where == path ? "" : fmt::format(" ({})", error.where);
  return {Severity::kWarning, "registry-file",
          fmt::format(
              "could not be {}: {}{}. It is left as it is, and everything else goes on; {}, then the next run tries "
              "again",
              what_failed, error.message, where, RemedyOf(error.code)),
          path};
}

using Folders = std::vector<std::string>;

// What is at a path now.
struct Present {
  Bytes bytes = {};
  bool is_closed = false;        // not everybody may read it
  Folders missing_folders = {};  // on the way to it, outermost first
};

Result<Present> ReadPresent(machine::Files& files, const std::string& path) {
  Present out{PROV_TRY(files.ReadFile(path, kMostManagedFileBytes))};
  if (out.bytes) {
    out.is_closed = !PROV_TRY(files.IsForEverybody(path));
  } else {
    out.missing_folders = PROV_TRY(MissingFolders(files, path));
  }
  return out;
}

// A file that is wanted, or one of ours that is wanted no more.
struct Place {
  std::string path;
  const std::string* wanted = nullptr;
  Result<Present> now;
};

// The words for what a file of others says and ours does not. No part of it that may hold a login.
class LostWords {
 public:
  LostWords(const std::string& path, const std::string& theirs, const std::string& ours) {
    if (!IsHostsToml(path)) {
      Add(ShowFile(path, theirs));
      return;
    }
    Findings ignored;
    const auto old = registries::ReadHostsToml(theirs, "", registries::Containerd::k2, ignored);
    const auto fresh = registries::ReadHostsToml(ours, "", registries::Containerd::k2, ignored);
    if (!old || !fresh) return;
    for (const registries::HostConfig& host : old->hosts) Compare(host, *fresh);
    Compare(old->server, *fresh);
  }

  bool empty() const { return words_.empty(); }
  std::string Text() const {
    constexpr std::size_t kMost = 8;
    const std::size_t shown = std::min(words_.size(), kMost);
    std::string out =
        fmt::format("{}", fmt::join(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (shown < words_.size()) out += fmt::format(" and {} more", words_.size() - shown);
    return out;
  }

 private:
  void Add(std::string word) {
    if (std::ranges::find(words_, word) == words_.end()) words_.push_back(std::move(word));
  }

  void Compare(const registries::HostConfig& host, const registries::HostsToml& fresh) {
    const std::string name = host.url.host.empty() ? "the registry itself" : host.url.Text();
    const auto same = std::ranges::find(fresh.hosts, host.url, &registries::HostConfig::url);
    const registries::HostConfig& ours = same == fresh.hosts.end() ? fresh.server : *same;
    const bool is_there = same != fresh.hosts.end() || host.url.host.empty() || fresh.server.url == host.url;
    if (!is_there) Add("host " + name);
    for (const auto& [header, value] : host.headers) Add(fmt::format("header {} of {}", Printable(header), name));
    if (!host.client.empty()) Add("client certificate of " + name);
    for (const std::string& ca : host.ca) {
      const bool names_it = is_there && std::ranges::find(ours.ca, ca) != ours.ca.end();
      if (!names_it) Add(fmt::format("CA {} of {}", Printable(ca), name));
    }
  }

  std::vector<std::string> words_;
};

// The folders on the way to a file that we made, for this item or for another, outermost first.
Folders OwnFolders(const Ledger& ledger, const std::string& path, const Present& present) {
  std::set<std::string> out(present.missing_folders.begin(), present.missing_folders.end());
  for (const auto& [item, entry] : ledger) {
    if (!item.starts_with(kFileItem)) continue;
    for (const std::string& folder : entry.own_keys) {
      if (!IsFolderAbove(folder, path)) continue;
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
  FilePlan(Planner& planner, const std::string& path, const Present& present)
      : planner_(planner),
        present_(present),
        path_(path),
        now_(present.bytes),
        item_(ItemOfPath(path)),
        entry_(planner.Find(item_)) {}

  // `why_not`: why it must not be written; "": it may be.
  void Want(const std::string& wanted, std::string_view why_not) {
    if (now_ == wanted) return Keep();
    if (!why_not.empty()) return Report(Action::kYield, now_, std::string(why_not));
    LedgerEntry entry = entry_ != nullptr ? *entry_ : LedgerEntry{StoredAs(path_, now_, present_.is_closed), {}, {}};
    entry.own_keys = OwnFolders(planner_.ledger(), path_, present_);
    entry.ours = StoredAs(path_, wanted);
    FileWrite write{path_, now_, wanted, entry.own_keys, item_};
    write.is_before_closed = present_.is_closed;
    planner_.Add(std::move(write));
    planner_.Own(item_, std::move(entry));
    const bool drifted = entry_ != nullptr && !IsOurs();
    if (now_ && (entry_ == nullptr || drifted)) NoteReplaced(wanted);
    std::string_view reason = drifted ? (now_ ? "was changed since we set it" : "was removed since we set it") : "";
    if (now_ && entry_ == nullptr) reason = "replaces another program's file, which comes back when ours is removed";
    Report(now_ ? Action::kUpdate : Action::kCreate, wanted, std::string(reason));
  }

  void LetGo() {
    planner_.Disown(item_);
    if (!IsOurs()) {
      // A removal that failed may have left its folders.
      const bool has_folders = !now_ && present_.missing_folders.size() < entry_->own_keys.size();
      if (has_folders) planner_.AddUndo(FileWrite{path_, {}, {}, entry_->own_keys, item_});
      return Report(Action::kYield, now_, now_ ? "was changed since we set it; left as it is" : "is gone already");
    }
    const Bytes before = BytesOf(entry_->before);
    FileWrite write{path_, now_, before, entry_->own_keys, item_};
    write.is_before_closed = present_.is_closed;
    write.is_after_closed = IsClosed(entry_->before);
    planner_.AddUndo(std::move(write));
    Report(before ? Action::kUpdate : Action::kDelete, before,
           before ? "what was there before us" : "no longer wanted");
  }

  // Leaves it to others for good, or for a later run to try again.
  void Yield(std::string_view reason, bool for_good) {
    if (for_good) planner_.Disown(item_);
    Report(Action::kYield, now_, std::string(reason));
  }

  bool IsOurs() const { return entry_ != nullptr && now_ && now_ == BytesOf(entry_->ours); }

 private:
  // Others may have written what is wanted now: then it is what we left there.
  void Keep() {
    const bool adopt = !IsOurs() && planner_.options().adopt;
    if (adopt || (entry_ != nullptr && !IsOurs())) {
      LedgerEntry entry = entry_ != nullptr ? *entry_ : LedgerEntry();
      entry.ours = StoredAs(path_, now_);
      planner_.Own(item_, std::move(entry));
    }
    Report(adopt ? Action::kAdopt : Action::kNone, now_, adopt ? std::string(planner_.options().adopt_reason) : "");
  }

  // A person finds out here, and not from pulls that fail, that a login or a client's certificate no longer counts.
  void NoteReplaced(const std::string& wanted) {
    const LostWords lost(path_, *now_, wanted);
    const bool is_change_of_ours = entry_ != nullptr;
    if (is_change_of_ours && lost.empty()) return;
    planner_.Note({Severity::kWarning, "registry-file-replaced",
                   fmt::format("{}{}{}",
                               is_change_of_ours ? "was changed by hand since we set it, and is replaced"
                                                 : "is another program's, and is replaced until ours is removed",
                               lost.empty() ? "" : "; what no longer counts: ", lost.Text()),
                   path_});
  }

  void Report(Action action, const Bytes& after, std::string reason) {
    planner_.Report(item_, DescribeFile(action, path_, now_, after, std::move(reason)));
  }

  Planner& planner_;
  const Present& present_;
  const std::string& path_;
  const Bytes& now_;
  std::string item_;
  const LedgerEntry* entry_;
};

// Errors: owner (containerd is the Windows operator's); the fault of the files; those of the ports.
Result<void> ReviewContainerd(Planner& planner) {
  if (planner.desired().files_fault) return std::unexpected(*planner.desired().files_fault);
  if (planner.desired().files.empty()) return {};
  const ContainerdFolders containerd = PROV_TRY(ReadContainerdFolders(planner.machine()));
  if (!containerd.of_operator.empty()) {
    return Fail(Code::kOwner,
                fmt::format("containerd is the Windows Machine Config Operator's ({}), which writes hosts.toml files "
                            "by the cluster's mirrors itself; leave out --registry-folder",
                            containerd.of_operator),
                containerd.config);
  }
  if (auto finding = ReviewRegistryFolder(containerd, planner.desired().registry_folder.value_or("")))
    planner.Note(*std::move(finding));
  return {};
}

constexpr std::string_view kBesideOthers = "stays, because the hosts.toml beside it was changed, and stays";
constexpr std::string_view kBesideLeft = "stays, because the hosts.toml beside it could not be changed";
constexpr std::string_view kCaIsLeft = "is left as it is, because a CA beside it could not be written";
constexpr std::string_view kNotStated = "is left as it is, because the source does not speak of what it rests on";

// What a source that speaks of mirrors alone, or of CAs alone, leaves as it is.
class Unstated {
 public:
  Unstated(StatedOfRegistries stated, const std::vector<Place>& places) : stated_(stated) {
    for (const Place& place : places) {
      if (place.wanted == nullptr && !IsHostsToml(place.path)) with_ca_.insert(AsciiLower(FolderOf(place.path)));
    }
  }

  // Why a file stays, or is not written; "": the source speaks of all that it rests on. A hosts.toml in a folder with a
  // CA of ours has to name it.
  std::string_view WhyKept(const Place& place) const {
    const bool is_hosts = IsHostsToml(place.path);
    if (stated_ == StatedOfRegistries::kAll) return {};
    if (place.wanted == nullptr) return is_hosts == (stated_ == StatedOfRegistries::kCas) ? kNotStated : "";
    const bool rests_on_ca = is_hosts && stated_ == StatedOfRegistries::kMirrors;
    return rests_on_ca && with_ca_.contains(AsciiLower(FolderOf(place.path))) ? kNotStated : "";
  }

  // registries-kept; nullopt: no file of ours is left so.
  std::optional<Finding> Review(const std::vector<Place>& places, std::string folder) const {
    const auto kept = std::ranges::count_if(places, [&](const Place& place) {
      const bool is_as_wanted = place.wanted != nullptr && place.now && place.now->bytes == *place.wanted;
      return !is_as_wanted && !WhyKept(place).empty();
    });
    if (kept == 0) return std::nullopt;
    const bool only_mirrors = stated_ == StatedOfRegistries::kMirrors;
    return Finding{Severity::kWarning, "registries-kept",
                   fmt::format("the source speaks of {}, so {} file{} of ours that rest{} on {} {} left as {}; give a "
                               "source with both, or first take all of them away (apply --scope registries without "
                               "--registry-folder)",
                               only_mirrors ? "mirrors and not of CAs for single registries"
                                            : "CAs for single registries and not of mirrors",
                               kept, kept == 1 ? "" : "s", kept == 1 ? "s" : "", only_mirrors ? "such CAs" : "mirrors",
                               kept == 1 ? "is" : "are", kept == 1 ? "it is" : "they are"),
                   std::move(folder)};
  }

 private:
  StatedOfRegistries stated_;
  std::set<std::string> with_ca_;  // folders in lower case
};

// The folders of registries in which something stays that is not as we left it. containerd refuses a whole hosts.toml
// if a CA that it names is not there.
class KeptFolders {
 public:
  KeptFolders(Planner& planner, const std::vector<Place>& places, const Unstated& unstated) : planner_(planner) {
    for (const Place& place : places) {
      const std::string folder = AsciiLower(FolderOf(place.path));
      if (!IsHostsToml(place.path)) {
        if (place.wanted != nullptr && !place.now) without_ca_.insert(folder);
      } else if (!place.now) {
        hosts_[folder] = kBesideLeft;
      } else if (const std::string_view why = unstated.WhyKept(place); !why.empty()) {
        hosts_[folder] = why;
      } else if (place.wanted != nullptr || !place.now->bytes) {
        hosts_[folder] = "";
      } else {
        hosts_[folder] = FilePlan(planner, place.path, *place.now).IsOurs() ? "" : kBesideOthers;
      }
    }
    // A hosts.toml that is to name a CA is not written, so the old one stays, too.
    for (const std::string& folder : without_ca_) {
      if (hosts_.contains(folder)) hosts_[folder] = kBesideLeft;
    }
  }

  // Why a CA must not be taken away; "": it may be. One beside a hosts.toml that was never ours, or that came back when
  // ours was removed, matters to that one only if it is named there.
  std::string_view WhyCaStays(const std::string& path) {
    const std::string folder = AsciiLower(FolderOf(path));
    if (const auto known = hosts_.find(folder); known != hosts_.end()) return known->second;
    auto others = others_.find(folder);
    if (others == others_.end()) {
      const std::string hosts = fmt::format("{}\\{}", FolderOf(path), registries::kHostsFile);
      others = others_.emplace(folder, planner_.machine().files.ReadFile(hosts, kMostManagedFileBytes)).first;
    }
    if (!others->second) return kBesideLeft;
    return *others->second && MayName(**others->second, path) ? kBesideOthers : std::string_view();
  }

  bool LacksCa(const std::string& path) const { return without_ca_.contains(AsciiLower(FolderOf(path))); }

 private:
  Planner& planner_;
  // By folder in lower case: why the CAs beside a hosts.toml of the plan stay, and other files of that name.
  std::map<std::string, std::string_view> hosts_;
  std::map<std::string, Result<Bytes>> others_;
  std::set<std::string> without_ca_;
};

class File final : public Kind {
 public:
  bool IsInScope(const Scope& scope) const override { return scope.registries; }
  bool Owns(std::string_view item) const override { return item.starts_with(kFileItem); }

  // A file that can't be read is left, with a finding: the rest of the node matters more. Everything is read before
  // anything is planned, because what becomes of a file depends on those beside it.
  Result<void> Plan(Planner& planner) const override {
    if (auto reviewed = ReviewContainerd(planner); !reviewed) {
      if (!planner.options().leaves_out_refused) return reviewed;
      // The proxy and the certificates of a node matter more than its mirrors.
      planner.Note({Severity::kWarning, "registries-refused",
                    fmt::format("the hosts.toml files are left as they are: {}", reviewed.error().message),
                    reviewed.error().where});
      return {};
    }
    const std::vector<Place> places = PROV_TRY(ReadPlaces(planner));
    PROV_TRY(CheckTarget(planner));
    const Unstated unstated(planner.desired().stated_of_registries, places);
    if (auto kept = unstated.Review(places, planner.desired().registry_folder.value_or("")))
      planner.Note(*std::move(kept));
    KeptFolders folders(planner, places, unstated);
    for (const Place& place : places) {
      if (place.wanted != nullptr) PlanWanted(planner, place, folders, unstated.WhyKept(place));
    }
    // What undoes runs in reverse order: a hosts.toml goes before the CAs that it names.
    for (const bool hosts : {false, true}) {
      for (const Place& place : places) {
        if (place.wanted == nullptr && IsHostsToml(place.path) == hosts)
          PlanUnwanted(planner, place, folders, unstated.WhyKept(place));
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

  // A file of a registry that can't be written must not keep a node from its proxy. It is left as it is, or made again
  // by a later run.
  std::optional<Finding> MayFail(const Operation& operation, const Error& error) const override {
    constexpr std::array kCodes = {Code::kIo, Code::kOwner, Code::kTarget, Code::kLink, Code::kTooLarge};
    if (std::ranges::find(kCodes, error.code) == kCodes.end()) return std::nullopt;
    const auto& write = std::get<FileWrite>(operation);
    return LeftFile(write.path, write.after ? "written" : "removed", error);
  }

  bool IsAtomic() const override { return true; }

  std::optional<LedgerEntry> OursAfterFailure(const Operation& back) const override {
    const auto& write = std::get<FileWrite>(back);
    if (!write.before) return std::nullopt;
    return LedgerEntry{StoredAs(write.path, write.after, write.is_after_closed), StoredAs(write.path, write.before),
                       write.own_folders};
  }

  // containerd refuses a whole hosts.toml if a CA that it names is not there.
  std::string_view WhyKept(const Operation& operation, const std::vector<Operation>& left) const override {
    const auto* write = std::get_if<FileWrite>(&operation);
    if (write == nullptr) return {};
    const bool is_hosts = IsHostsToml(write->path);
    for (const Operation& other : left) {
      const auto* one = std::get_if<FileWrite>(&other);
      if (one == nullptr || !AreInOneFolder(one->path, write->path) || IsHostsToml(one->path) == is_hosts) continue;
      const bool failed = one->before != one->after;
      if (is_hosts && write->after && (failed || !one->after)) return kCaIsLeft;
      if (!is_hosts && (failed || one->after)) return failed ? kBesideLeft : kBesideOthers;
    }
    return {};
  }

  void Bake(const DesiredState& /*desired*/, bool /*closed*/, images::RegKey& /*machine*/) const override {}

 private:
  // In the spelling with which it was written. The record of an image may come from others. Errors: type.
  static Result<std::string> PathOf(std::string_view item, const LedgerEntry& entry) {
    std::string path = entry.ours ? entry.ours->name : std::string();
    const bool is_known =
        IsManagedFile(path) && ItemOfPath(path) == item &&
        std::ranges::all_of(entry.own_keys, [&](const std::string& folder) { return IsFolderAbove(folder, path); });
    if (!is_known) return UnknownItem(item);
    return path;
  }

  // Errors: type (the ledger).
  static Result<std::vector<Place>> ReadPlaces(Planner& planner) {
    machine::Files& files = planner.machine().files;
    std::vector<Place> out;
    std::set<std::string, std::less<>> items;
    out.reserve(planner.desired().files.size() + planner.ledger().size());
    for (const FileItem& file : planner.desired().files) {
      items.insert(ItemOfPath(file.path));
      out.push_back({file.path, &file.bytes, ReadPresent(files, file.path)});
    }
    for (const auto& [item, entry] : planner.ledger()) {
      if (!item.starts_with(kFileItem) || items.contains(item)) continue;
      std::string path = PROV_TRY(PathOf(item, entry));
      Result<Present> now = ReadPresent(files, path);
      out.push_back({std::move(path), nullptr, std::move(now)});
    }
    return out;
  }

  // A drive that an image does not have is a slip of the one who named it. Errors: target.
  static Result<void> CheckTarget(Planner& planner) {
    const std::optional<std::string>& folder = planner.desired().registry_folder;
    if (!folder || planner.options().leaves_out_refused) return {};
    auto there = planner.machine().files.FolderExists(*folder);
    if (!there && there.error().code == Code::kTarget) return std::unexpected(std::move(there).error());
    return {};
  }

  // What is ours stays so: a later run may read it again.
  static void ReportUnread(Planner& planner, const Place& place) {
    planner.Note(LeftFile(place.path, "read", place.now.error()));
    planner.Report(ItemOfPath(place.path), DescribeFile(Action::kYield, place.path, {}, {},
                                                        fmt::format("is left as it is, because it can't be read: {}",
                                                                    place.now.error().message)));
  }

  static void PlanWanted(Planner& planner, const Place& place, const KeptFolders& folders, std::string_view unstated) {
    if (!place.now) return ReportUnread(planner, place);
    const bool lacks_ca = IsHostsToml(place.path) && folders.LacksCa(place.path);
    FilePlan(planner, place.path, *place.now).Want(*place.wanted, lacks_ca ? kCaIsLeft : unstated);
  }

  static void PlanUnwanted(Planner& planner, const Place& place, KeptFolders& folders, std::string_view unstated) {
    if (!place.now) return ReportUnread(planner, place);
    FilePlan plan(planner, place.path, *place.now);
    if (!unstated.empty()) return plan.Yield(unstated, false);
    const std::string_view why = IsHostsToml(place.path) ? std::string_view() : folders.WhyCaStays(place.path);
    if (why.empty() || !plan.IsOurs()) return plan.LetGo();
    plan.Yield(why, why == kBesideOthers);
  }
};

}  // namespace

const Kind& FileKind() {
  static const File kind;
  return kind;
}

}  // namespace prov::reconcile
