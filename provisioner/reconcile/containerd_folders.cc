#include "provisioner/reconcile/containerd_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/operation.h"
#include "provisioner/reconcile/registry_files.h"
#include "provisioner/reconcile/wmco.h"
#include "provisioner/registries/containerd_config.h"

namespace prov::reconcile {
namespace {

constexpr std::string_view kContainerdService = "containerd";
constexpr std::string_view kDefaultConfig = R"(\containerd\config.toml)";
constexpr std::size_t kMostImports = 100;

constexpr std::string_view kWindowsKey = R"(SOFTWARE\Microsoft\Windows\CurrentVersion)";
constexpr std::string_view kNtKey = R"(SOFTWARE\Microsoft\Windows NT\CurrentVersion)";
constexpr std::string_view kDefaultFolder = "_default";

Result<std::string> TextOf(machine::Registry& registry, const std::string& key, std::string_view name,
                           std::string_view fallback) {
  const auto value = PROV_TRY(registry.Read(key, name));
  const std::string out = value ? StringOf(*value).value_or("") : std::string();
  return out.empty() ? std::string(fallback) : out;
}

// A variable that a service has from Windows or the machine; "": it is not known.
Result<std::string> VariableOf(machine::Registry& registry, std::string_view name) {
  const std::string lower = AsciiLower(name);
  if (lower == "programfiles" || lower == "programw6432")
    return TextOf(registry, std::string(kWindowsKey), "ProgramFilesDir", R"(C:\Program Files)");
  std::string root = PROV_TRY(TextOf(registry, std::string(kNtKey), "SystemRoot", R"(C:\Windows)"));
  if (lower == "systemroot" || lower == "windir") return root;
  if (lower == "systemdrive") return root.substr(0, 2);
  if (lower == "programdata" || lower == "allusersprofile") return root.substr(0, 2) + R"(\ProgramData)";
  return TextOf(registry, EnvironmentKeyPath(), name, "");
}

// As Windows does for REG_EXPAND_SZ. What is not known stays as it is.
Result<std::string> Expand(machine::Registry& registry, std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text[at] == '%' ? text.find('%', at + 1) : std::string_view::npos;
    std::string value;
    if (end != std::string_view::npos && end > at + 1)
      value = PROV_TRY(VariableOf(registry, text.substr(at + 1, end - at - 1)));
    if (value.empty()) {
      out += text[at++];
    } else {
      out += value;
      at = end + 1;
    }
  }
  return out;
}

Result<std::optional<std::string>> ExpandedOf(machine::Registry& registry, const std::string& key,
                                              std::string_view name) {
  const auto value = PROV_TRY(registry.Read(key, name));
  if (!value) return std::nullopt;
  std::string text = StringOf(*value).value_or("");
  if (value->type != images::RegType::kExpandSz) return text;
  return PROV_TRY(Expand(registry, text));
}

// The program's command line in the service's key; nssm has the arguments in a key below. nullopt: no such service.
Result<std::optional<std::string>> CommandLineOf(machine::Registry& registry) {
  const std::string key = ServiceKeyPath(std::string(kContainerdService));
  auto out = PROV_TRY(ExpandedOf(registry, key, "ImagePath"));
  if (!out) return std::nullopt;
  if (const auto more = PROV_TRY(ExpandedOf(registry, key + "\\Parameters", "AppParameters"))) *out += " " + *more;
  return out;
}

Result<std::string> ConfigOf(machine::Registry& registry, std::string_view command_line) {
  std::string named = registries::ConfigFileOf(command_line);
  if (!named.empty()) return named;
  return PROV_TRY(VariableOf(registry, "ProgramFiles")) + std::string(kDefaultConfig);
}

// A path as others wrote it. Errors: usage (it can't be followed here).
Result<std::string> PlainPath(std::string_view path) {
  constexpr std::string_view kLong = R"(\\?\)";
  std::string text(path);
  std::ranges::replace(text, '/', '\\');
  if (text.starts_with(kLong)) text.erase(0, kLong.size());
  if (text.contains('%')) return Fail(Code::kUsage, "has a variable that is not known", text);
  return FullWindowsPath(text);
}

// A file and what it imports, in containerd's order: each counts before those that were read before it.
class ConfigReader {
 public:
  ConfigReader(machine::Files& files, ContainerdFolders& out) : files_(files), out_(out) {}

  void Read() {
    pending_.push_back(out_.config);
    for (std::size_t count = 0; !pending_.empty(); ++count) {
      const std::string path = std::move(pending_.front());
      pending_.pop_front();
      if (count > kMostImports) {
        out_.is_pattern = false;
        out_.fault = fmt::format("imports more than {} files, which are not all read", kMostImports);
        break;
      }
      ReadOne(path);
    }
    out_.folders = config_.Folders();
    out_.table = config_.Table();
    out_.old_keys = config_.OldKeys();
    for (const std::string& folder : out_.folders) LookAt(folder);
  }

 private:
  // What can't be looked at may be there.
  void LookAt(const std::string& folder) {
    const auto path = PlainPath(folder);
    if (!path || files_.FolderExists(*path).value_or(true)) out_.there.push_back(folder);
    std::string for_others = fmt::format("{}\\{}", path.value_or(folder), kDefaultFolder);
    if (path && files_.FolderExists(for_others).value_or(false)) out_.defaults.push_back(std::move(for_others));
  }

  void ReadOne(const std::string& path) {
    const auto full = PlainPath(path);
    if (full && !read_.insert(AsciiLower(*full)).second) return;
    const bool is_first = std::exchange(is_first_, false);
    const auto text = full ? files_.ReadFile(*full, kMostManagedFileBytes) : std::unexpected(full.error());
    if (!text) return Fault(path, is_first, fmt::format("can't be read ({})", text.error().message));
    if (!*text) return Fault(path, is_first, "is not there");
    auto read = registries::ReadContainerdConfig(**text, *full);
    if (!read) return Fault(path, is_first, fmt::format("can't be read ({})", read.error().message));
    for (const std::string& import : read->imports) AddImport(*full, import);
    config_.Merge(*std::move(read));
  }

  void Fault(const std::string& path, bool is_first, std::string_view why) {
    out_.is_pattern = false;
    out_.fault = is_first ? std::string(why) : fmt::format("imports {}, which {}", Printable(path), why);
  }

  void AddImport(const std::string& from, const std::string& path) {
    const bool is_full = path.starts_with("\\\\") || (path.size() > 2 && path[1] == ':');
    std::string full = is_full ? path : fmt::format("{}\\{}", from.substr(0, from.rfind('\\')), path);
    if (path.contains('*')) {
      // From 2.2 on, the default configuration has a pattern for a folder that need not be there.
      const auto folder = PlainPath(full.substr(0, full.find_last_of("\\/")));
      if (folder && !files_.FolderExists(*folder).value_or(true)) return;
      if (!out_.fault.empty()) return;
      out_.is_pattern = true;
      out_.fault = fmt::format("imports {}, and files that a pattern names are not read here", Printable(path));
      return;
    }
    pending_.push_back(std::move(full));
  }

  machine::Files& files_;
  ContainerdFolders& out_;
  registries::ContainerdConfig config_;
  std::deque<std::string> pending_;
  std::set<std::string> read_;
  bool is_first_ = true;
};

// Whether a path as others wrote it is the operator's.
bool IsOperators(const std::string& path) {
  const auto full = PlainPath(path);
  return full && IsOperatorsPath(*full);
}

struct Order {
  std::string text;         // why the folders that containerd has keep it from ours, and ours it from others
  bool comes_late = false;  // others count before ours
};

Order ReviewOrder(const ContainerdFolders& containerd, const std::string& folder) {
  const auto is_ours = [&](const std::string& one) {
    const auto named = PlainPath(one);
    return named && EqualsIgnoreAsciiCase(*named, folder);
  };
  std::vector<std::string> earlier;
  std::vector<std::string> hidden;
  bool is_later = false;
  for (const std::string& one : containerd.folders) {
    if (is_ours(one)) {
      is_later = true;
    } else if (std::ranges::find(containerd.there, one) != containerd.there.end()) {
      (is_later ? hidden : earlier).push_back(Printable(one));
    }
  }
  std::vector<std::string> out;
  if (!earlier.empty())
    out.push_back(
        fmt::format("a folder of a registry below {} counts before that below {}, as does _default there: "
                    "put {} first in config_path",
                    fmt::join(earlier, ", "), folder, folder));
  for (const std::string& one : containerd.defaults) {
    if (is_ours(one.substr(0, one.rfind('\\')))) hidden.push_back(one);
  }
  if (!hidden.empty())
    out.push_back(
        fmt::format("what is in {} does not count for registries that have a folder below {}: containerd "
                    "takes the first folder alone, so what shall count for them belongs into the source",
                    fmt::join(hidden, ", "), folder));
  return {fmt::format("{}", fmt::join(out, "; ")), !earlier.empty()};
}

// What has to go before containerd takes a config_path; "": nothing.
std::string ReviewOldKeys(const ContainerdFolders& containerd) {
  if (containerd.old_keys.empty()) return {};
  return fmt::format("remove {} from {} first: beside config_path, containerd's CRI plugin does not start with it",
                     fmt::join(containerd.old_keys, " and "), containerd.table);
}

}  // namespace

Result<ContainerdFolders> ReadContainerdFolders(machine::Machine& machine) {
  ContainerdFolders out;
  if (PROV_TRY(SeesWmcoDaemon(machine.registry))) out.of_operator = "its daemon is installed";
  const auto command_line = PROV_TRY(CommandLineOf(machine.registry));
  if (!command_line) return out;
  out.config = PROV_TRY(ConfigOf(machine.registry, *command_line));
  const auto full = PlainPath(out.config);
  if (!full) {
    out.table = registries::ContainerdConfig().Table();
    out.fault = fmt::format("can't be followed here ({}), and may be the Windows Machine Config Operator's",
                            full.error().message);
    return out;
  }
  out.config = *full;
  ConfigReader(machine.files, out).Read();
  if (out.of_operator.empty() && IsOperators(out.config)) {
    out.of_operator = fmt::format("its configuration is {}", out.config);
  } else if (out.of_operator.empty()) {
    const auto found = std::ranges::find_if(out.folders, IsOperators);
    if (found != out.folders.end()) out.of_operator = fmt::format("its config_path is {}", Printable(*found));
  }
  return out;
}

std::optional<Finding> ReviewRegistryFolder(const ContainerdFolders& containerd, const std::string& folder) {
  const auto warn = [&](std::string message) {
    return Finding{Severity::kWarning, "registries-config", std::move(message),
                   containerd.config.empty() ? std::string(kContainerdService) : containerd.config};
  };
  if (!containerd.of_operator.empty()) {
    return warn(
        fmt::format("containerd is the Windows Machine Config Operator's ({}), so it reads no file below {}; leave out "
                    "--registry-folder",
                    containerd.of_operator, folder));
  }
  if (containerd.config.empty()) {
    return Finding{Severity::kInfo, "registries-config",
                   fmt::format("there is no service containerd here, so its configuration is not known; hosts.toml has "
                               "an effect only if its config_path is '{}'",
                               folder),
                   std::string(kContainerdService)};
  }
  const bool is_named = std::ranges::any_of(containerd.folders, [&](const std::string& one) {
    const auto named = PlainPath(one);
    return named && EqualsIgnoreAsciiCase(*named, folder);
  });
  std::vector<std::string> why;
  if (!containerd.fault.empty()) why.push_back(containerd.fault);
  if (!is_named) {
    if (!containerd.folders.empty())
      why.push_back(fmt::format("config_path is '{}'", fmt::join(containerd.folders, ";")));
    if (why.empty()) why.emplace_back("names no config_path");
    why.push_back(fmt::format("hosts.toml has an effect only with config_path = '{}' in {}", folder, containerd.table));
  }
  const Order order = is_named ? ReviewOrder(containerd, folder) : Order();
  for (std::string text : {ReviewOldKeys(containerd), order.text}) {
    if (!text.empty()) why.push_back(std::move(text));
  }
  if (why.empty()) return std::nullopt;
  Finding out = warn(fmt::format("{}", fmt::join(why, "; ")));
  const bool counts = is_named && !order.comes_late && containerd.old_keys.empty();
  if (counts && (containerd.fault.empty() || containerd.is_pattern)) out.severity = Severity::kInfo;
  return out;
}

}  // namespace prov::reconcile
