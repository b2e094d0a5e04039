#include "provisioner/source/user_data_secret.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "ignition/yaml.h"
#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"
#include "provisioner/source/machine_config_source.h"

namespace prov::source {
namespace {

// The key of the Machine API, and that of the Cluster API, which HyperShift has.
constexpr std::array<std::string_view, 2> kUserDataKeys = {"userData", "value"};

// nullopt if it has none at this key.
Result<std::optional<UserData>> ReadOne(const ObjectView& secret, std::string_view key) {
  if (const auto plain = PROV_TRY(secret.Object("stringData"))) {  // as users write manifests
    if (const auto text = PROV_TRY(plain->Text(key))) return UserData{std::string(*text), plain->At(key)};
  }
  const auto data = PROV_TRY(secret.Object("data"));
  const auto packed = data ? PROV_TRY(data->Text(key)) : std::nullopt;
  if (!packed) return std::nullopt;
  auto decoded = DecodeBase64(TrimBlanks(*packed));
  if (decoded) return UserData{*std::move(decoded), data->At(key)};
  return Fail(Code::kInvalidConfig,
              fmt::format("the Secret's user data is not base64: byte {} of {} does not fit (cut short?)",
                          decoded.error() + 1, TrimBlanks(*packed).size()),
              data->At(key));
}

bool IsIgnition(std::string_view text) {
  return ignition::BeginsAsJson(text) && text.find("\"ignition\"") != std::string_view::npos;
}

}  // namespace

std::string NamesWithUserData(std::span<const FoundObject> secrets) {
  std::vector<std::string_view> out;
  for (const FoundObject& secret : secrets) {
    const bool has = std::ranges::any_of(kUserDataKeys, [&](std::string_view key) {
      const auto data = ReadOne(secret.object, key);
      if (!data || !*data || (*data)->config.empty()) return false;
      return key == kUserDataKeys.front() || IsIgnition((*data)->config);
    });
    if (has) out.push_back(ObjectName(secret.object).value_or(""));
  }
  return ListInShort(out);
}

Result<std::optional<UserData>> ReadUserDataSecret(std::span<const FoundObject> secrets, std::string_view name) {
  std::vector<FoundObject> with;
  std::vector<UserData> found;
  std::optional<std::string> empty_at;
  for (const std::string_view key : kUserDataKeys) {
    if (!with.empty()) break;  // Secrets of other things have a "value", too
    for (const FoundObject& secret : secrets) {
      std::optional<UserData> data = PROV_TRY(ReadOne(secret.object, key));
      if (!data) continue;
      if (TrimBlanks(data->config).empty()) {
        if (!empty_at) empty_at = std::move(data->path);
        continue;
      }
      with.push_back(secret);
      found.push_back(*std::move(data));
    }
  }
  if (with.empty() && empty_at) return Fail(Code::kKind, "is empty; a Secret has its user data there", *empty_at);
  if (with.empty()) return std::nullopt;
  // With one Secret, ignore the name: --name may be that of a MachineConfig.
  const FoundObject* chosen = with.size() == 1 ? with.data() : PROV_TRY(ChooseObject(with, "Secret", name));
  UserData out = std::move(found[static_cast<std::size_t>(chosen - with.data())]);
  if (ignition::BeginsAsJson(out.config)) return out;
  return Fail(Code::kKind,
              "the Secret's user data is not an Ignition config (a script for Windows machines?); give the Secret of a "
              "pool's Linux machines: oc get secret -n openshift-machine-api worker-user-data-managed -o yaml, or in "
              "HyperShift that of a NodePool, user-data-NODEPOOL-HASH",
              out.path);
}

Result<Reading> ReadPointerConfig(UserData user_data, const ignition::Limits& limits, ignition::Fetcher* fetcher) {
  auto out = [&]() -> Result<Reading> {
    return ReadMachineConfig(
        PROV_TRY(ignition::ReadConfig(std::move(user_data.config), user_data.path, {}, limits, fetcher)));
  }();
  if (out) return out;
  Error error = std::move(out).error();
  // Only a place within the config needs the prefix, not an address on the network.
  if (error.where.starts_with('$') || error.where.starts_with("line ")) {
    if (error.where != user_data.path) error.where = fmt::format("{}: {}", user_data.path, error.where);
  }
  return std::unexpected(std::move(error));
}

}  // namespace prov::source
