#include "provisioner/cli/bake_user_data.h"

#include <fmt/format.h>

#include <array>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/own_file.h"
#include "provisioner/userdata/user_data.h"
#include "provisioner/userdata/user_data_reader.h"
#include "provisioner/userdata/user_data_secret.h"

namespace prov::cli {
namespace {

using userdata::GuestInfo;
using userdata::Platform;
using userdata::SecretForm;
using userdata::UserData;
using userdata::UserDataOptions;

// 4 MiB: more than any platform accepts, even in a Secret.
constexpr OwnFile kUserDataFile{"user data", "--out", 4ULL << 20U, userdata::IsOurUserData};

// Options that apply to some forms of a payload only.
constexpr std::array<std::string_view, 6> kUserDataOnly = {"platform",  "exe-url", "ca-transport",
                                                           "append-to", "secret",  "secret-form"};
constexpr std::array<std::string_view, 5> kNeverInUserData = {"exe", "unattend", "nodes", "label", "sign"};

Result<userdata::ForeignUserData> Foreign(const std::string& path) {
  const userdata::UserDataFile file = PROV_TRY(userdata::ReadUserDataFile(path));
  userdata::ForeignUserData out = PROV_TRY(userdata::ReadForeignUserData(file.bytes, path));
  out.of_operators_secret = file.secret == userdata::kOperatorsSecret;
  return out;
}

Result<Platform> ParsePlatform(const Arguments& arguments) {
  if (!arguments.Has("platform")) {
    std::vector<std::string_view> names;
    for (const userdata::Channel& channel : userdata::Channels()) names.push_back(channel.name);
    return Fail(Code::kUsage, fmt::format("--platform is missing: one of {}", fmt::join(names, ", ")),
                "--format userdata");
  }
  return userdata::PlatformOf(PROV_TRY(OneOf(arguments, "platform"))).value_or(Platform::kNone);
}

Result<SecretForm> ParseSecretForm(const Arguments& arguments) {
  if (!arguments.Has("secret-form")) return SecretForm::kMachineApi;
  if (!arguments.Has("secret") && !arguments.Has("keep-secret"))
    return Fail(Code::kUsage, "belongs to --secret NAME; add it", "--secret-form");
  const std::string form = PROV_TRY(OneOf(arguments, "secret-form"));
  return form == "cluster-api" ? SecretForm::kClusterApi : SecretForm::kMachineApi;
}

void WriteGuestInfo(JsonWriter& json, const GuestInfo& info) {
  json.Key("guestinfo").BeginObject().Member("userdata.encoding", GuestInfo::kEncoding);
  json.Member("metadata", info.metadata).Member("metadata.encoding", GuestInfo::kMetadataEncoding).EndObject();
  json.Member("instanceId", info.instance_id).Member("metadataServices", GuestInfo::kMetadataServices);
}

// The settings that belong to the value, ready to be copied.
std::string GuestInfoText(const GuestInfo& info) {
  return fmt::format(
      "set    guestinfo.userdata.encoding = {}\n"
      "set    guestinfo.metadata = {}\n"
      "set    guestinfo.metadata.encoding = {}\n"
      "image  metadata_services={} (in cloudbase-init.conf)\n",
      GuestInfo::kEncoding, info.metadata, GuestInfo::kMetadataEncoding, GuestInfo::kMetadataServices);
}

std::string UserDataJson(const BakeJob& job, const userdata::Channel& channel, const UserData& data,
                         const std::optional<std::string>& secret) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("out", job.path).Member("format", "userdata");
  json.Member("platform", channel.name).Member("bytes", data.bytes.size());
  json.Member("limit", channel.limit == 0 ? std::nullopt : std::optional(channel.limit));
  if (secret) json.Member("secret", *secret);
  if (data.guest_info) WriteGuestInfo(json, *data.guest_info);
  json.Member("generation", job.generation)
      .Member("holdsCredentials", data.secret)
      .Strings("scope", job.state.scope.Names());
  WriteFindings(json, job.findings);
  return json.EndObject().Text();
}

std::string UserDataText(const BakeJob& job, const userdata::Channel& channel, const UserData& data,
                         const std::optional<std::string>& secret) {
  const std::string limit = channel.limit == 0 ? "" : fmt::format(" of {}", channel.limit);
  const std::string wrote =
      fmt::format("{}wrote  {} ({}user data for {}, {}{} bytes, generation {}){}\n", job.described, Printable(job.path),
                  secret ? fmt::format("Secret {}, ", *secret) : "", channel.name, data.bytes.size(), limit,
                  job.generation, data.secret ? "  secret" : "");
  return wrote + (data.guest_info ? GuestInfoText(*data.guest_info) : "");
}

Result<void> CheckUserDataArguments(const Arguments& arguments, std::string_view format) {
  const bool user_data = format == "userdata";
  for (const std::string_view name : user_data ? std::span<const std::string_view>(kNeverInUserData) : kUserDataOnly) {
    if (!arguments.Has(name)) continue;
    if (name == "exe") {
      return Fail(Code::kUsage, "is too large for user data; put it where nodes can fetch it: --exe-url URL#sha256=...",
                  "--exe");
    }
    if (name == "exe-url") {
      return Fail(Code::kUsage, "needs --format userdata; other formats contain the program itself, so use --exe FILE",
                  "--exe-url");
    }
    return Fail(Code::kUsage,
                user_data ? "can't be used with --format userdata; leave it out"
                          : "needs --format userdata; add it, or leave this option out",
                fmt::format("--{}", name));
  }
  return {};
}

// The user data of a Secret is a script, and not a Secret itself.
Result<void> CheckScriptName(const Arguments& arguments) {
  const std::string path = AsciiLower(arguments.Get("out"));
  if (arguments.Has("secret") || !arguments.Has("append-to") || !(path.ends_with(".yaml") || path.ends_with(".yml"))) {
    return {};
  }
  return Fail(Code::kUsage,
              "names a manifest, but without --secret the file is the script itself; add --secret NAME, or choose a "
              "name without this ending",
              fmt::format("--out {}", arguments.Get("out")));
}

// Warns about user data that OpenStack would change, for the case that it is put into a Secret by other means.
void AddTemplateFinding(const UserDataOptions& options, const UserData& data, Findings& findings) {
  if (options.platform != Platform::kOpenstack || data.bytes.find("{{") == std::string::npos) return;
  AddWarning(findings, "userdata-template",
             "the script contains two braces in a row ({{), which the Machine API provider for OpenStack reads as a Go "
             "template: use --secret NAME, which writes a Secret with disableTemplating",
             "--append-to");
}

}  // namespace

void AddWithoutKeys(std::string_view secret, std::string_view append, Findings& findings) {
  AddWarning(findings, "append-no-keys",
             fmt::format("machines with this Secret do not run the operator's script, which lets the operator in by "
                         "SSH, so it deletes them: give its Secret windows-user-data with {}",
                         append),
             std::string(secret));
}

Result<UserDataOptions> ParseUserDataOptions(const Arguments& arguments) {
  UserDataOptions out;
  out.platform = PROV_TRY(ParsePlatform(arguments));
  if (arguments.Has("exe-url")) out.exe = PROV_TRY(userdata::ParseDownload(arguments.Get("exe-url"), "--exe-url"));
  if (const std::string transport = arguments.Get("ca-transport", "inline"); transport != "inline") {
    out.bundle = PROV_TRY(userdata::ParseDownload(transport, "--ca-transport"));
  }
  if (arguments.Has("append-to")) out.foreign = PROV_TRY(Foreign(arguments.Get("append-to")));
  out.wmco = arguments.Has("with-wmco");
  out.secret_form = PROV_TRY(ParseSecretForm(arguments));
  return out;
}

OptionGroup KeptUserDataOptionSpecs() {
  return {
      {"platform", "NAME", "with --format userdata: the platform: aws, azure, gcp, vsphere, nutanix, openstack, none",
       Group::kUserData, false, "aws azure gcp vsphere nutanix openstack none"},
      {"exe-url", "URL#sha256=HEX",
       "user data: download provisioner.exe through the new proxy, install it and let it reconcile", Group::kUserData,
       true},
      {"ca-transport", "inline|URL#sha256=HEX",
       "user data: include the certificates, or download them as a PEM file from this URL (default: inline)",
       Group::kUserData, true},
      {"secret-form", "machine-api|cluster-api",
       "with --secret: for OpenShift's MachineSets (namespace openshift-machine-api), or for Machines of the Cluster "
       "API (default: machine-api)",
       Group::kUserData}};
}

OptionGroup UserDataOptionSpecs() {
  return JoinOptions(
      {KeptUserDataOptionSpecs(),
       {{"append-to", "FILE",
         "user data: put our step before this script, or the script of this Secret, which is not changed",
         Group::kUserData},
        {"secret", "NAME", "user data: write the manifest of a Secret that contains it, for the machines of a cluster",
         Group::kUserData}}});
}

Result<std::optional<UserDataRequest>> ParseUserDataArguments(const Arguments& arguments, std::string_view format) {
  PROV_TRY(CheckUserDataArguments(arguments, format));
  if (format != "userdata") return std::nullopt;
  PROV_TRY(CheckScriptName(arguments));
  UserDataRequest out;
  if (arguments.Has("secret")) {
    out.secret = arguments.Get("secret");
    PROV_TRY(userdata::CheckSecretName(*out.secret));
  }
  out.options = PROV_TRY(ParseUserDataOptions(arguments));
  if (out.secret) PROV_TRY(userdata::CheckSecretPlatform(out.options.secret_form, out.options.platform));
  return out;
}

Result<Outcome> BakeUserData(UserDataRequest request, BakeJob job) {
  UserDataOptions& options = request.options;
  options.generation = job.generation;
  if (request.secret && options.wmco && !options.foreign) AddWithoutKeys("--secret", "--append-to", job.findings);
  const UserData data = PROV_TRY(userdata::MakeUserData(job.config, job.state, options));
  if (!request.secret) AddTemplateFinding(options, data, job.findings);
  const std::string bytes =
      request.secret ? PROV_TRY(userdata::UserDataSecret(*request.secret, data, options)) : data.bytes;
  // Another script's contents may be secret, so only the owner may read the file.
  PROV_TRY(WriteOwnFile(job.path, bytes, data.secret || options.foreign ? 0600 : 0644, kUserDataFile));
  AddNewFindings(job.findings, job.state.findings);
  AddNewFindings(job.findings, data.findings);
  const userdata::Channel& channel = userdata::ChannelOf(options.platform);
  if (job.json) return Outcome{0, UserDataJson(job, channel, data, request.secret), {}};
  std::string text = UserDataText(job, channel, data, request.secret);
  return Outcome{0, std::move(text), std::move(job.findings)};
}

}  // namespace prov::cli
