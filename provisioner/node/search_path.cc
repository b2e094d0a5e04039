#include "provisioner/node/search_path.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "images/registry/registry_key.h"
#include "provisioner/base/text.h"
#include "provisioner/reconcile/items.h"

namespace prov::node {
namespace {

using images::RegType;
using images::RegValue;

constexpr std::string_view kPath = "Path";
constexpr std::size_t kMostUnits = 32'767;  // of a variable, with the null behind it

// C:\folder, C:\folder\ and "C:\folder" are the same.
bool Names(std::string_view entry, std::string_view folder) {
  if (entry.size() > 1 && entry.front() == '"' && entry.back() == '"') entry = entry.substr(1, entry.size() - 2);
  while (entry.size() > folder.size() && entry.ends_with('\\')) entry.remove_suffix(1);
  return EqualsIgnoreAsciiCase(entry, folder);
}

Result<std::string> ProgramFolder(OpenNode& node) {
  const std::string program = PROV_TRY(node.host.installation().ProgramPath());
  return program.substr(0, program.rfind('\\'));
}

// The registry value and its text.
struct SearchPath {
  RegValue value;
  std::string text;
};

Result<std::optional<SearchPath>> ReadSearchPath(OpenNode& node) {
  auto value = PROV_TRY(node.machine.registry.Read(reconcile::EnvironmentKeyPath(), kPath));
  if (!value || (value->type != RegType::kSz && value->type != RegType::kExpandSz)) return std::nullopt;
  auto text = reconcile::StringOf(*value);
  if (!text) return std::nullopt;
  return SearchPath{*std::move(value), *std::move(text)};
}

// nullopt: the folder is there already, or there is no room for it.
Result<std::optional<std::string>> Extended(OpenNode& node, const SearchPath& path) {
  std::optional<std::string> out = WithFolder(path.text, PROV_TRY(ProgramFolder(node)));
  if (out && ToUtf16Le(*out).size() / 2 >= kMostUnits) out.reset();
  return out;
}

Result<void> WriteSearchPath(OpenNode& node, SearchPath path, std::string_view text) {
  path.value.data = images::EncodeSz(text);
  PROV_TRY(node.machine.registry.Set(reconcile::EnvironmentKeyPath(), path.value));
  node.machine.system.AnnounceEnvironment();
  return {};
}

}  // namespace

std::optional<std::string> WithFolder(std::string_view path, std::string_view folder) {
  for (const std::string_view entry : Split(path, ';')) {
    if (Names(entry, folder)) return std::nullopt;
  }
  if (path.empty() || path.ends_with(';')) return fmt::format("{}{}{}", path, folder, path.empty() ? "" : ";");
  return fmt::format("{};{}", path, folder);
}

std::string WithoutFolder(std::string_view path, std::string_view folder) {
  std::vector<std::string_view> entries = Split(path, ';');
  std::erase_if(entries, [&](std::string_view entry) { return Names(entry, folder); });
  return fmt::format("{}", fmt::join(entries, ";"));
}

Result<bool> AddToSearchPath(OpenNode& node) {
  auto path = PROV_TRY(ReadSearchPath(node));
  if (!path) return false;
  const auto wanted = PROV_TRY(Extended(node, *path));
  if (!wanted) return false;
  PROV_TRY(WriteSearchPath(node, *std::move(path), *wanted));
  return true;
}

reconcile::Change SearchPathChange(reconcile::Action action, std::string reason) {
  return {reconcile::ItemKind::kEnvironment,
          action,
          std::string(kPath),
          {},
          {},
          std::move(reason),
          reconcile::ItemKey(reconcile::kEnvironmentItem, kPath)};
}

Result<std::optional<reconcile::Change>> PlanSearchPath(OpenNode& node) {
  const auto path = PROV_TRY(ReadSearchPath(node));
  const bool is_in = PROV_TRY(IsInSearchPath(node));
  if (!is_in && (!path || !PROV_TRY(Extended(node, *path)))) return std::nullopt;
  return is_in ? SearchPathChange(reconcile::Action::kNone, "")
               : SearchPathChange(reconcile::Action::kUpdate, "with the folder of the program");
}

Result<bool> IsInSearchPath(OpenNode& node) {
  const auto path = PROV_TRY(ReadSearchPath(node));
  return path && !WithFolder(path->text, PROV_TRY(ProgramFolder(node)));
}

Result<void> RemoveFromSearchPath(OpenNode& node) {
  auto path = PROV_TRY(ReadSearchPath(node));
  if (!path) return {};
  const std::string left = WithoutFolder(path->text, PROV_TRY(ProgramFolder(node)));
  return left == path->text ? Result<void>() : WriteSearchPath(node, *std::move(path), left);
}

}  // namespace prov::node
