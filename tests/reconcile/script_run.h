// Simulates what a payload's scripts do to a machine, with the record that they leave: for tests of the program's
// takeover.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/json_writer.h"
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

// One record of schema 1. Of schema 2 the same is made of them.
struct RecordLine {
  std::string kind, name, before, after, prior, key;
};

inline std::string ScriptLine(const RecordLine& record) {
  return fmt::format(R"({{"kind":"{}","name":"{}","before":"{}","after":"{}","prior":"{}","key":"{}"}})", record.kind,
                     record.name, record.before, record.after, record.prior, record.key);
}

// Schema 1: what Save-State of earlier payloads' Install-Egress.ps1 wrote.
inline std::string ScriptFile(const std::vector<std::string>& lines) {
  return "{\"schema\":1,\"items\":[\r\n" + fmt::format("{}", fmt::join(lines, ",\r\n")) + "\r\n]}\r\n";
}

// Schema 1: Save of earlier user data, which is ConvertTo-Json of Windows PowerShell 5.1.
inline std::string UserDataFile(const std::vector<RecordLine>& records) {
  std::vector<std::string> items;
  for (const RecordLine& record : records) {
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

// "TYPE:BYTES" as {"type", "hex"}.
inline void WriteScriptValue(JsonWriter& json, std::string_view key, const std::string& text) {
  const std::size_t colon = text.find(':');
  json.Key(key);
  if (colon == std::string::npos) {
    json.Null();
    return;
  }
  const std::int64_t type = std::stoll(text.substr(0, colon), nullptr, 16);
  json.BeginObject().Member("type", type).Member("hex", text.substr(colon + 1)).EndObject();
}

// The ledger's name, by which schema 2 has a record; "" for a record that has no item of its own there.
inline std::string ScriptItemName(const RecordLine& line) {
  const std::map<std::string, std::string> kinds = {{"certificate", "certificate"},
                                                    {"env", "env"},
                                                    {"winHttp", "winHttp"},
                                                    {"serviceEnv", "service"},
                                                    {"serviceAcl", "serviceSecurity"}};
  const auto kind = kinds.find(line.kind);
  if (kind == kinds.end() || line.before == "present") return {};
  std::string name = line.kind == "certificate" ? AsciiUpper(line.name) : line.name;
  if (line.kind == "certificate") std::ranges::replace(name, '/', ':');
  return kind->second + ":" + name;
}

inline void WriteOwnKeys(JsonWriter& json, const RecordLine& line) {
  std::string path = WinHttpKeyPath(line.name == "32" ? 1 : 0);
  std::vector<std::string> keys;
  for (int left = line.key.empty() ? 0 : std::stoi(line.key); left > 0; --left) {
    keys.insert(keys.begin(), path);
    path.resize(path.rfind('\\'));
  }
  json.Key("ownKeys").BeginArray();
  for (const std::string& key : keys) json.String(key);
  json.EndArray();
}

// Schema 2, as both scripts write it. User data have a null in `prior` where nothing was written before.
inline std::string LedgerFile(const std::vector<RecordLine>& records, bool user_data) {
  const auto find = [&](std::string_view kind, std::string_view name) -> const RecordLine* {
    const auto found = std::ranges::find_if(
        records, [&](const RecordLine& line) { return line.kind == kind && (name.empty() || line.name == name); });
    return found == records.end() ? nullptr : &*found;
  };
  const auto written = [&](const RecordLine& line) -> const RecordLine& {
    return line.kind == "serviceEnv" ? *find("serviceOurs", line.name) : line;
  };
  JsonWriter json;
  json.BeginObject().Member("schema", 2).Key("ledger").BeginObject();
  for (const RecordLine& line : records) {
    if (ScriptItemName(line).empty()) continue;
    json.Key(ScriptItemName(line)).BeginObject();
    WriteScriptValue(json, "before", line.before);
    WriteScriptValue(json, "ours", written(line).after);
    WriteOwnKeys(json, line);
    json.EndObject();
  }
  json.EndObject().Key("prior").BeginObject();
  for (const RecordLine& line : records) {
    if (ScriptItemName(line).empty() || (written(line).prior.empty() && !user_data)) continue;
    WriteScriptValue(json, ScriptItemName(line), written(line).prior);
  }
  json.EndObject();
  const RecordLine* const reboot = find("reboot", "");
  json.Member("reboot", reboot == nullptr ? std::string() : reboot->after);
  json.Key("generation");
  if (const RecordLine* const generation = find("generation", ""); generation != nullptr) {
    json.Int(std::stoll(generation->after));
  } else {
    json.Null();
  }
  json.EndObject();
  return json.Text();
}

enum class Script { kInstallEgress, kUserData, kEarlierInstallEgress, kEarlierUserData };

inline std::string NameOf(Script script) {
  constexpr std::array<const char*, 4> kNames = {"InstallEgress", "UserData", "EarlierInstallEgress",
                                                 "EarlierUserData"};
  return kNames[static_cast<std::size_t>(script)];
}

// One run of a script on a machine where it never ran.
class ScriptRun {
 public:
  ScriptRun(machine::Machine machine, Script script) : machine_(machine), script_(script) {}

  void Apply(const DesiredState& desired, int generation = 3) {
    const bool user_data = IsUserData();
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

  std::vector<RecordLine>& records() { return records_; }
  void Save() {
    Must(machine_.state.folder().Write(kScriptStateFile, Text()));
    Must(machine_.certificates.Flush());
    Must(machine_.registry.Flush());
  }

  bool IsUserData() const { return script_ == Script::kUserData || script_ == Script::kEarlierUserData; }

 private:
  std::string Text() const {
    if (script_ == Script::kInstallEgress || script_ == Script::kUserData) return LedgerFile(records_, IsUserData());
    if (script_ == Script::kEarlierUserData) return UserDataFile(records_);
    std::vector<std::string> lines;
    lines.reserve(records_.size());
    for (const RecordLine& record : records_) lines.push_back(ScriptLine(record));
    return ScriptFile(lines);
  }

  template <class T>
  static T Must(Result<T> result) {
    EXPECT_TRUE(result) << result.error().where << ": " << result.error().message;
    if constexpr (!std::is_void_v<T>) return *std::move(result);
  }

  void Add(const CertificateItem& item) {
    const bool was_there = Must(machine_.certificates.Contains(item.store, item.certificate.der));
    // One that was there before is in the record of earlier payloads' Install-Egress.ps1 alone.
    if (was_there && script_ != Script::kEarlierInstallEgress) return;
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
    if (IsUserData()) {
      std::erase_if(entries, [&](const std::string& entry) {
        return std::ranges::any_of(service.variables, [&](const EnvironmentVariable& variable) {
          return EqualsIgnoreAsciiCase(entry.substr(0, entry.find('=')), variable.name);
        });
      });
      records_.push_back({"serviceOurs", service.service, "", ScriptText(EncodeServiceEnvironment(ours)), "", ""});
    }
    Write("serviceEnv", service.service, key,
          EncodeServiceEnvironment(MergeServiceEnvironment(entries, service.variables)));
    if (IsUserData()) return;
    records_.push_back({"serviceOurs", service.service, "", ScriptText(EncodeServiceEnvironment(ours)), "", ""});
  }

  machine::Machine machine_;
  Script script_;
  std::vector<RecordLine> records_;
};

}  // namespace prov::reconcile
