// What a payload's scripts do to a machine, and the record that they leave: for the tests of whoever comes after them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/machine/machine.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/operation.h"
#include "provisioner/reconcile/script_state.h"

namespace prov::reconcile {

// The script's text for a value.
inline std::string ScriptText(const std::optional<images::RegValue>& value) {
  if (!value) return "absent";
  return fmt::format("{:x}:{}", static_cast<unsigned>(value->type), ToHex(value->data));
}

struct ScriptRecord {
  std::string kind, name, before, after, prior, key;
};

inline std::string ScriptLine(const ScriptRecord& record) {
  return fmt::format(R"({{"kind":"{}","name":"{}","before":"{}","after":"{}","prior":"{}","key":"{}"}})", record.kind,
                     record.name, record.before, record.after, record.prior, record.key);
}

// Save-State of Install-Egress.ps1.
inline std::string ScriptFile(const std::vector<std::string>& lines) {
  return "{\"schema\":1,\"items\":[\r\n" + fmt::format("{}", fmt::join(lines, ",\r\n")) + "\r\n]}\r\n";
}

// Save of UserData-Install.ps1: ConvertTo-Json of Windows PowerShell 5.1.
inline std::string UserDataFile(const std::vector<ScriptRecord>& records) {
  std::vector<std::string> items;
  for (const ScriptRecord& record : records) {
    const std::pair<std::string_view, std::string> members[] = {{"kind", record.kind},     {"name", record.name},
                                                                {"before", record.before}, {"after", record.after},
                                                                {"prior", record.prior},   {"key", record.key}};
    std::vector<std::string> lines;
    for (const auto& [name, value] : members) {
      lines.push_back(fmt::format("{:22}\"{}\":  \"{}\"", "", name, value));
    }
    items.push_back(fmt::format("{:18}{{\r\n{}\r\n{:18}}}", "", fmt::join(lines, ",\r\n"), ""));
  }
  return fmt::format("{{\r\n    \"items\":  [\r\n{}\r\n              ],\r\n    \"schema\":  1\r\n}}\r\n",
                     fmt::join(items, ",\r\n"));
}

enum class Script { kInstallEgress, kUserData };

// One run of a script on a machine where it never ran.
class ScriptRun {
 public:
  ScriptRun(machine::Machine machine, Script script) : machine_(machine), script_(script) {}

  void Apply(const DesiredState& desired, int generation = 3) {
    const bool user_data = script_ == Script::kUserData;
    if (user_data) records_.push_back({"generation", "payload", "", std::to_string(generation), "", ""});
    for (const CertificateItem& item : desired.certificates) Add(item);
    for (const EnvironmentVariable& variable : desired.environment) {
      Write("env", std::string(variable.name), EnvironmentKeyPath(), EncodeVariable(variable));
    }
    records_.push_back({"reboot", "machine", "", "counter 4:07000000", "", ""});
    for (const std::size_t view : {0U, 1U}) {
      if (!desired.win_http) break;
      Write("winHttp", std::string(kWinHttpViews[view]), WinHttpKeyPath(view), EncodeWinHttpValue(*desired.win_http));
    }
    for (const ServiceEnvironment& service : desired.services) Set(service);
    if (!user_data) records_.push_back({"generation", "payload", "", std::to_string(generation), "", ""});
    Save();
  }

  std::vector<ScriptRecord>& records() { return records_; }
  void Save() {
    std::vector<std::string> lines;
    for (const ScriptRecord& record : records_) lines.push_back(ScriptLine(record));
    Must(machine_.state.folder().Write(kScriptStateFile,
                                       script_ == Script::kUserData ? UserDataFile(records_) : ScriptFile(lines)));
    Must(machine_.certificates.Flush());
    Must(machine_.registry.Flush());
  }

 private:
  template <class T>
  static T Must(Result<T> result) {
    EXPECT_TRUE(result) << result.error().where << ": " << result.error().message;
    if constexpr (!std::is_void_v<T>) return *std::move(result);
  }

  void Add(const CertificateItem& item) {
    const bool was_there = Must(machine_.certificates.Contains(item.store, item.certificate.der));
    // One that was there before is in the record of Install-Egress.ps1 alone.
    if (was_there && script_ == Script::kUserData) return;
    records_.push_back({"certificate", fmt::format("{}/{}", NameOf(item.store), item.certificate.sha1),
                        was_there ? "present" : "absent", "present", "", ""});
    Must(machine_.certificates.Add(item.store, item.certificate.der));
  }

  void Write(const std::string& kind, const std::string& name, const std::string& key, const images::RegValue& value) {
    const auto before = Must(machine_.registry.Read(key, value.name));
    if (before && before->type == value.type && before->data == value.data) return;
    const std::size_t levels = Must(MissingKeys(machine_.registry, key)).size();
    records_.push_back(
        {kind, name, ScriptText(before), ScriptText(value), "", levels > 0 ? std::to_string(levels) : ""});
    Must(machine_.registry.Set(key, value));
  }

  // UserData-Install.ps1 takes our names out and appends them; the other puts them in their old places.
  void Set(const ServiceEnvironment& service) {
    const std::string key = ServiceKeyPath(service.service);
    const std::vector<std::string> ours = MergeServiceEnvironment({}, service.variables);
    std::vector<std::string> entries = ServiceEntries(Must(machine_.registry.Read(key, "Environment"))).value();
    if (script_ == Script::kUserData) {
      std::erase_if(entries, [&](const std::string& entry) {
        return std::ranges::any_of(service.variables, [&](const EnvironmentVariable& variable) {
          return EqualsIgnoreAsciiCase(entry.substr(0, entry.find('=')), variable.name);
        });
      });
      records_.push_back({"serviceOurs", service.service, "", ScriptText(EncodeServiceEnvironment(ours)), "", ""});
    }
    Write("serviceEnv", service.service, key,
          EncodeServiceEnvironment(MergeServiceEnvironment(entries, service.variables)));
    if (script_ == Script::kUserData) return;
    records_.push_back({"serviceOurs", service.service, "", ScriptText(EncodeServiceEnvironment(ours)), "", ""});
  }

  machine::Machine machine_;
  Script script_;
  std::vector<ScriptRecord> records_;
};

}  // namespace prov::reconcile
