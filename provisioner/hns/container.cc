#include "provisioner/hns/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/text.h"

namespace prov::hns {
namespace {

constexpr std::string_view kNoDocument =
    "is not what `crictl inspect` prints of a container: it is an object with status and info";

std::unexpected<Error> RefuseKind(const JsonNode& node, std::string message) {
  return node.Refuse(Code::kKind, std::move(message));
}

// The member of an object; nullopt if it is absent or the node is no object.
std::optional<JsonNode> Member(const JsonNode& node, std::string_view name) {
  auto found = node.Find(name);
  return found ? *std::move(found) : std::nullopt;
}

Result<std::string> IdOf(const JsonNode& document) {
  const auto status = Member(document, "status");
  const auto id = status ? Member(*status, "id") : std::nullopt;
  const auto text = id ? id->Text() : Result<std::string>(std::string());
  if (!text || text->empty()) return RefuseKind(document, std::string(kNoDocument));
  return *text;
}

// The runtime's details about the container. crictl prints them as an object; CRI has them as a text in info.info.
Result<JsonNode> InfoOf(const JsonNode& document, const std::string& where) {
  auto info = Member(document, "info");
  if (!info) return RefuseKind(document, "has no info; the container is known to the runtime by its ID only");
  for (auto inner = info; inner; inner = Member(*info, "info")) {
    const auto text = inner->Text();
    info = text ? PROV_TRY(ParseJsonDocument(*text, where + ": info")) : *inner;
    if (Member(*info, "runtimeSpec")) break;
  }
  return *std::move(info);
}

// Whether the runtime's annotation says that the container's processes are processes of the node.
bool IsHostProcess(const JsonNode& spec) {
  const auto annotations = Member(spec, "annotations");
  const auto value = annotations ? Member(*annotations, "microsoft.com/hostprocess-container") : std::nullopt;
  const auto text = value ? value->Text() : Result<std::string>(std::string());
  return text && EqualsIgnoreAsciiCase(*text, "true");
}

Result<std::string> NamespaceOf(const JsonNode& document, const std::string& where) {
  const JsonNode info = PROV_TRY(InfoOf(document, where));
  const auto spec = Member(info, "runtimeSpec");
  if (!spec) return RefuseKind(info, "has no runtimeSpec, in which the container's network is named");
  const auto windows = Member(*spec, "windows");
  if (!windows) return RefuseKind(*spec, "has no member windows: it is not a Windows container");
  if (Member(*windows, "hyperv")) {
    return RefuseKind(*windows,
                      "has Hyper-V isolation, and HNS redirects traffic of containers with process isolation only");
  }
  if (IsHostProcess(*spec))
    return RefuseKind(*spec, "is of a HostProcess container, which has the node's network and no endpoint of its own");
  const auto network = Member(*windows, "network");
  const auto found = network ? Member(*network, "networkNamespace") : std::nullopt;
  const auto text = found ? found->Text() : Result<std::string>(std::string());
  if (!text || text->empty())
    return RefuseKind(*windows, "names no network.networkNamespace: the container has no network of its own");
  auto guid = ParseGuid(*text, where);
  if (!guid) return RefuseKind(*found, fmt::format("is not the GUID of a namespace: \"{}\"", Shorten(*text)));
  return guid;
}

struct Entry {
  std::string id;
  JsonNode document;
};

Result<std::vector<Entry>> EntriesOf(const JsonNode& root) {
  std::vector<Entry> out;
  const auto items = root.Items();
  if (!items) {
    out.push_back({PROV_TRY(IdOf(root)), root});
    return out;
  }
  for (const JsonNode& item : *items) out.push_back({PROV_TRY(IdOf(item)), item});
  return out;
}

// The entry with this ID, or the only one whose ID begins with it.
Result<Entry> Select(std::vector<Entry> entries, std::string_view container, const JsonNode& root) {
  const auto exact = std::ranges::find(entries, container, [](const Entry& e) { return std::string_view(e.id); });
  if (exact != entries.end()) return *exact;
  const std::size_t count = entries.size();
  const std::string only = count == 1 ? entries.front().id : std::string();
  std::erase_if(entries, [&](const Entry& entry) { return !entry.id.starts_with(container); });
  if (entries.size() == 1) return entries.front();
  if (entries.empty() && count == 1) {
    return RefuseKind(root, fmt::format("is of container {}, not of {}; give the document of that one", Shorten(only),
                                        Shorten(container)));
  }
  if (entries.empty())
    return RefuseKind(root, fmt::format("is of {} containers, and none is {}", count, Shorten(container)));
  return RefuseKind(root, fmt::format("has {} containers whose IDs begin with {}; give more of the ID", entries.size(),
                                      Shorten(container)));
}

}  // namespace

Result<Container> ReadContainer(std::string bytes, std::string_view container, const std::string& where) {
  const std::size_t scheme = container.find("://");
  if (scheme != std::string_view::npos) container.remove_prefix(scheme + 3);
  if (container.empty()) return Fail(Code::kUsage, "the ID of a container is missing", "CONTAINER");
  if (bytes.size() > kMostContainerBytes)
    return Fail(Code::kTooLarge, "is larger than any document of a container", where);
  if (!DecodeMarked(bytes))
    return Fail(Code::kJson, "not JSON: it begins as UTF-16, and is cut short or damaged", where);
  const JsonNode root = PROV_TRY(ParseJsonDocument(bytes, where));
  Entry found = PROV_TRY(Select(PROV_TRY(EntriesOf(root)), container, root));
  std::string network_namespace = PROV_TRY(NamespaceOf(found.document, where));
  return Container{std::move(found.id), std::move(network_namespace)};
}

Result<std::string> ParseGuid(std::string_view text, const std::string& where) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  std::string_view inner = text;
  if (inner.starts_with('{') && inner.ends_with('}') && inner.size() > 1) inner = inner.substr(1, inner.size() - 2);
  const bool fits =
      std::ranges::equal(inner, kForm, [](char c, char form) { return form == '-' ? c == '-' : HexDigit(c) >= 0; });
  if (fits) return std::string(inner);
  return Fail(Code::kUsage,
              fmt::format("takes a GUID such as 93f86a7f-e361-4362-b8a4-81bbb6a622dd, not \"{}\"", Shorten(text)),
              where);
}

}  // namespace prov::hns
