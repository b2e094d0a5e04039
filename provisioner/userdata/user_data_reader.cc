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

// The user data of one Secret at a key; nullopt: none there. Errors: kind, with the place in the Secret.
Result<std::optional<UserDataFile>> UserDataAt(const JsonValue& secret, const std::string& at, std::string_view key) {
  const auto text = [&](std::string_view section) {
    const JsonValue* value = JsonAt(secret, {section, key});
    return value != nullptr && value->IsString() ? std::optional(JsonTextOf(*value)) : std::nullopt;
  };
  std::string name(JsonTextAt(secret, {"metadata", "name"}));
  // stringData overrides data, as in the API server.
  if (const auto plain = text("stringData")) return UserDataFile{std::string(*plain), std::move(name)};
  const auto encoded = text("data");
  if (!encoded) return std::nullopt;
  auto decoded = DecodeBase64(TrimBlanks(*encoded));
  if (!decoded) return Fail(Code::kKind, "is not base64", fmt::format("{}.data.{}", at, key));
  return UserDataFile{*std::move(decoded), std::move(name)};
}

// An object, or the items of a List, with their places.
std::vector<std::pair<const JsonValue*, std::string>> ObjectsOf(const JsonValue& root) {
  const std::string_view kind = JsonTextAt(root, {"kind"});
  const JsonValue* items = kind == "List" || kind == "SecretList" ? JsonAt(root, {"items"}) : nullptr;
  if (items == nullptr || !items->IsArray()) return {{&root, "$"}};
  std::vector<std::pair<const JsonValue*, std::string>> out;
  out.reserve(items->Size());
  for (rapidjson::SizeType i = 0; i < items->Size(); ++i) out.emplace_back(&(*items)[i], fmt::format("$.items[{}]", i));
  return out;
}

// The user data of a Secret, or of those in a List of nothing but Secrets, one at least. Errors: those of parsing;
// kind.
Result<std::vector<UserDataFile>> UserDataOfSecrets(std::string bytes, const std::string& where) {
  bytes.reserve(bytes.size() + kJsonPadding);
  auto parsed = ignition::ParseJsonOrYaml(std::move(bytes), JsonLimits{});
  if (!parsed) {
    Error error = std::move(parsed).error();
    error.where = fmt::format("{}: {}", where, error.where);
    return std::unexpected(std::move(error));
  }
  const auto secrets = ObjectsOf((*parsed)->root());
  if (!std::ranges::all_of(secrets, [](const auto& one) { return JsonTextAt(*one.first, {"kind"}) == "Secret"; })) {
    return Fail(Code::kKind, "is an object but not a Secret; give the Secret as oc get prints it, or its user data",
                where);
  }
  std::vector<UserDataFile> out;
  bool is_empty = false;
  for (const std::string_view key : kKeys) {
    if (!out.empty()) break;  // Secrets of other things have a "value", too
    for (const auto& [secret, path] : secrets) {
      auto data = PROV_TRY(UserDataAt(*secret, fmt::format("{}: {}", where, path), key));
      is_empty = is_empty || (data && data->bytes.empty());
      if (data && !data->bytes.empty()) out.push_back(*std::move(data));
    }
  }
  if (!out.empty()) return out;
  return Fail(Code::kKind,
              is_empty ? "has empty user data" : "has no text data.userData, which contains the user data of machines",
              where);
}

// The only one, or the one of this name. Errors: not-found, with what to do.
Result<UserDataFile> ChooseUserData(std::vector<UserDataFile> found, std::string_view name, std::string_view remedy,
                                    const std::string& where) {
  constexpr std::size_t kMostShown = 400;
  if (found.size() == 1) return std::move(found.front());
  const auto is_wanted = [&](const UserDataFile& one) { return one.secret == name; };
  if (!name.empty() && std::ranges::count_if(found, is_wanted) == 1)
    return std::move(*std::ranges::find_if(found, is_wanted));
  std::string names;
  for (const UserDataFile& one : found) names += fmt::format("{}{}", names.empty() ? "" : ", ", Shorten(one.secret));
  return Fail(Code::kNotFound,
              fmt::format("holds several Secrets with user data ({}); {}", Shorten(names, kMostShown), remedy), where);
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

Result<std::optional<std::string>> ContainerIn(const std::string& bytes, const std::string& where,
                                               std::string_view name) {
  if (bytes.size() > kMostUserDataBytes) return std::nullopt;
  std::string text = bytes;
  if (DecodeMarked(text) && NamesUserData(text)) {
    // Other objects contain the same words.
    auto found = UserDataOfSecrets(std::move(text), where);
    if (!found) return std::nullopt;
    const auto is_ours = [](const UserDataFile& one) { return FindOurScript(one.bytes).has_value(); };
    if (std::ranges::none_of(*found, is_ours)) return std::nullopt;
    text = PROV_TRY(ChooseUserData(*std::move(found), name, "say with --name which one is meant", where)).bytes;
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
  return ChooseUserData(PROV_TRY(UserDataOfSecrets(std::move(text), path)), "",
                        "give a file with the one that is meant", path);
}

std::string PlainUserData(const std::string& bytes) {
  std::optional<std::string> ours = FindOurScript(bytes);
  return ours ? *std::move(ours) : bytes;
}

bool IsOurUserData(std::string_view bytes) { return FindOurScript(std::string(bytes)).has_value(); }

}  // namespace prov::userdata
