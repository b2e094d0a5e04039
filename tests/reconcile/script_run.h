// Simulates what a payload's script (templates/Apply-Egress.ps1) does to a machine, with the record that it leaves: for
// tests of the program's takeover.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "images/registry/descriptor.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/machine/machine.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/operation.h"
#include "provisioner/reconcile/script_state.h"
#include "provisioner/reconcile/service_name.h"
#include "provisioner/reconcile/windows_proxy.h"
#include "tests/support/result.h"

namespace prov::reconcile {

// One item of the record.
struct ScriptEntry {
  std::string key;
  std::optional<images::RegValue> before, ours, prior{};
  std::vector<std::string> own_keys{};
};

inline std::string ScriptFile(const std::vector<ScriptEntry>& entries, std::int64_t generation = 3,
                              std::string_view reboot = "counter 7") {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("generation", generation).Member("reboot", reboot);
  json.Key("items").BeginArray();
  for (const ScriptEntry& entry : entries) {
    json.BeginObject().Member("key", entry.key);
    WriteStored(json, "before", entry.before);
    WriteStored(json, "ours", entry.ours);
    WriteStored(json, "prior", entry.prior);
    json.Key("ownKeys").BeginArray();
    for (const std::string& key : entry.own_keys) json.String(key);
    json.EndArray().EndObject();
  }
  return json.EndArray().EndObject().Text();
}

// One run of the script on a machine where it never ran.
class ScriptRun {
 public:
  explicit ScriptRun(machine::Machine machine) : machine_(machine) {}

  void Apply(const DesiredState& desired) {
    for (const CertificateItem& item : desired.certificates) Add(item);
    for (const EnvironmentVariable& variable : desired.environment) {
      Write(std::string(kEnvironmentItem) + variable.name, EnvironmentKeyPath(), EncodeVariable(variable));
    }
    for (const WinHttpView& view : kWinHttpViews) {
      if (!desired.win_http) break;
      Write(std::string(kWinHttpItem).append(view.bits), std::string(view.key),
            {std::string(kWinHttpValue), images::RegType::kBinary, EncodeWinHttp({.proxy = *desired.win_http})});
    }
    for (const ServiceEnvironment& service : desired.services) Set(service);
    Save();
  }

  std::vector<ScriptEntry>& entries() { return entries_; }
  void Save() {
    Must(machine_.state.folder().Write(kScriptStateFile, ScriptFile(entries_)));
    Must(machine_.certificates.Flush());
    Must(machine_.registry.Flush());
  }

 private:
  void Add(const CertificateItem& item) {
    if (Must(machine_.certificates.Contains(item.store, item.certificate.der))) return;
    entries_.push_back(
        {CertificateItemName(item.store, item.certificate.sha1),
         {},
         images::RegValue{Thumbprint(item.certificate), images::RegType::kBinary, item.certificate.der}});
    Must(machine_.certificates.Add(item.store, item.certificate.der));
  }

  // `ours`: where the value is more than what the script adds.
  void Write(const std::string& item, const std::string& key, const images::RegValue& value,
             const std::optional<images::RegValue>& ours = {}) {
    const auto before = Must(machine_.registry.Read(key, value.name));
    if (before && before->type == value.type && before->data == value.data) return;
    entries_.push_back({item, before, ours ? ours : value, {}, Must(MissingKeys(machine_.registry, key))});
    Must(machine_.registry.Set(key, value));
  }

  void Set(const ServiceEnvironment& service) {
    const std::string key = ServiceKeyPath(service.service);
    const std::string name = ServiceNameKey(service.service);
    if (machine_.registry.HasSecurity() && HoldsCredentials(service)) Close(name, key);
    const auto entries = ServiceEntries(Must(machine_.registry.Read(key, "Environment"))).value();
    Write(std::string(kServiceItem) + name, key,
          EncodeServiceEnvironment(MergeServiceEnvironment(entries, service.variables)),
          EncodeServiceEnvironment(MergeServiceEnvironment({}, service.variables)));
  }

  void Close(const std::string& name, const std::string& key) {
    const std::string open = Must(machine_.registry.Security(key));
    const std::string closed = images::ForAdministratorsOnly(open);
    if (open == closed) return;
    const auto value = [](const std::string& descriptor) {
      return images::RegValue{"", images::RegType::kBinary, descriptor};
    };
    entries_.push_back({std::string(kServiceSecurityItem) + name, value(open), value(closed)});
    Must(machine_.registry.SetSecurity(key, closed));
  }

  machine::Machine machine_;
  std::vector<ScriptEntry> entries_;
};

}  // namespace prov::reconcile
