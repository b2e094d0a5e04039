// The parts of a WIM file that we read and edit ourselves: header, table, XML, and the metadata of an image. For any
// bytes, either an error says that they are damaged, or editing continues. In metadata that this target makes, the
// edits have the same result as on a map. Input: a byte that chooses the part, then its bytes; for the last part, the
// edits.
#include <map>
#include <optional>

#include "images/tree/wim_format.h"
#include "images/tree/wim_metadata.h"
#include "provisioner/base/text.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

namespace wim = images::wim;
using wim::Entry;
using wim::Hash;
using wim::Metadata;

constexpr const char* kWhere = "fuzz.wim";
constexpr const char* kNames[] = {"a", "B", "config", "SYSTEM", "n\xc3\xa9w", "long name of a file.txt"};
constexpr const char* kDescriptors[] = {"", "one", "another descriptor", "third"};

void CheckDamage(const Error& error) {
  CheckError(error);
  FUZZ_CHECK(error.code == Code::kTarget || error.code == Code::kLink);
  FUZZ_CHECK(error.where.starts_with(kWhere));
}

void CheckHeader(std::string_view bytes) {
  const auto header = wim::ReadHeader(bytes, kWhere);
  if (!header) return CheckDamage(header.error());
  // Reserved bytes and those that are not understood stay as they are.
  FUZZ_CHECK(wim::WriteHeader(*header) == bytes.substr(0, wim::kHeaderBytes));
}

void CheckTable(std::string_view bytes) {
  const auto table = wim::ReadTable(bytes, kWhere);
  if (!table) return CheckDamage(table.error());
  FUZZ_CHECK(wim::WriteTable(*table) == bytes);
}

void CheckXml(std::string_view bytes) {
  wim::ImageName(bytes, 1);
  const std::string changed = wim::ChangeImage(bytes, {1, 2, 3, 4, 5});
  const std::string counted = wim::SetTotalBytes(changed, 7);
  // What is no text stays as it is.
  const bool is_text = FromUtf16Le(bytes).has_value();
  FUZZ_CHECK(is_text || (changed == bytes && counted == bytes));
  FUZZ_CHECK(!is_text || (FromUtf16Le(changed) && FromUtf16Le(counted)));
}

// Bytes of somebody else's: nothing is promised of what they mean.
void CheckMetadata(std::string_view bytes) {
  auto metadata = Metadata::Read(std::string(bytes), kWhere);
  if (!metadata) return CheckDamage(metadata.error());
  FUZZ_CHECK(metadata->bytes() == bytes);
  Entry folder = metadata->Root();
  for (const char* name : kNames) {
    const auto entry = metadata->Find(folder, name, kWhere);
    if (!entry) return CheckDamage(entry.error());
    if (!*entry) continue;
    metadata->DescriptorOf(**entry);
    if ((*entry)->is_folder) {
      folder = **entry;
    } else {
      metadata->HashOf(**entry);
      const auto set = metadata->SetHash(**entry, wim::HashOf(name), 1);
      if (!set) return CheckDamage(set.error());
    }
  }
  const auto added = metadata->Add(folder, "added", wim::HashOf("added"), "descriptor", 1);
  if (!added) return CheckDamage(added.error());
  const auto entry = metadata->Find(metadata->Root(), kNames[0], kWhere);
  if (!entry || !*entry) return;
  const auto removed = metadata->Remove(metadata->Root(), **entry, [](const Hash&) {});
  if (!removed) CheckDamage(removed.error());
}

// An image with nothing in it: no descriptors, a root without a list.
Metadata Empty() {
  std::string bytes(8 + 104 + 8, '\0');
  bytes[0] = 8;
  bytes[8] = 104;
  bytes[8 + 8] = 0x10;
  auto made = Metadata::Read(std::move(bytes), kWhere);
  FUZZ_CHECK(made);
  return *std::move(made);
}

// What there is, by path: folders have no hash.
struct Known {
  std::optional<Hash> hash;
  std::string descriptor;
};
using Model = std::map<std::string, Known>;

std::optional<Entry> Walk(const Metadata& metadata, std::string_view path) {
  Entry at = metadata.Root();
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    FUZZ_CHECK(at.is_folder);
    const auto found = metadata.Find(at, path.substr(0, slash), kWhere);
    FUZZ_CHECK(found);
    if (!*found) return std::nullopt;
    at = **found;
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
  return at;
}

void Compare(const Metadata& metadata, const Model& model) {
  for (const auto& [path, known] : model) {
    const auto entry = Walk(metadata, path);
    FUZZ_CHECK(entry && entry->is_folder == !known.hash);
    FUZZ_CHECK(metadata.DescriptorOf(*entry) == known.descriptor);
    if (known.hash) FUZZ_CHECK(metadata.HashOf(*entry) == *known.hash);
  }
}

std::string Parent(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool HoldsSomething(const Model& model, const std::string& folder) {
  const auto next = model.lower_bound(folder + "/");
  return next != model.end() && next->first.starts_with(folder + "/");
}

void Add(Metadata& metadata, Model& model, const std::string& parent, std::uint8_t what) {
  const std::string name = kNames[what % std::size(kNames)];
  const std::string path = parent.empty() ? name : parent + "/" + name;
  if (model.contains(path)) return;
  const std::optional<Hash> hash = what % 2 == 0 ? std::optional(wim::HashOf(path)) : std::nullopt;
  const std::string descriptor = kDescriptors[what / 2 % std::size(kDescriptors)];
  FUZZ_CHECK(metadata.Add(*Walk(metadata, parent), name, hash, descriptor, what));
  model[path] = {hash, descriptor};
}

void Remove(Metadata& metadata, Model& model, const std::string& path) {
  if (HoldsSomething(model, path)) {
    FUZZ_CHECK(!metadata.IsEmpty(*Walk(metadata, path)).value());
    return;
  }
  std::size_t hashes = 0;
  FUZZ_CHECK(metadata.Remove(*Walk(metadata, Parent(path)), *Walk(metadata, path), [&](const Hash&) { ++hashes; }));
  FUZZ_CHECK(hashes == (model.at(path).hash ? 1U : 0U));
  FUZZ_CHECK(!Walk(metadata, path));
  model.erase(path);
}

void CheckEdits(std::string_view script) {
  Metadata metadata = Empty();
  Model model;
  for (std::size_t at = 0; at + 1 < script.size() && at < 128; at += 2) {
    const auto which = static_cast<std::uint8_t>(script[at]), what = static_cast<std::uint8_t>(script[at + 1]);
    auto chosen = model.begin();
    if (!model.empty()) std::advance(chosen, which / 4 % model.size());
    if (model.empty() || which % 4 == 0) {
      Add(metadata, model, "", what);
    } else if (which % 4 == 1) {
      Add(metadata, model, chosen->second.hash ? Parent(chosen->first) : chosen->first, what);
    } else if (which % 4 == 2) {
      Remove(metadata, model, std::string(chosen->first));
    } else if (chosen->second.hash) {
      chosen->second.hash = wim::HashOf(kNames[what % std::size(kNames)]);
      FUZZ_CHECK(metadata.SetHash(*Walk(metadata, chosen->first), *chosen->second.hash, what));
    }
    if (at % 16 == 14) Compare(metadata, model);
  }
  Compare(metadata, model);
  const auto again = Metadata::Read(metadata.bytes(), kWhere);
  FUZZ_CHECK(again);
  Compare(*again, model);
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const std::string_view input = TextOf(data, size);
  if (input.empty()) return 0;
  const std::string_view rest = input.substr(1);
  switch (input.front()) {
    case 'h':
      CheckHeader(rest);
      break;
    case 't':
      CheckTable(rest);
      break;
    case 'x':
      CheckXml(rest);
      break;
    case 'm':
      CheckMetadata(rest);
      break;
    default:
      CheckEdits(rest);
  }
  return 0;
}
