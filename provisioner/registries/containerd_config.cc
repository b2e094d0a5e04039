#include "provisioner/registries/containerd_config.h"

#include <array>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/registries/toml_document.h"

namespace prov::registries {
namespace {

constexpr std::string_view kOfVersion1 = "cri";
constexpr std::string_view kOfVersion2 = "io.containerd.grpc.v1.cri";
constexpr std::string_view kOfVersion3 = "io.containerd.cri.v1.images";
constexpr std::array<std::string_view, 3> kPlugins = {kOfVersion1, kOfVersion2, kOfVersion3};

// containerd 2 takes the settings of an older file over to the plugins of a newer one.
std::vector<std::string_view> PluginsOf(std::int64_t version) {
  if (version < 2) return {kOfVersion1, kOfVersion2};
  if (version == 2) return {kOfVersion2, kOfVersion3};
  return {kOfVersion3};
}

// Mirrors as containerd was told them before it had `config_path`. An empty table says nothing.
std::set<std::string, std::less<>> OldKeysOf(const toml::table& registry, std::int64_t version) {
  std::set<std::string, std::less<>> out;
  const toml::table* const mirrors = registry.get_as<toml::table>("mirrors");
  if (mirrors != nullptr && !mirrors->empty()) out.insert("mirrors");
  const toml::table* const configs = registry.get_as<toml::table>("configs");
  constexpr std::int64_t kTakesTls = 3;  // containerd 2 refuses `mirrors` alone
  if (configs == nullptr || version >= kTakesTls) return out;
  for (const auto& [name, node] : *configs) {
    const toml::table* const one = node.as_table();
    if (one != nullptr && one->contains("tls")) out.insert("configs.*.tls");
  }
  return out;
}

// Windows puts ';' between paths.
std::vector<std::string> FoldersIn(std::string_view text) {
  std::vector<std::string> out;
  for (const std::string_view path : Split(text, ';')) {
    if (!path.empty()) out.emplace_back(path);
  }
  return out;
}

// The words of a command line. A quote begins or ends a part with blanks; one behind a backslash is a letter.
std::vector<std::string> WordsOf(std::string_view line) {
  std::vector<std::string> out;
  bool quoted = false;
  bool open = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (!quoted && (c == ' ' || c == '\t')) {
      open = false;
      continue;
    }
    if (!open) out.emplace_back();
    open = true;
    if (c == '"') {
      quoted = !quoted;
    } else if (c == '\\' && at + 1 < line.size() && line[at + 1] == '"') {
      out.back() += '"';
      ++at;
    } else {
      out.back() += c;
    }
  }
  return out;
}

}  // namespace

void ContainerdConfig::Merge(ContainerdConfig imported) {
  if (imported.version != 0) version = imported.version;
  for (auto& [plugin, path] : imported.config_paths) config_paths[plugin] = std::move(path);
  for (auto& [plugin, keys] : imported.old_keys) old_keys[plugin].merge(std::move(keys));
}

std::vector<std::string> ContainerdConfig::Folders() const {
  for (const std::string_view plugin : PluginsOf(version)) {
    const auto found = config_paths.find(plugin);
    if (found != config_paths.end()) return FoldersIn(found->second);
  }
  return {};
}

std::vector<std::string> ContainerdConfig::OldKeys() const {
  std::set<std::string, std::less<>> out;
  for (const std::string_view plugin : PluginsOf(version)) {
    const auto found = old_keys.find(plugin);
    if (found != old_keys.end()) out.insert(found->second.begin(), found->second.end());
  }
  return {out.begin(), out.end()};
}

std::string_view ContainerdConfig::Table() const {
  if (version < 2) return "[plugins.cri.registry]";
  return version == 2 ? R"([plugins."io.containerd.grpc.v1.cri".registry])"
                      : R"([plugins."io.containerd.cri.v1.images".registry])";
}

Result<ContainerdConfig> ReadContainerdConfig(std::string_view text, const std::string& where) {
  const toml::table root = PROV_TRY(ParseToml(text, where));
  ContainerdConfig out;
  if (const auto* const version = root.get_as<std::int64_t>("version")) out.version = version->get();
  if (const toml::array* const imports = root.get_as<toml::array>("imports")) {
    for (const toml::node& one : *imports) {
      if (const auto* const path = one.as_string()) out.imports.push_back(path->get());
    }
  }
  const toml::table* const plugins = root.get_as<toml::table>("plugins");
  for (const std::string_view name : kPlugins) {
    const toml::table* const plugin = plugins == nullptr ? nullptr : plugins->get_as<toml::table>(name);
    const toml::table* const registry = plugin == nullptr ? nullptr : plugin->get_as<toml::table>("registry");
    if (registry == nullptr) continue;
    if (auto keys = OldKeysOf(*registry, out.version); !keys.empty()) out.old_keys.emplace(name, std::move(keys));
    const auto* const path = registry->get_as<std::string>("config_path");
    if (path != nullptr && !path->get().empty()) out.config_paths.emplace(name, path->get());
  }
  return out;
}

std::string ConfigFileOf(std::string_view command_line) {
  const std::vector<std::string> words = WordsOf(command_line);
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view word = words[at];
    for (const std::string_view option : {"--config", "-config", "--c", "-c"}) {
      if (word == option && at + 1 < words.size()) return words[at + 1];
      if (word.starts_with(option) && word.substr(option.size()).starts_with('='))
        return std::string(word.substr(option.size() + 1));
    }
  }
  return {};
}

}  // namespace prov::registries
