#include "provisioner/reconcile/script_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/text.h"
#include "provisioner/reconcile/environment.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/reboot.h"
#include "provisioner/reconcile/script_record.h"

namespace prov::reconcile {
namespace {

using images::RegValue;

// Whether the machine still holds what was written before: all of it and not all of the newer.
Result<bool> IsPrior(machine::Registry& registry, const ScriptItem& item) {
  if (!item.prior) return false;
  const RegValue& ours = *item.entry.ours;
  const auto now = PROV_TRY(registry.Read(item.key, ours.name));
  if (!now) return false;
  const auto same = [&](const RegValue& value) { return now->type == value.type && now->data == value.data; };
  if (ours.name != kServiceEnvironmentValue) return same(*item.prior);
  const auto entries = ServiceEntries(now).value_or(std::vector<std::string>());
  const auto holds = [&](const RegValue& value) {
    const auto wanted = ServiceEntries(value).value_or(std::vector<std::string>());
    return std::ranges::all_of(wanted,
                               [&](const auto& one) { return std::ranges::find(entries, one) != entries.end(); });
  };
  return holds(*item.prior) && !holds(ours);
}

// The script's name of this boot; "" where Windows has no counter of boots.
Result<std::string> ScriptsBootName(machine::Registry& registry) {
  const auto counter = PROV_TRY(registry.Read(
      R"(SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters)", "BootId"));
  if (!counter) return std::string();
  return fmt::format("counter {:x}:{}", static_cast<std::uint32_t>(counter->type), ToHex(counter->data));
}

Result<std::optional<ScriptRecord>> LoadRecord(machine::StateFolder& state) {
  std::optional<Error> damaged;
  for (const std::string_view file : {kScriptStateFile, kScriptStateNewFile, kScriptStateOldFile}) {
    const auto text = PROV_TRY(state.Read(file));
    if (!text) continue;
    auto record = ReadScriptRecord(*text, file);
    if (record) return *std::move(record);
    // A newer script's is no damage, and an older file is not what is true.
    if (record.error().code == Code::kVersion) return std::unexpected(std::move(record).error());
    // A torn new one alone is a run that was killed before it changed anything.
    if (!damaged && file != kScriptStateNewFile) damaged = std::move(record).error();
  }
  if (damaged) return std::unexpected(*std::move(damaged));
  return std::nullopt;
}

Result<void> AddCertificate(machine::CertificateStore& certificates, const ScriptCertificate& one, ScriptState& out) {
  auto der = PROV_TRY(certificates.Find(one.store, AsciiLower(one.sha1)));
  if (!der) {
    out.gone.push_back({ItemKind::kCertificate, fmt::format("{} {}", NameOf(one.store), one.sha1), true});
    return {};
  }
  out.ledger[CertificateItemName(one.store, one.sha1)] = {
      std::nullopt, RegValue{one.sha1, images::RegType::kBinary, *std::move(der)}, {}};
  return {};
}

// Only a damaged record needs one: what a port says stands for itself.
Error WithRemedy(Error error) {
  if (error.code != Code::kJson && error.code != Code::kType) return error;
  error.message = fmt::format(
      "the record of a payload's script can't be read ({}), and only it says what the script set on this machine and "
      "what was there before, so nothing was changed: restore it from a backup, or undo by hand what the script set "
      "and delete {} with its .new and .old; then run this again",
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
  for (const ScriptCertificate& one : (*record)->certificates) PROV_TRY(AddCertificate(machine.certificates, one, out));
  for (ScriptItem& item : (*record)->items) {
    if (PROV_TRY(IsPrior(machine.registry, item))) item.entry.ours = std::move(item.prior);
    out.ledger[item.item] = std::move(item.entry);
  }
  return out;
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
