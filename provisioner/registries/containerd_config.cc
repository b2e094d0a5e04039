#include "provisioner/registries/containerd_config.h"

#include <array>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/registries/toml_document.h"

namespace prov::registries {
namespace {

// The plugins that have the setting in versions 3, 2 and 1 of the file.
constexpr std::array<std::string_view, 3> kPlugins = {"io.containerd.cri.v1.images", "io.containerd.grpc.v1.cri",
                                                      "cri"};

// Windows puts ';' between paths.
void AddPaths(std::string_view text, std::vector<std::string>& out) {
  for (const std::string_view path : Split(text, ';')) {
    if (!path.empty()) out.emplace_back(path);
  }
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

Result<ContainerdConfig> ReadContainerdConfig(std::string_view text, const std::string& where) {
  const toml::table root = PROV_TRY(ParseToml(text, where));
  ContainerdConfig out;
  if (const toml::array* const imports = root.get_as<toml::array>("imports")) out.imports = !imports->empty();
  const toml::table* const plugins = root.get_as<toml::table>("plugins");
  for (const std::string_view name : kPlugins) {
    const toml::table* const plugin = plugins == nullptr ? nullptr : plugins->get_as<toml::table>(name);
    const toml::table* const registry = plugin == nullptr ? nullptr : plugin->get_as<toml::table>("registry");
    const auto* const path = registry == nullptr ? nullptr : registry->get_as<std::string>("config_path");
    if (path != nullptr) AddPaths(path->get(), out.config_paths);
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
