#include "provisioner/cli/settings_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/terminal.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/reconcile/desired_state.h"
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

void AddFlag(std::string_view name, bool is_given, std::string& words) {
  if (is_given) words += fmt::format(" --{}", name);
}

void AddValue(std::string_view name, std::string_view value, std::string& words) {
  if (!value.empty()) words += fmt::format(" --{} {}", name, ShellWord(value));
}

// The digest behind a URL is no password.
bool HoldsPassword(std::string_view source) {
  return source::IsRemote(std::string(source)) && egress::MayHoldCredentials(source.substr(0, source.find("#sha256=")));
}

std::string SourceWord(const std::string& source) {
  return source.empty() || HoldsPassword(source) ? "SOURCE" : ShellWord(source);
}

std::string ProxyWord(const std::optional<Secret>& url) {
  if (!url) return {};
  return egress::MayHoldCredentials(url->Reveal()) ? "URL" : std::string(url->Reveal());
}

void AddChoices(const node::Choices& choices, std::string& words) {
  if (choices.scope) AddValue("scope", fmt::format("{}", fmt::join(choices.scope->Names(), ",")), words);
  AddFlag("with-wmco", choices.with_wmco, words);
  if (choices.credentials) AddValue("credentials", reconcile::NameOf(*choices.credentials), words);
  for (const std::string& name : choices.services.value_or(std::vector<std::string>()))
    AddValue("service", name, words);
  for (const std::string& digest : choices.trusted) AddValue("trust", digest, words);
  AddValue("subtract", choices.subtract_file.value_or(""), words);
  AddValue("registry-folder", choices.registry_folder.value_or(""), words);
  AddValue("hns-policy", choices.hns_policy_file.value_or(""), words);
  AddValue("hns-pods", choices.hns_pods.value_or(""), words);
  AddFlag("winhttp-octets", choices.win_http_octets, words);
  AddFlag("augment", choices.augment, words);
}

}  // namespace

std::string ShellWord(std::string_view text) {
  const auto is_plain = [](char c) { return IsLetter(c) || IsDigit(c) || std::string_view("_./:-").contains(c); };
  const bool plain = !text.empty() && text.front() != '-' && std::ranges::all_of(text, is_plain);
  return plain ? std::string(text) : QuotedForShell(text);
}

std::string WordsOf(const node::SettingsSpec& spec) {
  const source::SourceSpec& source = spec.source;
  const source::SourceSpec none;
  std::string words = SourceWord(source.source);
  if (source.selection.pool != none.selection.pool) AddValue("pool", source.selection.pool, words);
  AddValue("name", source.selection.name, words);
  AddFlag("add-cluster-suffixes", source.add_cluster_suffixes, words);
  AddValue("ca", source.ca_file, words);
  AddValue("kubeconfig", source.kubeconfig, words);
  AddValue("source-proxy", ProxyWord(source.proxy_url), words);
  if (source.timeout_seconds) AddValue("source-timeout", fmt::format("{}", *source.timeout_seconds), words);
  AddChoices(spec.choices, words);
  return words;
}

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
