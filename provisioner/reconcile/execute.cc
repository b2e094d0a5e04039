#include "provisioner/reconcile/execute.h"

#include "images/registry/descriptor.h"
#include "provisioner/hns/endpoint_change.h"
#include "provisioner/machine/certificate_blob.h"
#include "provisioner/reconcile/kind.h"

namespace prov::reconcile {
namespace {

using images::RegValue;

Result<void> ExecuteOn(machine::Machine& machine, const RegistryWrite& write) {
  if (write.after) return machine.registry.Set(write.key, *write.after);
  PROV_TRY(machine.registry.DeleteValue(write.key, write.name));
  for (auto key = write.own_keys.rbegin(); key != write.own_keys.rend(); ++key) {
    PROV_TRY(machine.registry.DeleteKeyIfEmpty(*key));
  }
  return {};
}

Result<void> ExecuteOn(machine::Machine& machine, const CertificateWrite& write) {
  if (write.add) return machine.certificates.Add(write.store, write.der);
  PROV_TRY(machine.certificates.Remove(write.store, write.der));
  if (!write.before) return {};
  PROV_TRY(machine.certificates.Flush());  // a removal that is written later would delete the value again
  return machine.registry.Set(machine::CertificateKeyPath(write.store, write.der), *write.before);
}

Result<void> ExecuteOn(machine::Machine& machine, const SecurityWrite& write) {
  // "" means that the key did not exist; the operation that took back its value removed the key as well.
  if (write.after.empty()) return {};
  if (!write.before.empty() && !PROV_TRY(machine.registry.KeyExists(write.key))) return {};  // gone since
  return machine.registry.SetSecurity(write.key, write.after);
}

// An endpoint that is gone is no error: its pod has ended.
Result<void> ExecuteOn(machine::Machine& machine, const EndpointWrite& write) {
  const auto now = PROV_TRY(hns::ReadEndpoint(machine.network, write.endpoint));
  if (!now) return {};
  const hns::EndpointChange change = hns::ChangeToEnsure(now->settings, write.after);
  if (!change.IsEmpty()) PROV_TRY(hns::ChangeEndpoint(machine.network, write.endpoint, change));
  return {};
}

Result<void> RemoveEmptyFolders(machine::Files& files, const std::vector<std::string>& folders) {
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) PROV_TRY(files.RemoveFolderIfEmpty(*folder));
  return {};
}

// What could not be written leaves no empty folder, which would hide the settings of `_default` from containerd.
Result<void> ExecuteOn(machine::Machine& machine, const FileWrite& write) {
  using machine::FileAccess;
  if (!write.after) {
    if (auto removed = machine.files.RemoveFile(write.path); !removed) {
      const auto there = machine.files.ReadFile(write.path, kMostManagedFileBytes);
      if (!there || *there) return removed;  // it may have failed after the file was gone
    }
    return RemoveEmptyFolders(machine.files, write.own_folders);
  }
  auto done =
      machine.files.PutFile(write.path, *write.after, write.is_after_closed ? FileAccess::kClosed : FileAccess::kKept);
  if (!done && !write.before) (void)RemoveEmptyFolders(machine.files, write.own_folders);
  return done;
}

// A value that is gone already still leaves work if a killed run left its keys behind.
Result<Rebased> RebaseOn(machine::Machine& machine, RegistryWrite write) {
  const std::optional<RegValue> now = PROV_TRY(machine.registry.Read(write.key, write.name));
  const bool is_after = SameContent(now, write.after);
  const bool is_foreign = !is_after && !SameContent(now, write.before);
  write.before = now;
  if (is_foreign) {
    write.after = now;
    return Rebased{write, true, true};
  }
  const bool has_keys =
      !write.after && !write.own_keys.empty() && PROV_TRY(machine.registry.KeyExists(write.own_keys.front()));
  return Rebased{std::move(write), is_after && !has_keys};
}

Result<Rebased> RebaseOn(machine::Machine& machine, const CertificateWrite& write) {
  const bool is_there = PROV_TRY(machine.certificates.Contains(write.store, write.der));
  if (is_there || write.add || !write.before) return Rebased{write, is_there == write.add};
  const std::string key = machine::CertificateKeyPath(write.store, write.der);
  return Rebased{write, PROV_TRY(machine.registry.Read(key, write.before->name)).has_value()};
}

// Windows may store a descriptor in another form than it was given, so compare whom it grants access. If an operation
// would open the key but others have opened it since, leave it as it is.
Result<Rebased> RebaseOn(machine::Machine& machine, SecurityWrite write) {
  const std::string now = PROV_TRY(machine.registry.Security(write.key));
  const images::Sids before = images::OthersGranted(write.before);
  const images::Sids after = images::OthersGranted(write.after);
  const bool opens = !images::IsForAdministratorsOnly(write.after, before);
  const bool is_after = write.after.empty() || now == write.after ||
                        (images::IsForAdministratorsOnly(now, after) && images::OthersGranted(now) == after);
  const bool is_foreign = !is_after && opens && !images::IsForAdministratorsOnly(now, before);
  write.before = now;
  if (is_foreign) write.after = now;
  return Rebased{std::move(write), is_after || is_foreign, is_foreign};
}

// A change removes the old policies before it adds the new ones. So a part of the old ones comes from an interrupted
// change of ours, not from other programs.
Result<Rebased> RebaseOn(machine::Machine& machine, EndpointWrite write) {
  const auto now = PROV_TRY(hns::ReadEndpoint(machine.network, write.endpoint));
  if (!now || hns::ChangeToEnsure(now->settings, write.after).IsEmpty()) return Rebased{std::move(write), true};
  std::vector<std::string> known = write.before;
  known.insert(known.end(), write.after.begin(), write.after.end());
  const bool is_foreign = !hns::ChangeToAdd(known, now->settings).IsEmpty();
  write.before = now->settings;
  if (is_foreign) write.after = now->settings;
  return Rebased{std::move(write), is_foreign, is_foreign};
}

// As for values of the registry. An operation may take away folders alone, and is void once there is a file.
Result<Rebased> RebaseOn(machine::Machine& machine, FileWrite write) {
  std::optional<std::string> now = PROV_TRY(machine.files.ReadFile(write.path, kMostManagedFileBytes));
  if (now && !write.before && !write.after) return Rebased{std::move(write), true};
  const bool is_after = now == write.after;
  const bool is_foreign = !is_after && now != write.before;
  if (is_foreign) write.after = now;
  write.before = std::move(now);
  if (is_foreign) return Rebased{std::move(write), true, true};
  const bool has_folders =
      !write.after && !write.own_folders.empty() && PROV_TRY(machine.files.FolderExists(write.own_folders.front()));
  return Rebased{std::move(write), is_after && !has_folders};
}

}  // namespace

Result<void> Execute(machine::Machine& machine, const Operation& operation) {
  return std::visit([&](const auto& write) { return ExecuteOn(machine, write); }, operation);
}

Result<Rebased> RebaseWhole(machine::Machine& machine, const Operation& operation) {
  return std::visit([&](const auto& write) { return RebaseOn(machine, write); }, operation);
}

Result<Rebased> Rebase(machine::Machine& machine, const Operation& operation) {
  return PROV_TRY(KindOf(ItemOf(operation)))->Rebase(machine, operation);
}

bool SameContent(const std::optional<RegValue>& a, const std::optional<RegValue>& b) {
  if (!a || !b) return !a && !b;
  return a->type == b->type && a->data == b->data;
}

}  // namespace prov::reconcile
