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

// The program's command line in the service's key; nssm has the arguments in a key below. nullopt: no such service.
Result<std::optional<std::string>> CommandLineOf(machine::Registry& registry) {
  const std::string key = ServiceKeyPath(std::string(kContainerdService));
  const auto path = PROV_TRY(registry.Read(key, "ImagePath"));
  if (!path) return std::nullopt;
  std::string out = StringOf(*path).value_or("");
  if (const auto parameters = PROV_TRY(registry.Read(key + "\\Parameters", "AppParameters")))
    out += " " + StringOf(*parameters).value_or("");
  return out;
}

Result<std::string> ConfigOf(machine::Registry& registry, std::string_view command_line) {
  std::string named = registries::ConfigFileOf(command_line);
  if (!named.empty()) return named;
  const auto programs = PROV_TRY(registry.Read(R"(SOFTWARE\Microsoft\Windows\CurrentVersion)", "ProgramFilesDir"));
  std::string folder = programs ? StringOf(*programs).value_or("") : std::string();
  if (folder.empty()) folder = R"(C:\Program Files)";
  return folder + std::string(kDefaultConfig);
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
        out_.fault = fmt::format("imports more than {} files, which are not all read", kMostImports);
        break;
      }
      ReadOne(path);
    }
    out_.folders = config_.Folders();
    out_.table = config_.Table();
  }

 private:
  void ReadOne(const std::string& path) {
    const auto full = FullWindowsPath(path);
    if (full && !read_.insert(AsciiLower(*full)).second) return;
    const bool is_first = read_.size() <= 1;
    const auto text = full ? files_.ReadFile(*full, kMostManagedFileBytes) : std::unexpected(full.error());
    if (!text) return Fault(path, is_first, fmt::format("can't be read ({})", text.error().message));
    if (!*text) return Fault(path, is_first, "is not there");
    auto read = registries::ReadContainerdConfig(**text, *full);
    if (!read) return Fault(path, is_first, fmt::format("can't be read ({})", read.error().message));
    for (const std::string& import : read->imports) AddImport(*full, import);
    config_.Merge(*std::move(read));
  }

  void Fault(const std::string& path, bool is_first, std::string_view why) {
    out_.fault = is_first ? std::string(why) : fmt::format("imports {}, which {}", Printable(path), why);
  }

  void AddImport(const std::string& from, const std::string& path) {
    const bool is_full = path.starts_with("\\\\") || (path.size() > 2 && path[1] == ':');
    std::string full = is_full ? path : fmt::format("{}\\{}", from.substr(0, from.rfind('\\')), path);
    if (path.find('*') != std::string::npos) {
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
};

// Whether a path as others wrote it is the operator's.
bool IsOperators(const std::string& path) {
  const auto full = FullWindowsPath(path);
  return full && IsOperatorsPath(*full);
}

}  // namespace

Result<ContainerdFolders> ReadContainerdFolders(machine::Machine& machine) {
  ContainerdFolders out;
  if (PROV_TRY(SeesWmcoDaemon(machine.registry))) out.of_operator = "its daemon is installed";
  const auto command_line = PROV_TRY(CommandLineOf(machine.registry));
  if (!command_line) return out;
  out.config = PROV_TRY(ConfigOf(machine.registry, *command_line));
  if (const auto full = FullWindowsPath(out.config)) out.config = *full;
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
    const auto named = FullWindowsPath(one);
    return named && EqualsIgnoreAsciiCase(*named, folder);
  });
  if (is_named) return std::nullopt;
  std::string why = containerd.fault;
  if (!containerd.folders.empty()) why = fmt::format("config_path is '{}'", fmt::join(containerd.folders, ";"));
  if (why.empty()) why = "names no config_path";
  return warn(
      fmt::format("{}; hosts.toml has an effect only with config_path = '{}' in {}", why, folder, containerd.table));
}

}  // namespace prov::reconcile
