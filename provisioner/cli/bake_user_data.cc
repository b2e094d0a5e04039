#include "provisioner/cli/bake_user_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "ignition/gzip.h"
#include "ignition/json.h"
#include "provisioner/base/base64.h"
#include "provisioner/base/file.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/userdata/user_data.h"

namespace prov::cli {
namespace {

namespace fs = std::filesystem;

using userdata::CloudbaseForm;
using userdata::Platform;
using userdata::UserData;
using userdata::UserDataOptions;

constexpr std::uint64_t kForeignLimit = 4ULL << 20U;
// More than any platform takes, in a Secret.
constexpr std::uint64_t kFileLimit = 4ULL << 20U;
// In every script of user data; a cloud-config names a file by it.
constexpr std::string_view kMark = "ProvisionerUserData";
constexpr std::string_view kSecretKey = "\n  userData: ";

// Names of options that only some forms of a payload have a use for.
constexpr std::array<std::string_view, 7> kUserDataOnly = {"platform",     "ec2launch", "userdata-form", "exe-url",
                                                           "ca-transport", "append-to", "secret"};
constexpr std::array<std::string_view, 5> kNeverInUserData = {"exe", "unattend", "nodes", "label", "sign"};

// A manifest as `oc get secret -o yaml|json` prints it, rather than a script.
bool LooksLikeManifest(std::string_view bytes) {
  if (TrimBlanks(bytes).starts_with('{')) return true;
  const std::vector<std::string_view> lines = Split(bytes, '\n');
  const auto has = [&](std::string_view key) {
    return std::ranges::any_of(lines, [&](std::string_view line) { return line.starts_with(key); });
  };
  return has("kind:") && has("apiVersion:");
}

Result<std::string> UserDataOfSecret(std::string bytes, const std::string& where) {
  const ignition::Limits limits;
  bytes.reserve(bytes.size() + ignition::kJsonPadding);
  auto parsed = ignition::ParseJsonOrYaml(std::move(bytes), limits);
  if (!parsed) {
    Error error = std::move(parsed).error();
    error.where = fmt::format("{}: {}", where, error.where);
    return std::unexpected(std::move(error));
  }
  const ignition::JsonValue& root = (*parsed)->root();
  const auto member = [](const ignition::JsonValue* object, std::string_view name) {
    return object != nullptr && object->IsObject() ? ignition::Member(object, name) : nullptr;
  };
  const auto text = [&](std::string_view section) -> const ignition::JsonValue* {
    const ignition::JsonValue* value = member(member(&root, section), "userData");
    return value != nullptr && value->IsString() ? value : nullptr;
  };
  if (const ignition::JsonValue* kind = member(&root, "kind");
      kind == nullptr || !kind->IsString() || ignition::TextOf(*kind) != "Secret") {
    return Fail(Code::kKind, "is an object, but no Secret; give the Secret as oc get prints it, or its user data",
                where);
  }
  // What the API server does: stringData wins.
  if (const ignition::JsonValue* plain = text("stringData")) return std::string(ignition::TextOf(*plain));
  const ignition::JsonValue* encoded = text("data");
  if (encoded == nullptr) {
    return Fail(Code::kKind, "has no text data.userData, where the user data of machines is", where);
  }
  auto decoded = DecodeBase64(TrimBlanks(ignition::TextOf(*encoded)));
  if (!decoded) return Fail(Code::kKind, "is no base64", fmt::format("{}: $.data.userData", where));
  return *std::move(decoded);
}

Result<userdata::ForeignUserData> Foreign(const std::string& path) {
  std::string bytes = PROV_TRY(ReadFile(path, kForeignLimit));
  if (LooksLikeManifest(bytes)) bytes = PROV_TRY(UserDataOfSecret(std::move(bytes), path));
  return userdata::ReadForeignUserData(bytes, path);
}

Result<Platform> ParsePlatform(const Arguments& arguments) {
  std::vector<std::string_view> names;
  for (const userdata::Channel& channel : userdata::Channels()) names.push_back(channel.name);
  if (!arguments.Has("platform")) {
    return Fail(Code::kUsage, fmt::format("--platform is missing: one of {}", fmt::join(names, ", ")),
                "--format userdata");
  }
  return userdata::PlatformOf(PROV_TRY(OneOf(arguments, "platform", names))).value_or(Platform::kNone);
}

Result<UserDataOptions> ParseOptions(const Arguments& arguments) {
  constexpr std::array<std::string_view, 2> kAgents = {"1", "2"};
  constexpr std::array<std::string_view, 3> kForms = {"ps1", "multipart", "cloud-config"};
  UserDataOptions out;
  out.platform = PROV_TRY(ParsePlatform(arguments));
  const std::string agent = PROV_TRY(OneOf(arguments, "ec2launch", kAgents));
  out.ec2launch_v2 = agent.starts_with('2');
  const std::string form = PROV_TRY(OneOf(arguments, "userdata-form", kForms));
  if (form == "multipart") out.form = CloudbaseForm::kMultipart;
  if (form == "cloud-config") out.form = CloudbaseForm::kCloudConfig;
  if (arguments.Has("exe-url")) out.exe = PROV_TRY(userdata::ParseDownload(arguments.Get("exe-url"), "--exe-url"));
  if (const std::string transport = arguments.Get("ca-transport", "inline"); transport != "inline") {
    out.bundle = PROV_TRY(userdata::ParseDownload(transport, "--ca-transport"));
  }
  if (arguments.Has("append-to")) out.foreign = PROV_TRY(Foreign(arguments.Get("append-to")));
  return out;
}

std::string Json(const BakeJob& job, const userdata::Channel& channel, const UserData& data,
                 const std::optional<std::string>& secret) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("out", job.path).Member("format", "userdata");
  json.Member("platform", channel.name).Member("bytes", data.bytes.size()).Key("limit");
  if (channel.limit == 0) {
    json.Null();
  } else {
    json.Int(static_cast<std::int64_t>(channel.limit));
  }
  if (secret) json.Member("secret", *secret);
  json.Member("generation", job.generation).Member("holdsCredentials", data.secret).Key("scope").BeginArray();
  for (const std::string_view name : job.state.scope.Names()) json.String(name);
  json.EndArray();
  WriteFindings(json, job.findings);
  return json.EndObject().Text();
}

std::string Text(const BakeJob& job, const userdata::Channel& channel, const UserData& data,
                 const std::optional<std::string>& secret) {
  const std::string limit = channel.limit == 0 ? "" : fmt::format(" of {}", channel.limit);
  return fmt::format("{}wrote  {} ({}user data for {}, {}{} bytes, generation {}){}\n", job.described,
                     Printable(job.path), secret ? fmt::format("Secret {}, ", *secret) : "", channel.name,
                     data.bytes.size(), limit, job.generation, data.secret ? "  secret" : "");
}

Result<void> CheckArguments(const Arguments& arguments, std::string_view format) {
  const bool user_data = format == "userdata";
  for (const std::string_view name : user_data ? std::span<const std::string_view>(kNeverInUserData) : kUserDataOnly) {
    if (!arguments.Has(name)) continue;
    if (name == "exe") {
      return Fail(Code::kUsage, "is too large for user data; put it where nodes can fetch it: --exe-url URL#sha256=...",
                  "--exe");
    }
    if (name == "exe-url") {
      return Fail(Code::kUsage, "belongs to --format userdata; other forms carry the program itself: --exe FILE",
                  "--exe-url");
    }
    return Fail(
        Code::kUsage,
        user_data ? "does not go with --format userdata" : "belongs to --format userdata; add it or leave this out",
        fmt::format("--{}", name));
  }
  return {};
}

// What a guestinfo value or a Secret holds; empty for other text.
std::string Unpacked(std::string_view text) {
  const std::size_t key = text.find(kSecretKey);
  if (key != std::string_view::npos) text.remove_prefix(key + kSecretKey.size());
  const auto bytes = DecodeBase64(TrimBlanks(text));
  if (!bytes) return {};
  if (!ignition::LooksLikeGzip(*bytes)) return *bytes;
  return ignition::Gunzip(*bytes, kFileLimit, "").value_or("");
}

// Whether these are user data that this program made, in any of its forms, or a Secret with it.
bool IsOurUserData(std::string_view bytes) {
  if (bytes.find(kMark) != std::string_view::npos) return true;
  const std::string inner = Unpacked(bytes);
  if (inner.find(kMark) != std::string_view::npos) return true;
  // A Secret with a guestinfo value.
  return Unpacked(inner).find(kMark) != std::string_view::npos;
}

Result<void> CheckReplaceable(const std::string& path, const fs::path& native) {
  std::error_code error;
  const fs::file_status there = fs::status(native, error);
  if (there.type() == fs::file_type::not_found) return {};
  if (there.type() == fs::file_type::regular) {
    const auto bytes = ReadFile(native.is_absolute() ? path : "./" + path, kFileLimit);
    if (bytes && (bytes->empty() || IsOurUserData(*bytes))) return {};
  }
  return Fail(Code::kTarget, "is there already and is no user data of this program; choose another --out or remove it",
              path);
}

// Replaces only what is empty or our user data: a mistyped name must not cost somebody's file. Missing parents are
// made. `secret`: mode 0600. Errors: target, io.
Result<void> WriteUserData(const std::string& path, std::string_view bytes, bool secret) {
  const fs::path native(std::u8string(path.begin(), path.end()));
  PROV_TRY(CheckReplaceable(path, native));
  std::error_code error;
  if (const fs::path parent = native.parent_path(); !parent.empty()) fs::create_directories(parent, error);
  if (error) return Fail(Code::kTarget, fmt::format("cannot make the folder: {}", error.message()), path);
  return WriteFileAtomically(path, bytes, secret ? 0600 : 0644);
}

}  // namespace

std::vector<OptionSpec> UserDataOptionSpecs() {
  return {
      {"platform", "NAME",
       "with --format userdata: whose user data PATH is: aws, azure, gcp, vsphere, nutanix, openstack, none",
       Group::kUserData},
      {"ec2launch", "1|2", "aws: tags, which both launch agents take, or v2's YAML (default: 1)", Group::kUserData},
      {"userdata-form", "ps1|multipart|cloud-config", "what cloudbase-init is given (default: ps1)", Group::kUserData},
      {"exe-url", "URL#sha256=HEX",
       "user data: fetch provisioner.exe through the new proxy; it takes over and reconciles", Group::kUserData, true},
      {"ca-transport", "inline|URL#sha256=HEX",
       "user data: the certificates are in it, or fetched from there, a PEM file (default: inline)", Group::kUserData,
       true},
      {"append-to", "FILE", "user data: put our step before this script, or that of this Secret, which stays as it is",
       Group::kUserData},
      {"secret", "NAME", "user data: write a Secret manifest for openshift-machine-api that holds it",
       Group::kUserData}};
}

Result<std::optional<UserDataRequest>> ParseUserDataArguments(const Arguments& arguments, std::string_view format) {
  PROV_TRY(CheckArguments(arguments, format));
  if (format != "userdata") return std::nullopt;
  UserDataRequest out;
  if (arguments.Has("secret")) {
    out.secret = arguments.Get("secret");
    PROV_TRY(userdata::CheckSecretName(*out.secret));
  }
  out.options = PROV_TRY(ParseOptions(arguments));
  return out;
}

Result<Outcome> BakeUserData(UserDataRequest request, BakeJob job) {
  UserDataOptions& options = request.options;
  options.generation = job.generation;
  const UserData data = PROV_TRY(userdata::MakeUserData(job.config, job.state, options));
  const std::string bytes = request.secret ? PROV_TRY(userdata::UserDataSecret(*request.secret, data)) : data.bytes;
  // What another script holds is not ours to show.
  PROV_TRY(WriteUserData(job.path, bytes, data.secret || options.foreign));
  for (const Findings* more : {&job.state.findings, &data.findings}) {
    for (const Finding& f : *more) {
      if (std::ranges::find(job.findings, f) == job.findings.end()) job.findings.push_back(f);
    }
  }
  const userdata::Channel& channel = userdata::ChannelOf(options.platform);
  if (job.json) return Outcome{0, Json(job, channel, data, request.secret), {}};
  std::string text = Text(job, channel, data, request.secret);
  return Outcome{0, std::move(text), std::move(job.findings)};
}

}  // namespace prov::cli
