#include "provisioner/reconcile/script_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "images/registry/hive_format.h"
#include "images/registry/security.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/reconcile/environment.h"
#include "provisioner/reconcile/execute.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/kind.h"
#include "provisioner/reconcile/operation.h"
#include "provisioner/reconcile/reboot.h"

namespace prov::reconcile {
namespace {

using images::RegValue;

std::unexpected<Error> Refuse(const JsonNode& node, std::string message) {
  return node.Refuse(Code::kType, std::move(message) + "; the file is damaged or of a newer script");
}

// Where an item's value is; nullopt: the script sets no such item. The record names items, never registry paths: it may
// come with an image that is not trusted.
std::optional<ScriptPlace> PlaceOf(std::string_view item) {
  const Result<const Kind*> kind = KindOf(item);
  return kind ? (**kind).PlaceInScript(item) : std::nullopt;
}

// The keys that were made for an item, outermost first: they must be the last parts of the item's own path.
Result<std::vector<std::string>> ReadOwnKeys(const JsonNode& node, std::string_view path) {
  std::vector<std::string> out;
  const std::vector<JsonNode> keys = PROV_TRY(node.Get("ownKeys", &JsonNode::Items));
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    if (path.empty() || !EqualsIgnoreAsciiCase(PROV_TRY(key->Text()), path)) {
      return Refuse(*key, "is none of the item's keys");
    }
    out.emplace_back(path);
    const std::size_t backslash = path.rfind('\\');
    path = backslash == std::string_view::npos ? std::string_view() : path.substr(0, backslash);
  }
  std::ranges::reverse(out);
  return out;
}

struct ScriptItem {
  ScriptPlace place;
  LedgerEntry entry;
  std::optional<RegValue> prior;  // what the script wrote before `entry.ours`, if it may have been cut short
};

Result<void> CheckContents(const JsonNode& node, const ScriptItem& read) {
  const LedgerEntry& entry = read.entry;
  if (!entry.ours) return Refuse(node, "says that nothing was written");
  const std::string& item = read.place.item;
  if (item.starts_with(kCertificateItem) && !item.ends_with(ToHex(Sha1(entry.ours->data)))) {
    return Refuse(node, "does not hold the certificate that its key names");
  }
  const bool descriptors = entry.before && images::IsSecurityDescriptor(entry.before->data) &&
                           images::IsSecurityDescriptor(entry.ours->data);
  if (item.starts_with(kServiceSecurityItem) && !descriptors) return Refuse(node, "holds no security descriptor");
  return {};
}

Result<ScriptItem> ReadItem(const JsonNode& node) {
  const JsonNode key = PROV_TRY(node.Get("key"));
  const auto place = PlaceOf(PROV_TRY(key.Text()));
  if (!place) return Refuse(key, "names no item that a script sets");
  ScriptItem out{*place, {}, PROV_TRY(ReadStored(node, "prior"))};
  out.entry = {PROV_TRY(ReadStored(node, "before")), PROV_TRY(ReadStored(node, "ours")),
               PROV_TRY(ReadOwnKeys(node, place->key))};
  PROV_TRY(CheckContents(node, out));
  if (place->key.empty()) return out;
  for (std::optional<RegValue>* value : {&out.entry.before, &out.entry.ours, &out.prior}) {
    if (*value) (*value)->name = place->value;
  }
  return out;
}

struct ScriptRecord {
  std::vector<ScriptItem> items;
  std::int64_t generation = 0;
  std::string reboot;
};

Result<ScriptRecord> ReadRecord(std::string_view json, std::string_view where) {
  const JsonNode root = PROV_TRY(ParseSchemaOne(json, where));
  ScriptRecord out;
  out.generation = PROV_TRY(root.Get("generation", &JsonNode::Integer));
  out.reboot = PROV_TRY(root.Get("reboot", &JsonNode::Text));
  for (const JsonNode& node : PROV_TRY(root.Get("items", &JsonNode::Items))) {
    out.items.push_back(PROV_TRY(ReadItem(node)));
  }
  return out;
}

// Whether the machine still holds the prior value. In a service's list: all prior entries, but not all new ones.
Result<bool> IsPrior(machine::Registry& registry, const ScriptItem& item) {
  if (!item.prior) return false;
  const RegValue& ours = *item.entry.ours;
  const auto now = PROV_TRY(registry.Read(item.place.key, ours.name));
  if (!now || !item.place.item.starts_with(kServiceItem)) return now && SameContent(now, item.prior);
  const std::vector<std::string> entries = EntriesIn(now);
  return HoldsEntries(entries, EntriesIn(item.prior)) && !HoldsEntries(entries, EntriesIn(ours));
}

// The name that the script gives to this boot; "" if Windows has no boot counter.
Result<std::string> ScriptsBootName(machine::Registry& registry) {
  const auto counter = PROV_TRY(registry.Read(
      R"(SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters)", "BootId"));
  if (!counter || counter->data.size() != sizeof(std::uint32_t)) return std::string();
  return fmt::format("counter {}", images::regf::Load32(counter->data, 0));
}

Result<std::optional<ScriptRecord>> LoadRecord(machine::StateFolder& state) {
  const auto text = PROV_TRY(state.Read(kScriptStateFile));
  if (text) return PROV_TRY(ReadRecord(*text, kScriptStateFile));
  const auto fresh = PROV_TRY(state.Read(kScriptStateNewFile));
  if (!fresh) return std::nullopt;
  auto record = ReadRecord(*fresh, kScriptStateNewFile);
  if (record) return *std::move(record);
  if (record.error().code == Code::kVersion) return std::unexpected(std::move(record).error());
  return std::nullopt;  // an incomplete new file alone: the script was killed before it changed anything
}

// Adds a remedy to errors about a damaged record. The errors of a port need none.
Error WithRemedy(Error error) {
  if (error.code != Code::kJson && error.code != Code::kType) return error;
  error.message = fmt::format(
      "the record of a payload's script can't be read ({}), and only it says what the script set on this machine and "
      "what was there before, so nothing was changed: restore it from a backup, or undo by hand what the script set "
      "and delete {}; then run this again",
      error.message, kScriptStatePlace);
  return error;
}

}  // namespace

Result<std::optional<ScriptState>> LoadScriptState(machine::Machine& machine) {
  auto record = LoadRecord(machine.state.folder());
  if (!record) return std::unexpected(WithRemedy(std::move(record).error()));
  if (!*record) return std::nullopt;
  ScriptState out;
  out.generation = (*record)->generation;
  out.reboot = std::move((*record)->reboot);
  for (ScriptItem& item : (*record)->items) {
    if (PROV_TRY(IsPrior(machine.registry, item))) item.entry.ours = std::move(item.prior);
    out.ledger[std::move(item.place.item)] = std::move(item.entry);
  }
  return out;
}

// Without a boot counter, assume that a reboot is needed: one too many does less harm than one too few.
Result<bool> ScriptNeedsReboot(machine::Machine& machine, const ScriptState& script) {
  if (script.reboot.empty() || PROV_TRY(machine.system.BootId()).empty()) return false;
  const std::string boot = PROV_TRY(ScriptsBootName(machine.registry));
  return boot.empty() || boot == script.reboot;
}

Result<void> RemoveScriptState(machine::StateFolder& state) {
  for (const std::string_view file : {kScriptStateNewFile, kScriptStateFile}) {
    if (PROV_TRY(state.Read(file))) PROV_TRY(state.Remove(file));
  }
  return {};
}

}  // namespace prov::reconcile
