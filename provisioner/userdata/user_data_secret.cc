#include "provisioner/userdata/user_data_secret.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"

namespace prov::userdata {
namespace {

constexpr std::size_t kSecretLimit = 1048576;
constexpr std::size_t kMostNameLength = 253;
// In openshift-machine-api: what the installer and the Machine Config Operator write for masters and Linux workers.
constexpr std::array<std::string_view, 4> kOpenShiftSecrets = {"master-user-data", "master-user-data-managed",
                                                               "worker-user-data", "worker-user-data-managed"};

bool IsSecretName(std::string_view name) {
  const auto alnum = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (name.empty() || name.size() > kMostNameLength) return false;
  return std::ranges::all_of(Split(name, '.'), [&](std::string_view label) {
    return !label.empty() && alnum(label.front()) && alnum(label.back()) &&
           std::ranges::all_of(label, [&](char c) { return alnum(c) || c == '-'; });
  });
}

}  // namespace

Result<void> CheckSecretName(std::string_view name) {
  if (name == kOperatorsSecret) {
    return Fail(
        Code::kReservedName,
        "is the Windows Machine Config Operator's own Secret: it replaces every Windows machine when that one is "
        "changed, and then writes it anew; name another one and let the MachineSet refer to it",
        std::string(name));
  }
  if (std::ranges::find(kOpenShiftSecrets, name) != kOpenShiftSecrets.end()) {
    return Fail(
        Code::kReservedName,
        "is OpenShift's own Secret, with which machines that are not Windows boot; name another one and let the "
        "MachineSet for Windows refer to it",
        std::string(name));
  }
  if (!IsSecretName(name)) {
    return Fail(Code::kUsage, "takes a name for a Secret: lower-case letters, digits, '-' and '.', 253 at most",
                "--secret");
  }
  return {};
}

Result<void> CheckSecretPlatform(SecretForm form, Platform platform) {
  if (platform == Platform::kNone) {
    return Fail(Code::kUsage,
                "makes a Secret that nothing reads with --platform none; name the platform of the cluster, or leave "
                "--secret out",
                "--secret");
  }
  if (platform == Platform::kVsphere && form == SecretForm::kMachineApi) {
    return Fail(Code::kUsage,
                "makes a Secret that no Windows machine reads: the Machine API's provider for vSphere writes it to "
                "guestinfo.ignition.config.data. Bake into the template's image, put the user data into "
                "guestinfo.userdata yourself (leave --secret out), or use --secret-form cluster-api",
                "--secret");
  }
  return {};
}

Result<std::map<std::string, std::string>> UserDataSecretKeys(std::string_view name, const UserData& data,
                                                              const UserDataOptions& options) {
  if (data.bytes.size() > kSecretLimit) {
    return Fail(Code::kSizeLimit,
                fmt::format("has {} bytes, {} more than the {} that a Secret takes", data.bytes.size(),
                            data.bytes.size() - kSecretLimit, kSecretLimit),
                std::string(name));
  }
  if (options.secret_form == SecretForm::kClusterApi) return std::map<std::string, std::string>{{"value", data.bytes}};
  std::map<std::string, std::string> out = {{"userData", data.bytes}};
  // With this key, whatever its value, OpenStack's provider does not run user data through Go's text/template.
  if (options.platform == Platform::kOpenstack) out["disableTemplating"] = "true";
  return out;
}

Result<std::string> UserDataSecret(std::string_view name, const UserData& data, const UserDataOptions& options) {
  PROV_TRY(CheckSecretName(name));
  const auto keys = PROV_TRY(UserDataSecretKeys(name, data, options));
  std::string out = fmt::format("apiVersion: v1\nkind: Secret\nmetadata:\n  name: \"{}\"\n", name);
  out += options.secret_form == SecretForm::kClusterApi ? "type: cluster.x-k8s.io/secret\ndata:\n"
                                                        : "  namespace: openshift-machine-api\ntype: Opaque\ndata:\n";
  for (const auto& [key, bytes] : keys) out += fmt::format("  {}: {}\n", key, EncodeBase64(bytes));
  return out;
}

}  // namespace prov::userdata
