#include "provisioner/reconcile/operation.h"

#include <algorithm>
#include <utility>

#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/registry_files.h"
#include "provisioner/registries/hosts_files.h"

namespace prov::reconcile {
namespace {

using images::RegValue;
using pki::Store;

Result<RegistryWrite> ReadRegistryWrite(const JsonNode& node) {
  RegistryWrite write;
  write.key = PROV_TRY(node.Get("key", &JsonNode::Text));
  write.name = PROV_TRY(node.Get("name", &JsonNode::Text));
  write.before = PROV_TRY(ReadStored(node, "before"));
  write.after = PROV_TRY(ReadStored(node, "after"));
  write.own_keys = PROV_TRY(node.Get("ownKeys", &JsonNode::Texts));
  return write;
}

Result<CertificateWrite> ReadCertificateWrite(const JsonNode& node) {
  CertificateWrite write;
  const JsonNode store = PROV_TRY(node.Get("store"));
  const std::string name = PROV_TRY(store.Text());
  if (name != NameOf(Store::kRoot) && name != NameOf(Store::kCa)) return store.Refuse(Code::kType, "is not a store");
  write.store = name == NameOf(Store::kRoot) ? Store::kRoot : Store::kCa;
  write.der = PROV_TRY(node.Get("der", &JsonNode::Bytes));
  write.add = PROV_TRY(node.Get("add", &JsonNode::Bool));
  write.before = PROV_TRY(ReadStored(node, "before"));
  return write;
}

Result<SecurityWrite> ReadSecurityWrite(const JsonNode& node) {
  SecurityWrite write;
  write.key = PROV_TRY(node.Get("key", &JsonNode::Text));
  write.before = PROV_TRY(node.Get("before", &JsonNode::Bytes));
  write.after = PROV_TRY(node.Get("after", &JsonNode::Bytes));
  return write;
}

Result<EndpointWrite> ReadEndpointWrite(const JsonNode& node) {
  EndpointWrite write;
  write.endpoint = PROV_TRY(node.Get("endpoint", &JsonNode::Text));
  write.before = PROV_TRY(node.Get("before", &JsonNode::Texts));
  write.after = PROV_TRY(node.Get("after", &JsonNode::Texts));
  return write;
}

Result<std::optional<std::string>> FindBytes(const JsonNode& node, std::string_view key) {
  const auto member = PROV_TRY(node.Find(key));
  if (!member) return std::nullopt;
  return PROV_TRY(member->Bytes());
}

Result<bool> FindFlag(const JsonNode& node, std::string_view key) {
  const auto member = PROV_TRY(node.Find(key));
  return member && PROV_TRY(member->Bool());
}

// The journal of an image is not trusted.
Result<FileWrite> ReadFileWrite(const JsonNode& node) {
  FileWrite write;
  const JsonNode path = PROV_TRY(node.Get("path"));
  write.path = PROV_TRY(path.Text());
  if (!IsManagedFile(write.path)) return path.Refuse(Code::kType, "is not a path of ours");
  write.before = PROV_TRY(FindBytes(node, "before"));
  write.after = PROV_TRY(FindBytes(node, "after"));
  write.is_before_closed = PROV_TRY(FindFlag(node, "beforeIsClosed"));
  write.is_after_closed = PROV_TRY(FindFlag(node, "afterIsClosed"));
  for (const JsonNode& one : PROV_TRY(node.Get("ownFolders", &JsonNode::Items))) {
    std::string folder = PROV_TRY(one.Text());
    if (!IsFolderAbove(folder, write.path)) return one.Refuse(Code::kType, "is not a folder on the way to the file");
    write.own_folders.push_back(std::move(folder));
  }
  return write;
}

// Checks that an operation suits its item's kind: the journal of an image comes from elsewhere and is not trusted.
bool Fits(std::string_view item, const Operation& operation) {
  if (const auto* const file = std::get_if<FileWrite>(&operation))
    return item == ItemKey(kFileItem, AsciiLower(file->path));
  return item.starts_with(kCertificateItem) == std::holds_alternative<CertificateWrite>(operation) &&
         item.starts_with(kHnsItem) == std::holds_alternative<EndpointWrite>(operation) &&
         !item.starts_with(kFileItem) &&
         item.starts_with(kServiceSecurityItem) == std::holds_alternative<SecurityWrite>(operation);
}

}  // namespace

const std::string& ItemOf(const Operation& operation) {
  return std::visit([](const auto& write) -> const std::string& { return write.item; }, operation);
}

Operation Inverse(const Operation& operation) {
  Operation out = operation;
  if (auto* write = std::get_if<RegistryWrite>(&out)) std::swap(write->before, write->after);
  if (auto* write = std::get_if<CertificateWrite>(&out)) write->add = !write->add;
  if (auto* write = std::get_if<SecurityWrite>(&out)) std::swap(write->before, write->after);
  if (auto* write = std::get_if<EndpointWrite>(&out)) std::swap(write->before, write->after);
  if (auto* write = std::get_if<FileWrite>(&out)) {
    std::swap(write->before, write->after);
    std::swap(write->is_before_closed, write->is_after_closed);
  }
  return out;
}

Result<std::vector<std::string>> MissingKeys(machine::Registry& registry, std::string_view key) {
  std::vector<std::string> out;
  while (!key.empty() && !PROV_TRY(registry.KeyExists(key))) {
    out.emplace_back(key);
    const std::size_t backslash = key.rfind('\\');
    key = backslash == std::string_view::npos ? std::string_view() : key.substr(0, backslash);
  }
  std::ranges::reverse(out);
  return out;
}

bool IsManagedFile(std::string_view path) {
  const auto full = FullWindowsPath(path);
  if (!full || *full != path || IsOperatorsPath(path)) return false;
  constexpr std::ptrdiff_t kLeastNames = 3;
  if (std::ranges::count(path, '\\') < kLeastNames) return false;
  const std::string_view name = path.substr(path.rfind('\\') + 1);
  return name == registries::kHostsFile || name.ends_with(".crt") || name.ends_with(".pem");
}

bool IsFolderAbove(std::string_view folder, std::string_view path) {
  const auto full = FullWindowsPath(folder);
  return full && *full == folder && path.size() > folder.size() && path[folder.size()] == '\\' &&
         EqualsIgnoreAsciiCase(path.substr(0, folder.size()), folder);
}

Result<std::vector<std::string>> MissingFolders(machine::Files& files, std::string_view path) {
  std::vector<std::string> out;
  constexpr std::size_t kDrive = 3;
  for (std::size_t end = path.rfind('\\'); end != std::string_view::npos && end >= kDrive; end = path.rfind('\\')) {
    path = path.substr(0, end);
    if (PROV_TRY(files.FolderExists(path))) break;
    out.emplace_back(path);
  }
  std::ranges::reverse(out);
  return out;
}

void WriteStored(JsonWriter& json, std::string_view key, const std::optional<RegValue>& value) {
  json.Key(key);
  if (!value) {
    json.Null();
    return;
  }
  json.BeginObject().Member("name", value->name).Member("type", static_cast<std::int64_t>(value->type));
  json.Member("data", EncodeBase64(value->data)).EndObject();
}

Result<std::optional<RegValue>> ReadStored(const JsonNode& parent, std::string_view key) {
  const auto node = PROV_TRY(parent.Find(key));
  if (!node) return std::nullopt;
  RegValue value;
  value.name = PROV_TRY(node->Get("name", &JsonNode::Text));
  value.type = static_cast<images::RegType>(PROV_TRY(node->Get("type", &JsonNode::Integer)));
  value.data = PROV_TRY(node->Get("data", &JsonNode::Bytes));
  return value;
}

void WriteOperation(JsonWriter& json, const Operation& operation) {
  json.BeginObject().Member("item", ItemOf(operation));
  if (const auto* write = std::get_if<RegistryWrite>(&operation)) {
    json.Member("kind", "registry").Member("key", write->key).Member("name", write->name);
    WriteStored(json, "before", write->before);
    WriteStored(json, "after", write->after);
    json.Strings("ownKeys", write->own_keys);
  }
  if (const auto* write = std::get_if<CertificateWrite>(&operation)) {
    json.Member("kind", "certificate").Member("store", NameOf(write->store)).Member("add", write->add);
    json.Member("der", EncodeBase64(write->der));
    if (write->before) WriteStored(json, "before", write->before);
  }
  if (const auto* write = std::get_if<SecurityWrite>(&operation)) {
    json.Member("kind", "security").Member("key", write->key);
    json.Member("before", EncodeBase64(write->before)).Member("after", EncodeBase64(write->after));
  }
  if (const auto* write = std::get_if<EndpointWrite>(&operation)) {
    json.Member("kind", "endpoint").Member("endpoint", write->endpoint);
    json.Strings("before", write->before);
    json.Strings("after", write->after);
  }
  if (const auto* write = std::get_if<FileWrite>(&operation)) {
    json.Member("kind", "file").Member("path", write->path);
    if (write->before) json.Member("before", EncodeBase64(*write->before));
    if (write->after) json.Member("after", EncodeBase64(*write->after));
    if (write->is_before_closed) json.Member("beforeIsClosed", true);
    if (write->is_after_closed) json.Member("afterIsClosed", true);
    json.Strings("ownFolders", write->own_folders);
  }
  json.EndObject();
}

Result<Operation> ReadOperation(const JsonNode& node) {
  const JsonNode kind = PROV_TRY(node.Get("kind"));
  const std::string name = PROV_TRY(kind.Text());
  const std::string item = PROV_TRY(node.Get("item", &JsonNode::Text));
  const auto complete = [&](auto write) -> Result<Operation> {
    write.item = item;
    if (!Fits(write.item, write)) return kind.Refuse(Code::kType, "is not what its item needs");
    return write;
  };
  if (name == "registry") return complete(PROV_TRY(ReadRegistryWrite(node)));
  if (name == "certificate") return complete(PROV_TRY(ReadCertificateWrite(node)));
  if (name == "security") return complete(PROV_TRY(ReadSecurityWrite(node)));
  if (name == "endpoint") return complete(PROV_TRY(ReadEndpointWrite(node)));
  if (name == "file") return complete(PROV_TRY(ReadFileWrite(node)));
  return kind.Refuse(Code::kType, "is none of registry, certificate, security, endpoint, file");
}

}  // namespace prov::reconcile
