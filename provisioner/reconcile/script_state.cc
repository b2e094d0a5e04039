#include "provisioner/reconcile/script_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "images/registry/security.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/reconcile/environment.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/operation.h"
#include "provisioner/reconcile/reboot.h"
#include "provisioner/reconcile/service_name.h"
#include "provisioner/reconcile/transaction.h"

namespace prov::reconcile {
namespace {

using images::RegValue;
using pki::Store;

constexpr std::string_view kAbsent = "absent";
constexpr std::string_view kPresent = "present";

// One record, all of its fields as text; the comment "records" in the script says what they mean.
struct Record {
  std::string kind, name, before, after, prior, key;
  JsonNode node;

  std::unexpected<Error> Refuse(std::string message) const {
    return node.Refuse(Code::kType, std::move(message) + "; the file is damaged or of a newer script");
  }
};

// A value that the script wrote, or found: `prior` is what it wrote before `after`, where it may have been cut short.
struct ScriptValue {
  std::string key;
  std::string value;
  std::optional<RegValue> prior;
};

struct Import {
  ScriptState state;
  std::map<std::string, ScriptValue, std::less<>> places;  // by item
};

// "TYPE:BYTES", both in hexadecimal, or "absent".
Result<std::optional<RegValue>> ValueOf(const Record& record, const std::string& text, std::string_view name) {
  if (text == kAbsent) return std::nullopt;
  const std::size_t colon = text.find(':');
  const std::string type = text.substr(0, colon);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(type.data(), type.data() + type.size(), number, 16);
  const auto bytes = colon == std::string::npos ? std::nullopt : FromHex(std::string_view(text).substr(colon + 1));
  if (error != std::errc() || end != type.data() + type.size() || !bytes) {
    return record.Refuse("holds no registry value");
  }
  return RegValue{std::string(name), static_cast<images::RegType>(number), *bytes};
}

// What the script wrote: never "absent".
Result<RegValue> WrittenValue(const Record& record, const std::string& text, std::string_view name) {
  auto value = PROV_TRY(ValueOf(record, text, name));
  if (!value) return record.Refuse("says that nothing was written");
  return *std::move(value);
}

// The last `record.key` parts of `key`'s path were not there before, outermost first.
Result<std::vector<std::string>> OwnKeys(const Record& record, const std::string& key) {
  std::vector<std::string> out;
  if (record.key.empty()) return out;
  const bool digit = record.key.size() == 1 && record.key[0] >= '0' && record.key[0] <= '9';
  if (!digit) return record.Refuse("has no number of keys");
  std::string_view path = key;
  for (int levels = record.key[0] - '0'; levels > 0; --levels) {
    out.emplace_back(path);
    const std::size_t backslash = path.rfind('\\');
    if (backslash == std::string_view::npos) return record.Refuse("counts more keys than there are");
    path = path.substr(0, backslash);
  }
  std::ranges::reverse(out);
  return out;
}

class Importer {
 public:
  explicit Importer(machine::CertificateStore& certificates) : certificates_(certificates) {}

  Result<Import> Run(const std::vector<Record>& records) && {
    for (const Record& record : records) PROV_TRY(Add(record, records));
    return std::move(out_);
  }

 private:
  Result<void> Add(const Record& record, const std::vector<Record>& records) {
    if (record.kind == "certificate") return Certificate(record);
    if (record.kind == "env") return Variable(record);
    if (record.kind == "winHttp") return WinHttp(record);
    if (record.kind == "serviceEnv") return Service(record, records);
    if (record.kind == "serviceOurs") return {};  // read with its serviceEnv
    if (record.kind == "serviceAcl") return Security(record);
    if (record.kind == "generation") return Generation(record);
    if (record.kind != "reboot") return record.Refuse("is of an unknown kind");
    out_.state.reboot = record.after;
    return {};
  }

  Result<void> Certificate(const Record& record) {
    const std::size_t slash = record.name.find('/');
    const std::string store_name = record.name.substr(0, slash);
    const std::string sha1 = slash == std::string::npos ? "" : record.name.substr(slash + 1);
    const bool known = store_name == NameOf(Store::kRoot) || store_name == NameOf(Store::kCa);
    if (!known || sha1.size() != 40 || !FromHex(sha1)) return record.Refuse("names no certificate");
    if (record.before == kPresent) return {};  // was there before the script: nobody's to remove
    if (record.before != kAbsent) return record.Refuse("tells neither absent nor present");
    const Store store = store_name == NameOf(Store::kRoot) ? Store::kRoot : Store::kCa;
    const std::string thumbprint = AsciiUpper(sha1);
    auto der = PROV_TRY(certificates_.Find(store, sha1));
    if (!der) {
      out_.state.gone.push_back({ItemKind::kCertificate, store_name + " " + thumbprint, true});
      return {};
    }
    out_.state.ledger[CertificateItemName(store, thumbprint)] = {
        std::nullopt, RegValue{thumbprint, images::RegType::kBinary, *std::move(der)}, {}};
    return {};
  }

  Result<void> Variable(const Record& record) {
    constexpr std::array<std::string_view, 3> kVariables = {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"};
    const std::string name = AsciiUpper(record.name);
    if (std::ranges::find(kVariables, name) == kVariables.end()) return record.Refuse("is none of the variables");
    return Value(record, std::string(kEnvironmentItem) + name, EnvironmentKeyPath(), name);
  }

  Result<void> WinHttp(const Record& record) {
    const auto view = std::ranges::find(kWinHttpViews, record.name);
    if (view == kWinHttpViews.end()) return record.Refuse("is neither 64 nor 32");
    const auto index = static_cast<std::size_t>(view - kWinHttpViews.begin());
    return Value(record, std::string(kWinHttpItem) + record.name, WinHttpKeyPath(index), kWinHttpValue);
  }

  Result<void> Value(const Record& record, const std::string& item, const std::string& key, std::string_view value) {
    LedgerEntry entry;
    entry.before = PROV_TRY(ValueOf(record, record.before, value));
    entry.ours = PROV_TRY(WrittenValue(record, record.after, value));
    entry.own_keys = PROV_TRY(OwnKeys(record, key));
    ScriptValue place{key, std::string(value), std::nullopt};
    if (!record.prior.empty()) place.prior = PROV_TRY(WrittenValue(record, record.prior, value));
    out_.state.ledger[item] = std::move(entry);
    out_.places[item] = std::move(place);
    return {};
  }

  Result<void> Service(const Record& record, const std::vector<Record>& records) {
    if (!CheckServiceName(record.name)) return record.Refuse("is not a service's name");
    const auto ours = std::ranges::find_if(records, [&](const Record& other) {
      return other.kind == "serviceOurs" && IsSameService(other.name, record.name);
    });
    if (ours == records.end()) return record.Refuse("has no record of our entries beside it");
    const std::string item = std::string(kServiceItem) + ServiceNameKey(record.name);
    ScriptValue place{ServiceKeyPath(record.name), std::string(kServiceEnvironmentValue), std::nullopt};
    LedgerEntry entry;
    entry.before = PROV_TRY(ValueOf(record, record.before, kServiceEnvironmentValue));
    entry.ours = PROV_TRY(WrittenValue(*ours, ours->after, kServiceEnvironmentValue));
    if (!ours->prior.empty()) place.prior = PROV_TRY(WrittenValue(*ours, ours->prior, kServiceEnvironmentValue));
    out_.state.ledger[item] = std::move(entry);
    out_.places[item] = std::move(place);
    return {};
  }

  // Self-relative descriptors, as values of the type REG_BINARY.
  Result<void> Security(const Record& record) {
    if (!CheckServiceName(record.name)) return record.Refuse("is not a service's name");
    LedgerEntry entry{
        PROV_TRY(ValueOf(record, record.before, "")), PROV_TRY(WrittenValue(record, record.after, "")), {}};
    if (!entry.before || !images::IsSecurityDescriptor(entry.before->data) ||
        !images::IsSecurityDescriptor(entry.ours->data)) {
      return record.Refuse("holds no security descriptor");
    }
    out_.state.ledger[std::string(kServiceSecurityItem) + ServiceNameKey(record.name)] = std::move(entry);
    return {};
  }

  Result<void> Generation(const Record& record) {
    std::int64_t number = 0;
    const char* const last = record.after.data() + record.after.size();
    const auto [end, error] = std::from_chars(record.after.data(), last, number);
    if (error != std::errc() || end != last || number < 0) return record.Refuse("is no generation");
    out_.state.generation = number;
    return {};
  }

  machine::CertificateStore& certificates_;
  Import out_;
};

Result<std::vector<Record>> ReadRecords(std::string_view json, std::string_view where) {
  std::vector<Record> out;
  const JsonNode root = PROV_TRY(ParseSchemaOne(json, where));
  for (const JsonNode& node : PROV_TRY(PROV_TRY(root.Get("items")).Items())) {
    const auto text = [&](std::string_view name) -> Result<std::string> { return PROV_TRY(node.Get(name)).Text(); };
    out.push_back({PROV_TRY(text("kind")), PROV_TRY(text("name")), PROV_TRY(text("before")), PROV_TRY(text("after")),
                   PROV_TRY(text("prior")), PROV_TRY(text("key")), node});
  }
  return out;
}

// Whether the machine still holds what was written before: all of it and not all of the newer.
Result<bool> IsPrior(machine::Registry& registry, const ScriptValue& place, const RegValue& ours) {
  const auto now = PROV_TRY(registry.Read(place.key, place.value));
  if (!place.prior || !now) return false;
  const auto same = [&](const RegValue& value) { return now->type == value.type && now->data == value.data; };
  if (place.value != kServiceEnvironmentValue) return same(*place.prior);
  const auto entries = ServiceEntries(now).value_or(std::vector<std::string>());
  const auto holds = [&](const RegValue& value) {
    const auto wanted = ServiceEntries(value).value_or(std::vector<std::string>());
    return std::ranges::all_of(wanted,
                               [&](const auto& one) { return std::ranges::find(entries, one) != entries.end(); });
  };
  return holds(*place.prior) && !holds(ours);
}

// The script's name of this boot; "" where Windows has no counter of boots.
Result<std::string> ScriptsBootName(machine::Registry& registry) {
  const auto counter = PROV_TRY(registry.Read(
      R"(SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters)", "BootId"));
  if (!counter) return std::string();
  return fmt::format("counter {:x}:{}", static_cast<std::uint32_t>(counter->type), ToHex(counter->data));
}

Result<std::optional<std::vector<Record>>> LoadRecords(machine::StateFolder& state) {
  std::optional<Error> damaged;
  for (const std::string_view file : {kScriptStateFile, kScriptStateNewFile, kScriptStateOldFile}) {
    const auto text = PROV_TRY(state.Read(file));
    if (!text) continue;
    auto records = ReadRecords(*text, file);
    if (records) return *std::move(records);
    // A torn new one alone is a run that was killed before it changed anything.
    if (!damaged && file != kScriptStateNewFile) damaged = std::move(records).error();
  }
  if (damaged) return std::unexpected(*std::move(damaged));
  return std::nullopt;
}

Result<std::optional<Import>> Load(machine::Machine& machine) {
  const auto records = PROV_TRY(LoadRecords(machine.state.folder()));
  if (!records) return std::nullopt;
  return PROV_TRY(Importer(machine.certificates).Run(*records));
}

// Only a damaged record needs one: what a port says stands for itself.
Error WithRemedy(Error error) {
  if (error.code != Code::kJson && error.code != Code::kType && error.code != Code::kVersion) return error;
  error.message = fmt::format(
      "the record of a payload's script can't be read ({}), and only it says what the script set on this machine and "
      "what was there before, so nothing was changed: restore it from a backup, or undo by hand what the script set "
      "and delete {} with its .new and .old; then run this again",
      error.message, kScriptStatePlace);
  return error;
}

}  // namespace

Result<std::optional<ScriptState>> LoadScriptState(machine::Machine& machine) {
  auto import = Load(machine);
  if (!import) return std::unexpected(WithRemedy(std::move(import).error()));
  if (!*import) return std::nullopt;
  ScriptState& state = (*import)->state;
  for (const auto& [item, place] : (*import)->places) {
    LedgerEntry& entry = state.ledger[item];
    if (PROV_TRY(IsPrior(machine.registry, place, *entry.ours))) entry.ours = place.prior;
  }
  return std::move(state);
}

// Where Windows has no counter it can't be told: a reboot too many is the lesser harm.
Result<bool> ScriptNeedsReboot(machine::Machine& machine, const ScriptState& script) {
  if (script.reboot.empty() || PROV_TRY(machine.system.BootId()).empty()) return false;
  const std::string boot = PROV_TRY(ScriptsBootName(machine.registry));
  return boot.empty() || boot == script.reboot;
}

Result<void> RemoveScriptState(machine::StateFolder& state) {
  for (const std::string_view file : {kScriptStateOldFile, kScriptStateNewFile, kScriptStateFile}) {
    if (PROV_TRY(state.Read(file))) PROV_TRY(state.Remove(file));
  }
  return {};
}

}  // namespace prov::reconcile
