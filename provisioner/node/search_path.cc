#include "provisioner/node/search_path.h"

#include <algorithm>

#include "images/registry/registry_key.h"
#include "provisioner/base/text.h"
#include "provisioner/reconcile/items.h"

namespace prov::node {
namespace {

using images::RegType;
using images::RegValue;

constexpr std::string_view kPath = "Path";
constexpr std::size_t kMostUnits = 32'767;  // of a variable, with the null behind it

struct Entry {
  std::size_t begin = 0;
  std::size_t size = 0;
};

// C:\folder, C:\folder\ and "C:\folder" are the same.
bool Names(std::string_view entry, std::string_view folder) {
  if (entry.size() > 1 && entry.front() == '"' && entry.back() == '"') entry = entry.substr(1, entry.size() - 2);
  while (entry.size() > folder.size() && entry.ends_with('\\')) entry.remove_suffix(1);
  return EqualsIgnoreAsciiCase(entry, folder);
}

std::optional<Entry> Find(std::string_view path, std::string_view folder) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(';', begin), path.size());
    if (Names(path.substr(begin, end - begin), folder)) return Entry{begin, end - begin};
    begin = end + 1;
  }
  return std::nullopt;
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

Result<void> WriteSearchPath(OpenNode& node, SearchPath path, std::string_view text) {
  path.value.data = images::EncodeSz(text);
  PROV_TRY(node.machine.registry.Set(reconcile::EnvironmentKeyPath(), path.value));
  node.machine.system.AnnounceEnvironment();
  return {};
}

}  // namespace

std::optional<std::string> WithFolder(std::string_view path, std::string_view folder) {
  if (Find(path, folder)) return std::nullopt;
  std::string out(path);
  if (path.empty() || path.ends_with(';')) return out.append(folder).append(path.empty() ? "" : ";");
  return out.append(";").append(folder);
}

std::string WithoutFolder(std::string_view path, std::string_view folder) {
  std::string out(path);
  while (const std::optional<Entry> found = Find(out, folder)) {
    const std::size_t end = found->begin + found->size;
    if (end < out.size()) {
      out.erase(found->begin, found->size + 1);
      continue;
    }
    const std::size_t separator = found->begin > 0 ? 1 : 0;
    out.erase(found->begin - separator);
  }
  return out;
}

Result<bool> AddToSearchPath(OpenNode& node) {
  auto path = PROV_TRY(ReadSearchPath(node));
  if (!path) return false;
  const std::optional<std::string> wanted = WithFolder(path->text, PROV_TRY(ProgramFolder(node)));
  if (!wanted || ToUtf16Le(*wanted).size() / 2 >= kMostUnits) return false;
  PROV_TRY(WriteSearchPath(node, *std::move(path), *wanted));
  return true;
}

Result<void> RemoveFromSearchPath(OpenNode& node) {
  auto path = PROV_TRY(ReadSearchPath(node));
  if (!path) return {};
  const std::string left = WithoutFolder(path->text, PROV_TRY(ProgramFolder(node)));
  return left == path->text ? Result<void>() : WriteSearchPath(node, *std::move(path), left);
}

}  // namespace prov::node
