#include "provisioner/userdata/user_data_secret.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"

namespace prov::userdata {
namespace {

constexpr std::size_t kSecretLimit = 1048576;
constexpr std::size_t kMostNameLength = 253;

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

Result<std::string> UserDataSecret(std::string_view name, const UserData& data, const UserDataOptions& options) {
  PROV_TRY(CheckSecretName(name));
  if (data.bytes.size() > kSecretLimit) {
    return Fail(Code::kSizeLimit,
                fmt::format("has {} bytes, {} more than the {} that a Secret takes", data.bytes.size(),
                            data.bytes.size() - kSecretLimit, kSecretLimit),
                std::string(name));
  }
  const std::string head = fmt::format("apiVersion: v1\nkind: Secret\nmetadata:\n  name: \"{}\"\n", name);
  if (options.secret_form == SecretForm::kClusterApi) {
    return fmt::format("{}type: cluster.x-k8s.io/secret\ndata:\n  value: {}\n", head, EncodeBase64(data.bytes));
  }
  // With this key, whatever its value, OpenStack's provider does not run user data through Go's text/template.
  const bool templates = options.platform == Platform::kOpenstack;
  return fmt::format(
      "{}  namespace: openshift-machine-api\n"
      "type: Opaque\n"
      "data:\n"
      "{}"
      "  userData: {}\n",
      head, templates ? fmt::format("  disableTemplating: {}\n", EncodeBase64("true")) : "", EncodeBase64(data.bytes));
}

}  // namespace prov::userdata
