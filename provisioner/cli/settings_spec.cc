#include "provisioner/cli/settings_spec.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string_view>

#include "provisioner/cli/command.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_uri.h"
#include "provisioner/source/source_spec.h"

namespace prov::cli {
namespace {

// Does nothing for an option that was not given.
Result<void> MakeAbsolute(std::optional<std::string>& path) {
  if (path) path = PROV_TRY(AbsolutePath(*path));
  return {};
}

}  // namespace

Result<std::string> AbsolutePath(const std::string& path) {
  std::error_code error;
  const auto utf8 = [](std::string_view text) { return std::u8string(text.begin(), text.end()); };
  const std::u8string out = std::filesystem::absolute(std::filesystem::path(utf8(path)), error).u8string();
  if (error) return Fail(Code::kIo, fmt::format("has no absolute path: {}", error.message()), path);
  return std::string(out.begin(), out.end());
}

Result<std::string> AbsoluteKubeconfig(const std::string& given, const std::string& where) {
  const std::string file = given.empty() ? PROV_TRY(source::DefaultKubeconfig(source::ThisProcess())) : given;
  if (file.empty()) return Fail(Code::kUsage, "a kubeconfig is missing; give --kubeconfig FILE", where);
  return file == source::kInCluster ? file : PROV_TRY(AbsolutePath(file));
}

Result<node::SettingsSpec> ParseSettingsSpec(const Arguments& arguments) {
  return node::SettingsSpec{PROV_TRY(ParseSourceSpec(arguments)), PROV_TRY(ParseChoices(arguments))};
}

Result<node::SettingsSpec> SpecToRemember(node::SettingsSpec given) {
  std::string& source = given.source.source;
  if (source == "-") {
    return Fail(
        Code::kUsage,
        "standard input can't be read again at the next boot, so it can't be stored; give a file or a payload folder",
        "SOURCE");
  }
  if (!source::IsRemote(source)) source = PROV_TRY(AbsolutePath(source));
  if (!given.source.ca_file.empty()) given.source.ca_file = PROV_TRY(AbsolutePath(given.source.ca_file));
  // A service has no user's environment in which to find it.
  given.source.kubeconfig =
      source::IsKubeUri(source) ? PROV_TRY(AbsoluteKubeconfig(given.source.kubeconfig, source)) : std::string();
  PROV_TRY(MakeAbsolute(given.choices.subtract_file));
  PROV_TRY(MakeAbsolute(given.choices.hns_policy_file));
  return given;
}

}  // namespace prov::cli
