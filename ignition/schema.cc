#include "ignition/schema.h"

#include <fmt/format.h>

#include <string>

#include "provisioner/base/text.h"

namespace prov::ignition {
namespace {

constexpr int kMostMode = 07777;

std::unexpected<Error> Invalid(std::string message, const JsonPath& at) {
  return Fail(Code::kInvalidConfig, std::move(message), at.Text());
}

// Calls check(entry, path) for each object of the array `name`.
template <class Check>
Result<void> ForEachObject(const JsonValue* object, std::string_view name, const JsonPath& at, Check check) {
  const JsonValue* list = PROV_TRY(ArrayMember(object, name, at));
  if (list == nullptr) return {};
  const JsonPath list_at = at.Key(name);
  for (rapidjson::SizeType i = 0; i < list->Size(); ++i) {
    const JsonPath entry_at = list_at.At(i);
    PROV_TRY(RequireObject((*list)[i], entry_at));
    PROV_TRY(check((*list)[i], entry_at));
  }
  return {};
}

Result<void> CheckPath(const JsonValue& entry, const JsonPath& at) {
  const auto path = PROV_TRY(StringMember(&entry, "path", at));
  if (!path) return Invalid("the entry has no path", at.Key("path"));
  if (const char* problem = PathProblem(*path))
    return Invalid(fmt::format("the path \"{}\" {}", Shorten(*path), problem), at.Key("path"));
  return {};
}

Result<void> CheckMode(const JsonValue& entry, const JsonPath& at) {
  const JsonValue* mode = JsonMember(&entry, "mode");
  if (mode == nullptr) return {};
  const JsonPath mode_at = at.Key("mode");
  if (!mode->IsInt64() && !mode->IsUint64())
    return WrongJsonType(*mode, "an integer (0644 is written 420 in JSON)", mode_at.Text());
  if (!mode->IsInt() || mode->GetInt() < 0 || mode->GetInt() > kMostMode) {
    return Fail(Code::kType, "the mode must lie between 0 and 4095 (07777 octal)", mode_at.Text());
  }
  return {};
}

Result<void> CheckFile(const JsonValue& file, SpecVersion version, const JsonPath& at) {
  PROV_TRY(CheckPath(file, at));
  PROV_TRY(CheckMode(file, at));
  PROV_TRY(StringMember(&file, "filesystem", at));
  const auto overwrite = PROV_TRY(BoolMember(&file, "overwrite", at));
  const JsonValue* contents = PROV_TRY(ObjectMember(&file, "contents", at));
  PROV_TRY(ReadResourceMembers(contents, at.Key("contents")));
  if (version.major == 2) {
    PROV_TRY(BoolMember(&file, "append", at));
    return {};
  }
  if (overwrite.value_or(false) && JsonMember(contents, "source") == nullptr) {
    return Invalid("overwrite is true, but there is no contents.source (an empty file is written \"source\": \"\")",
                   at.Key("overwrite"));
  }
  return ForEachObject(&file, "append", at, [](const JsonValue& resource, const JsonPath& resource_at) -> Result<void> {
    PROV_TRY(ReadResourceMembers(&resource, resource_at));
    return {};
  });
}

Result<void> CheckNamed(const JsonValue& entry, const JsonPath& at) {
  const auto name = PROV_TRY(StringMember(&entry, "name", at));
  if (!name || name->empty()) return Invalid("the entry has no name", at.Key("name"));
  PROV_TRY(StringMember(&entry, "contents", at));
  return {};
}

Result<void> CheckUnit(const JsonValue& unit, const JsonPath& at) {
  PROV_TRY(CheckNamed(unit, at));
  return ForEachObject(&unit, "dropins", at, CheckNamed);
}

}  // namespace

Result<void> RequireObject(const JsonValue& value, const JsonPath& at) {
  if (!value.IsObject()) return WrongJsonType(value, "an object", at.Text());
  return {};
}

Result<const JsonValue*> ObjectMember(const JsonValue* object, std::string_view name, const JsonPath& at) {
  const JsonValue* value = JsonMember(object, name);
  if (value != nullptr && !value->IsObject()) return WrongJsonType(*value, "an object", at.Key(name).Text());
  return value;
}

Result<const JsonValue*> ArrayMember(const JsonValue* object, std::string_view name, const JsonPath& at) {
  const JsonValue* value = JsonMember(object, name);
  if (value != nullptr && !value->IsArray()) return WrongJsonType(*value, "an array", at.Key(name).Text());
  return value;
}

Result<std::optional<std::string_view>> StringMember(const JsonValue* object, std::string_view name,
                                                     const JsonPath& at) {
  const JsonValue* value = JsonMember(object, name);
  if (value == nullptr) return std::nullopt;
  if (!value->IsString()) return WrongJsonType(*value, "a string", at.Key(name).Text());
  return JsonTextOf(*value);
}

Result<std::optional<bool>> BoolMember(const JsonValue* object, std::string_view name, const JsonPath& at) {
  const JsonValue* value = JsonMember(object, name);
  if (value == nullptr) return std::nullopt;
  if (!value->IsBool()) return WrongJsonType(*value, "a boolean", at.Key(name).Text());
  return value->GetBool();
}

Result<std::string_view> VersionText(const JsonValue& root, const JsonPath& at) {
  const JsonPath ignition_at = at.Key("ignition");
  const JsonValue* ignition = PROV_TRY(ObjectMember(&root, "ignition", at));
  const JsonValue* version = JsonMember(ignition, "version");
  if (version != nullptr && version->IsString()) return JsonTextOf(*version);
  const std::string found = version == nullptr ? "there is none" : fmt::format("found {}", JsonTypeName(*version));
  return Fail(Code::kVersion,
              fmt::format("an Ignition config needs its spec version as a string such as \"3.4.0\"; {}", found),
              ignition_at.Key("version").Text());
}

Result<void> CheckEntries(const JsonValue& root, SpecVersion version, const JsonPath& at) {
  const JsonValue* storage = PROV_TRY(ObjectMember(&root, "storage", at));
  const JsonPath storage_at = at.Key("storage");
  PROV_TRY(ForEachObject(storage, "files", storage_at, [version](const JsonValue& file, const JsonPath& file_at) {
    return CheckFile(file, version, file_at);
  }));
  for (const std::string_view name : {"directories", "links"}) {
    PROV_TRY(
        ForEachObject(storage, name, storage_at, [](const JsonValue& entry, const JsonPath& entry_at) -> Result<void> {
          PROV_TRY(StringMember(&entry, "filesystem", entry_at));
          return CheckPath(entry, entry_at);
        }));
  }
  const JsonValue* systemd = PROV_TRY(ObjectMember(&root, "systemd", at));
  return ForEachObject(systemd, "units", at.Key("systemd"), CheckUnit);
}

Result<Resource> ReadResourceMembers(const JsonValue* object, const JsonPath& at) {
  Resource out;
  if (object == nullptr) return out;
  out.source = PROV_TRY(StringMember(object, "source", at));
  out.compression = PROV_TRY(StringMember(object, "compression", at));
  const JsonValue* verification = PROV_TRY(ObjectMember(object, "verification", at));
  out.hash = PROV_TRY(StringMember(verification, "hash", at.Key("verification")));
  PROV_TRY(ForEachObject(object, "httpHeaders", at,
                         [&out](const JsonValue& header, const JsonPath& header_at) -> Result<void> {
                           const auto name = PROV_TRY(StringMember(&header, "name", header_at));
                           const auto value = PROV_TRY(StringMember(&header, "value", header_at));
                           // A header without a value removes a default header; there are none.
                           if (name && !name->empty() && value) out.http_headers.emplace_back(*name, *value);
                           return {};
                         }));
  return out;
}

const char* PathProblem(std::string_view path) {
  if (path.empty()) return "is empty";
  if (path.front() != '/') return "is not absolute";
  if (path.find('\0') != std::string_view::npos) return "holds a NUL character";
  if (path == "/") return nullptr;  // allowed for directories
  for (std::size_t start = 1; start <= path.size();) {
    std::size_t end = path.find('/', start);
    if (end == std::string_view::npos) end = path.size();
    const std::string_view part = path.substr(start, end - start);
    if (part.empty() || part == "." || part == "..") return "is not in its simplest form (empty, \".\" or \"..\" part)";
    start = end + 1;
  }
  return nullptr;
}

}  // namespace prov::ignition
