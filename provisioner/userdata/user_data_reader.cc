#include "provisioner/userdata/user_data_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "ignition/gzip.h"
#include "ignition/yaml.h"
#include "provisioner/base/base64.h"
#include "provisioner/base/file.h"
#include "provisioner/base/json.h"
#include "provisioner/base/text.h"
#include "provisioner/userdata/user_data_append.h"
#include "provisioner/userdata/user_data_forms.h"
#include "provisioner/userdata/user_data_script.h"

namespace prov::userdata {
namespace {

// The key in a Secret: of the Machine API, of the Cluster API.
constexpr std::array<std::string_view, 2> kKeys = {"userData", "value"};

// Whether the text is a manifest as `oc get secret -o yaml|json` prints it, and not a script.
bool LooksLikeManifest(std::string_view bytes) {
  if (TrimBlanks(bytes).starts_with('{')) return true;
  const std::vector<std::string_view> lines = Split(bytes, '\n');
  const auto has = [&](std::string_view key) {
    return std::ranges::any_of(lines, [&](std::string_view line) { return line.starts_with(key); });
  };
  return has("kind:") && has("apiVersion:");
}

Result<UserDataFile> UserDataOfSecret(std::string bytes, const std::string& where) {
  const JsonLimits limits;
  bytes.reserve(bytes.size() + kJsonPadding);
  auto parsed = ignition::ParseJsonOrYaml(std::move(bytes), limits);
  if (!parsed) {
    Error error = std::move(parsed).error();
    error.where = fmt::format("{}: {}", where, error.where);
    return std::unexpected(std::move(error));
  }
  const JsonValue& root = (*parsed)->root();
  const auto member = [](const JsonValue* object, std::string_view name) {
    return object != nullptr && object->IsObject() ? JsonMember(object, name) : nullptr;
  };
  const auto text = [&](std::string_view section, std::string_view key) -> const JsonValue* {
    const JsonValue* value = member(member(&root, section), key);
    return value != nullptr && value->IsString() ? value : nullptr;
  };
  if (const JsonValue* kind = member(&root, "kind");
      kind == nullptr || !kind->IsString() || JsonTextOf(*kind) != "Secret") {
    return Fail(Code::kKind, "is an object but not a Secret; give the Secret as oc get prints it, or its user data",
                where);
  }
  const std::string name(JsonTextAt(root, {"metadata", "name"}));
  for (const std::string_view key : kKeys) {
    // stringData overrides data, as in the API server.
    if (const JsonValue* plain = text("stringData", key)) return UserDataFile{std::string(JsonTextOf(*plain)), name};
    const JsonValue* encoded = text("data", key);
    if (encoded == nullptr) continue;
    auto decoded = DecodeBase64(TrimBlanks(JsonTextOf(*encoded)));
    if (!decoded) return Fail(Code::kKind, "is not base64", fmt::format("{}: $.data.{}", where, key));
    return UserDataFile{*std::move(decoded), name};
  }
  return Fail(Code::kKind, "has no text data.userData, which contains the user data of machines", where);
}

// The contents of gzip, a guestinfo value or a Secret; empty for other text.
std::string Unpacked(std::string_view text) {
  if (ignition::LooksLikeGzip(text)) return ignition::Gunzip(text, kMostUserDataBytes, "").value_or("");
  for (const std::string_view name : kKeys) {
    const std::string key = fmt::format("\n  {}: ", name);
    const std::size_t at = text.find(key);
    if (at != std::string_view::npos) text.remove_prefix(at + key.size());
  }
  return DecodeBase64(TrimBlanks(text)).value_or("");
}

// Our script in user data, or in a Secret with it; nullopt if there is none.
std::optional<std::string> FindOurScript(std::string text) {
  constexpr int kMostLayers = 5;  // a Secret with a guestinfo value: base64, base64, gzip
  for (int layer = 0; layer < kMostLayers && !text.empty(); ++layer) {
    if (IsOurs(text)) return text;
    text = Unpacked(text);
  }
  return std::nullopt;
}

// A file with any other object is no manifest of user data, and is not parsed.
bool NamesUserData(std::string_view bytes) {
  const auto has = [&](std::string_view key) { return bytes.find(key) != std::string_view::npos; };
  return has("Secret") && std::ranges::any_of(kKeys, has) && LooksLikeManifest(bytes);
}

std::unexpected<Error> Damaged(const std::string& where) {
  return Fail(Code::kInvalidConfig, "is user data of provisioner, but its data are damaged; bake them again", where);
}

}  // namespace

Result<std::optional<std::string>> ContainerIn(const std::string& bytes, const std::string& where) {
  if (bytes.size() > kMostUserDataBytes) return std::nullopt;
  std::string text = bytes;
  if (DecodeMarked(text) && NamesUserData(text)) {
    // Other objects contain the same words.
    auto secret = UserDataOfSecret(std::move(text), where);
    if (!secret) return std::nullopt;
    text = std::move(secret->bytes);
  }
  const std::optional<std::string> script = FindOurScript(std::move(text));
  if (!script) return std::nullopt;
  const std::string_view data = DataOfScript(*script);
  if (data.empty()) return std::nullopt;  // our name alone, as in a comment
  const auto packed = DecodeAscii85(data);
  if (!packed) return Damaged(where);
  constexpr std::uint64_t kMostScripts = std::uint64_t{2} << 16U;
  const auto unpacked = ignition::Gunzip(*packed, kMostUnpackedBytes + kMostScripts, where);
  if (!unpacked) return Damaged(where);
  std::optional<std::string> container = BehindScripts(*unpacked);
  if (!container) return Damaged(where);
  return container;
}

Result<UserDataFile> ReadUserDataFile(const std::string& path) {
  std::string bytes = PROV_TRY(ReadFile(path, kMostUserDataBytes));
  // PowerShell's > writes UTF-16. Decode a manifest, but not a script: machines would get other bytes.
  std::string text = bytes;
  if (!DecodeMarked(text) || !LooksLikeManifest(text)) return UserDataFile{std::move(bytes)};
  return UserDataOfSecret(std::move(text), path);
}

std::string PlainUserData(const std::string& bytes) {
  std::optional<std::string> ours = FindOurScript(bytes);
  return ours ? *std::move(ours) : bytes;
}

bool IsOurUserData(std::string_view bytes) { return FindOurScript(std::string(bytes)).has_value(); }

}  // namespace prov::userdata
