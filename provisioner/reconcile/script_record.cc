#include "provisioner/reconcile/script_record.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "images/registry/security.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/egress_config.h"
#include "provisioner/reconcile/environment.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/service_name.h"

namespace prov::reconcile {
namespace {

using images::RegValue;
using pki::Store;

std::unexpected<Error> Refuse(const JsonNode& node, std::string message) {
  return node.Refuse(Code::kType, std::move(message) + "; the file is damaged or of a newer script");
}

// What either schema says of one item. Values have no names yet.
struct Told {
  JsonNode node;
  std::optional<RegValue> before;
  std::optional<RegValue> ours;
  std::optional<RegValue> prior;
  std::size_t own_keys = 0;                                 // how many of the last parts of its key's path
  std::optional<std::vector<std::string>> own_key_paths{};  // the same by their paths, outermost first
};

// The last `told.own_keys` parts of `key`'s path, outermost first. A path of the file's own is never taken.
Result<std::vector<std::string>> OwnKeys(const Told& told, std::string_view key) {
  std::vector<std::string> out;
  for (std::size_t left = told.own_keys; left > 0; --left) {
    out.emplace_back(key);
    const std::size_t backslash = key.rfind('\\');
    if (backslash == std::string_view::npos) return Refuse(told.node, "counts more keys than there are");
    key = key.substr(0, backslash);
  }
  std::ranges::reverse(out);
  if (told.own_key_paths && !std::ranges::equal(*told.own_key_paths, out, EqualsIgnoreAsciiCase)) {
    return Refuse(told.node, "names keys that are not the item's");
  }
  return out;
}

// What stands before the separator and what stands behind it; all of it and nothing where there is none.
std::pair<std::string, std::string> Halves(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {std::string(text), {}};
  return {std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

// ---- items, put where the ledger has them

Result<void> AddValue(ScriptRecord& out, std::string item, std::string key, std::string_view value, Told told) {
  if (!told.ours) return Refuse(told.node, "says that nothing was written");
  std::vector<std::string> own_keys = PROV_TRY(OwnKeys(told, key));
  for (std::optional<RegValue>* one : {&told.before, &told.ours, &told.prior}) {
    if (*one) (*one)->name = value;
  }
  LedgerEntry entry{std::move(told.before), std::move(told.ours), std::move(own_keys)};
  out.items.push_back({std::move(item), std::move(key), std::move(entry), std::move(told.prior)});
  return {};
}

Result<void> AddVariable(ScriptRecord& out, std::string_view given, Told told) {
  const std::string name = AsciiUpper(given);
  if (std::ranges::find(egress::kProxyVariables, name) == egress::kProxyVariables.end())
    return Refuse(told.node, "is none of the variables");
  return AddValue(out, std::string(kEnvironmentItem) + name, EnvironmentKeyPath(), name, std::move(told));
}

Result<void> AddWinHttp(ScriptRecord& out, std::string_view name, Told told) {
  const auto view = std::ranges::find(kWinHttpViews, name);
  if (view == kWinHttpViews.end()) return Refuse(told.node, "is neither 64 nor 32");
  const auto index = static_cast<std::size_t>(view - kWinHttpViews.begin());
  return AddValue(out, std::string(kWinHttpItem) + std::string(name), WinHttpKeyPath(index), kWinHttpValue,
                  std::move(told));
}

Result<void> AddService(ScriptRecord& out, std::string_view name, Told told) {
  if (!CheckServiceName(name)) return Refuse(told.node, "is not a service's name");
  return AddValue(out, std::string(kServiceItem) + ServiceNameKey(name), ServiceKeyPath(name), kServiceEnvironmentValue,
                  std::move(told));
}

// Self-relative descriptors, as values of the type REG_BINARY.
Result<void> AddSecurity(ScriptRecord& out, std::string_view name, Told told) {
  if (!CheckServiceName(name)) return Refuse(told.node, "is not a service's name");
  if (!told.before || !told.ours || !images::IsSecurityDescriptor(told.before->data) ||
      !images::IsSecurityDescriptor(told.ours->data)) {
    return Refuse(told.node, "holds no security descriptor");
  }
  return AddValue(out, std::string(kServiceSecurityItem) + ServiceNameKey(name), "", "", std::move(told));
}

// By the kinds of schema 2.
Result<void> AddItem(ScriptRecord& out, std::string_view kind, std::string_view name, Told told) {
  if (kind == "env") return AddVariable(out, name, std::move(told));
  if (kind == "winHttp") return AddWinHttp(out, name, std::move(told));
  if (kind == "service") return AddService(out, name, std::move(told));
  if (kind == "serviceSecurity") return AddSecurity(out, name, std::move(told));
  return Refuse(told.node, "is of an unknown kind");
}

// STORE, the separator and a SHA-1.
Result<ScriptCertificate> CertificateOf(std::string_view name, char separator, const JsonNode& node) {
  const auto [store, sha1] = Halves(name, separator);
  const bool known = store == NameOf(Store::kRoot) || store == NameOf(Store::kCa);
  if (!known || sha1.size() != 40 || !FromHex(sha1)) return Refuse(node, "names no certificate");
  return ScriptCertificate{store == NameOf(Store::kRoot) ? Store::kRoot : Store::kCa, AsciiUpper(sha1)};
}

// ---- schema 2: the ledger

// {"type", "hex"}; nullopt for null.
Result<std::optional<RegValue>> StoredValue(const JsonNode& parent, std::string_view name) {
  const auto node = PROV_TRY(parent.Find(name));
  if (!node) return std::nullopt;
  const std::int64_t type = PROV_TRY(PROV_TRY(node->Get("type")).Integer());
  const auto data = FromHex(PROV_TRY(PROV_TRY(node->Get("hex")).Text()));
  if (type < 0 || type > std::numeric_limits<std::uint32_t>::max() || !data) {
    return Refuse(*node, "holds no registry value");
  }
  return RegValue{"", static_cast<images::RegType>(type), *data};
}

Result<void> AddEntry(ScriptRecord& out, const std::string& item, const JsonNode& node, const JsonNode& prior) {
  const auto [kind, name] = Halves(item, ':');
  if (kind == "certificate") {
    out.certificates.push_back(PROV_TRY(CertificateOf(name, ':', node)));
    return {};
  }
  Told told{node, PROV_TRY(StoredValue(node, "before")), PROV_TRY(StoredValue(node, "ours")),
            PROV_TRY(StoredValue(prior, item))};
  told.own_key_paths.emplace();
  for (const JsonNode& own : PROV_TRY(PROV_TRY(node.Get("ownKeys")).Items())) {
    told.own_key_paths->push_back(PROV_TRY(own.Text()));
  }
  told.own_keys = told.own_key_paths->size();
  return AddItem(out, kind, name, std::move(told));
}

Result<ScriptRecord> ReadLedgerForm(const JsonNode& root) {
  ScriptRecord out;
  const JsonNode prior = PROV_TRY(root.Get("prior"));
  const JsonNode ledger = PROV_TRY(root.Get("ledger"));
  for (const auto& [item, node] : PROV_TRY(ledger.Members())) PROV_TRY(AddEntry(out, item, node, prior));
  if (const auto reboot = PROV_TRY(root.Find("reboot"))) out.reboot = PROV_TRY(reboot->Text());
  const auto generation = PROV_TRY(root.Find("generation"));
  if (!generation) return out;
  out.generation = PROV_TRY(generation->Integer());
  if (*out.generation < 0) return Refuse(*generation, "is not a generation");
  return out;
}

// ---- schema 1: a list with a record for everything, and two for each service

struct EarlierRecord {
  std::string kind, name, before, after, prior, key;
  JsonNode node;
};

// "TYPE:BYTES", both in hexadecimal, or "absent".
Result<std::optional<RegValue>> EarlierValue(const EarlierRecord& record, const std::string& text) {
  if (text == "absent") return std::nullopt;
  const std::size_t colon = text.find(':');
  const std::string type = text.substr(0, colon);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(type.data(), type.data() + type.size(), number, 16);
  const auto bytes = colon == std::string::npos ? std::nullopt : FromHex(std::string_view(text).substr(colon + 1));
  if (error != std::errc() || end != type.data() + type.size() || !bytes) {
    return Refuse(record.node, "holds no registry value");
  }
  return RegValue{"", static_cast<images::RegType>(number), *bytes};
}

// What the script wrote: never "absent".
Result<RegValue> WrittenValue(const EarlierRecord& record, const std::string& text) {
  auto value = PROV_TRY(EarlierValue(record, text));
  if (!value) return Refuse(record.node, "says that nothing was written");
  return *std::move(value);
}

// `written` is the record that has what the script wrote: of a service it is another one than that with the value.
Result<Told> EarlierItem(const EarlierRecord& record, const EarlierRecord& written) {
  Told told{record.node, PROV_TRY(EarlierValue(record, record.before)), PROV_TRY(WrittenValue(written, written.after)),
            std::nullopt};
  if (!written.prior.empty()) told.prior = PROV_TRY(WrittenValue(written, written.prior));
  if (record.key.empty()) return told;
  const bool digit = record.key.size() == 1 && record.key[0] >= '0' && record.key[0] <= '9';
  if (!digit) return Refuse(record.node, "has no number of keys");
  told.own_keys = static_cast<std::size_t>(record.key[0] - '0');
  return told;
}

Result<void> AddEarlierCertificate(ScriptRecord& out, const EarlierRecord& record) {
  ScriptCertificate certificate = PROV_TRY(CertificateOf(record.name, '/', record.node));
  if (record.before == "present") return {};  // was there before the script: nobody's to remove
  if (record.before != "absent") return Refuse(record.node, "tells neither absent nor present");
  out.certificates.push_back(std::move(certificate));
  return {};
}

Result<void> AddEarlierService(ScriptRecord& out, const EarlierRecord& record,
                               const std::vector<EarlierRecord>& records) {
  if (!CheckServiceName(record.name)) return Refuse(record.node, "is not a service's name");
  const auto ours = std::ranges::find_if(records, [&](const EarlierRecord& other) {
    return other.kind == "serviceOurs" && IsSameService(other.name, record.name);
  });
  if (ours == records.end()) return Refuse(record.node, "has no record of our entries beside it");
  return AddService(out, record.name, PROV_TRY(EarlierItem(record, *ours)));
}

Result<std::int64_t> EarlierGeneration(const EarlierRecord& record) {
  std::int64_t number = 0;
  const char* const last = record.after.data() + record.after.size();
  const auto [end, error] = std::from_chars(record.after.data(), last, number);
  if (error != std::errc() || end != last || number < 0) return Refuse(record.node, "is not a generation");
  return number;
}

Result<void> AddEarlier(ScriptRecord& out, const EarlierRecord& record, const std::vector<EarlierRecord>& records) {
  if (record.kind == "certificate") return AddEarlierCertificate(out, record);
  if (record.kind == "env") return AddVariable(out, record.name, PROV_TRY(EarlierItem(record, record)));
  if (record.kind == "winHttp") return AddWinHttp(out, record.name, PROV_TRY(EarlierItem(record, record)));
  if (record.kind == "serviceEnv") return AddEarlierService(out, record, records);
  if (record.kind == "serviceOurs") return {};  // read with its serviceEnv
  if (record.kind == "serviceAcl") return AddSecurity(out, record.name, PROV_TRY(EarlierItem(record, record)));
  if (record.kind == "generation") {
    out.generation = PROV_TRY(EarlierGeneration(record));
  } else if (record.kind == "reboot") {
    out.reboot = record.after;
  } else {
    return Refuse(record.node, "is of an unknown kind");
  }
  return {};
}

Result<ScriptRecord> ReadEarlierForm(const JsonNode& root) {
  std::vector<EarlierRecord> records;
  for (const JsonNode& node : PROV_TRY(PROV_TRY(root.Get("items")).Items())) {
    const auto text = [&](std::string_view name) -> Result<std::string> { return PROV_TRY(node.Get(name)).Text(); };
    records.push_back({PROV_TRY(text("kind")), PROV_TRY(text("name")), PROV_TRY(text("before")),
                       PROV_TRY(text("after")), PROV_TRY(text("prior")), PROV_TRY(text("key")), node});
  }
  ScriptRecord out;
  for (const EarlierRecord& record : records) PROV_TRY(AddEarlier(out, record, records));
  return out;
}

}  // namespace

Result<ScriptRecord> ReadScriptRecord(std::string_view json, std::string_view where) {
  const auto [root, schema] = PROV_TRY(ParseSchemaUpTo(2, json, where));
  return schema == 1 ? ReadEarlierForm(root) : ReadLedgerForm(root);
}

}  // namespace prov::reconcile
