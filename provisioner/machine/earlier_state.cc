#include "provisioner/machine/earlier_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/base/json_writer.h"

namespace prov::machine {
namespace {

enum class Form {
  kMembers,  // the members of the document are the section
  kItems,    // its member "items" is
  kWhole,    // a format of its own: with its schema
  kMark,     // as kMembers; that there is one says most
  kCount,    // as kMembers; without it only something is counted or tried again
};

struct EarlierFile {
  std::string_view file, section;
  Form form = Form::kMembers;
  std::int64_t newest = 1;  // schema
};

constexpr auto kFiles = std::to_array<EarlierFile>({
    {"applied.json", "applied"},
    {"boots.json", "boots", Form::kCount},
    {"failure.json", "failure", Form::kCount},
    {"floor.json", "floor"},
    {"hold.json", "hold"},
    {"image.json", "image"},
    {"last.json", "last", Form::kMembers, 2},
    {"ledger.json", "ledger", Form::kItems},
    {"reboot.json", "reboot", Form::kMark},
    {"restart.json", "restart", Form::kCount},
    {"scrub.json", "scrub"},
    {"settings.json", "settings", Form::kWhole},
    {"source.json", "source"},
    {"store-keys.json", "storeKeys"},
    {"trial.json", "trial"},
    {"wmco.json", "wmco", Form::kMark},
});

constexpr auto kNames = [] {
  std::array<std::string_view, kFiles.size()> out;
  std::ranges::transform(kFiles, out.begin(), &EarlierFile::file);
  return out;
}();

Result<const EarlierFile*> Known(std::string_view file) {
  const auto found = std::ranges::find(kFiles, file, &EarlierFile::file);
  if (found != kFiles.end()) return &*found;
  return Fail(Code::kType, "is not a file of the state folder", std::string(file));
}

std::string WithoutSchema(const std::vector<std::pair<std::string, JsonNode>>& members) {
  JsonWriter json;
  json.BeginObject();
  for (const auto& [name, node] : members) {
    if (name != "schema") json.Key(name).Json(node.Json());
  }
  return json.EndObject().Text();
}

Result<std::string> SectionOf(const EarlierFile& file, std::string_view text) {
  const auto document = ParseSchemaUpTo(file.newest, text, file.file);
  if (!document) {
    if (file.form == Form::kMark && document.error().code != Code::kVersion) return "{}\n";
    return std::unexpected(document.error());
  }
  if (file.form == Form::kWhole) return document->root.Json();
  if (file.form == Form::kItems) return PROV_TRY(document->root.Get("items")).Json();
  return WithoutSchema(PROV_TRY(document->root.Members()));
}

}  // namespace

Result<std::string> NameOfEarlierFile(std::string_view file) { return std::string(PROV_TRY(Known(file))->section); }

Result<EarlierSection> ReadEarlierFile(std::string_view file, std::string_view text) {
  const EarlierFile& known = *PROV_TRY(Known(file));
  return EarlierSection{std::string(known.section), PROV_TRY(SectionOf(known, text))};
}

Result<EarlierState> ReadGoodEarlierState(StateFolder& folder) {
  EarlierState out;
  for (const EarlierFile& file : kFiles) {
    auto text = PROV_TRY(folder.Read(file.file));
    if (!text) continue;
    auto section = SectionOf(file, *text);
    if (section) {
      out.sections[std::string(file.section)] = *std::move(section);
    } else if (section.error().code == Code::kVersion) {
      return std::unexpected(std::move(section).error());
    } else if (file.form != Form::kCount) {
      out.damaged.push_back(
          {std::string(file.file), std::string(file.section), *std::move(text), std::move(section).error()});
    }
  }
  return out;
}

Result<Sections> ReadEarlierState(StateFolder& folder) {
  EarlierState all = PROV_TRY(ReadGoodEarlierState(folder));
  if (!all.damaged.empty()) return std::unexpected(std::move(all.damaged.front().error));
  return std::move(all.sections);
}

Result<void> RemoveEarlierState(StateFolder& folder) {
  for (const EarlierFile& file : kFiles) {
    if (PROV_TRY(folder.Read(file.file))) PROV_TRY(folder.Remove(file.file));
  }
  return {};
}

std::span<const std::string_view> EarlierFiles() { return kNames; }

}  // namespace prov::machine
