#include "provisioner/cli/check_secret.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/payload/egress_json.h"
#include "provisioner/reconcile/desired_state.h"
#include "provisioner/userdata/user_data_append.h"
#include "provisioner/userdata/user_data_container.h"
#include "provisioner/userdata/user_data_reader.h"

namespace prov::cli {
namespace {

struct Files {
  std::string ours;
  std::string theirs;         // "": the script is not compared
  source::SourceSpec source;  // no source: the settings are not compared
};

Result<Files> ParseFiles(const Arguments& arguments) {
  OptionGroup known = SecretCheckOptionSpecs();
  if (!arguments.positional().empty()) std::ranges::move(SourceOptionSpecs(), std::back_inserter(known));
  for (const std::string& name : arguments.Names()) {
    if (name != "output" && std::ranges::find(known, name, &OptionSpec::name) == known.end()) {
      return Fail(Code::kUsage, "can't be used with --secret, which only compares; leave it out",
                  fmt::format("--{}", name));
    }
  }
  if (arguments.positional().empty() && !arguments.Has("append-to")) {
    return Fail(Code::kUsage,
                "needs SOURCE, whose settings the Secret should have, or --append-to FILE: the operator's Secret "
                "windows-user-data, as oc get prints it today",
                "--secret");
  }
  return Files{arguments.Get("secret"), arguments.Get("append-to"), PROV_TRY(ParseSourceSpec(arguments))};
}

// Fails if both files have our step, or if they were given in the wrong order.
Result<void> CheckOrder(const Files& files, std::string_view ours, const std::string& theirs) {
  if (!userdata::IsOurs(userdata::PlainUserData(theirs))) return {};
  if (userdata::IsOurs(ours)) {
    return Fail(Code::kKind,
                "contains a step of provisioner, so it is not the operator's Secret; give windows-user-data as oc get "
                "prints it",
                files.theirs);
  }
  return Fail(Code::kKind,
              fmt::format("is the Secret with our step, and {} is the one without: the two files are swapped. Use "
                          "--secret {} --append-to {}",
                          files.ours, files.theirs, files.ours),
              files.theirs);
}

using Parts = std::vector<std::string_view>;

// Whether other than the operator's script of today is behind ours.
Result<bool> IsScriptStale(const Files& files, const std::string& bytes) {
  const std::string ours = userdata::PlainUserData(bytes);
  const std::string theirs = PROV_TRY(userdata::ReadUserDataFile(files.theirs)).bytes;
  PROV_TRY(CheckOrder(files, ours, theirs));
  const auto script = PROV_TRY(userdata::ReadForeignUserData(theirs, files.theirs));
  return !PROV_TRY(userdata::RunsBehindOurs(ours, script, files.ours));
}

std::string ProxyDigest(egress::EgressConfig config, const reconcile::DesiredState& state) {
  config.trust_file.present = false;
  config.proxy_file.present = state.scope.TakesProxy();
  return egress::SettingsDigest(config);
}

std::optional<std::string> HeldCredentials(const egress::EgressConfig& config, const reconcile::DesiredState& state) {
  return state.holds_credentials ? egress::CredentialDigest(config, "") : std::nullopt;
}

// The settings in user data of ours that differ from those which the source and the same options give.
Result<Parts> StaleSettings(const payload::EgressDocument& ours, const egress::EgressConfig& source) {
  reconcile::DesiredOptions options = ours.options;  // they lack what the source of then did not state
  const bool took_proxy = options.scope.TakesProxy() || ours.config.proxy_file.left_out;
  options.scope.machine = options.scope.machine || !took_proxy;
  options.scope.certificates = options.scope.certificates || !ours.config.trust_file.left_out;
  const auto held = PROV_TRY(reconcile::MakeDesiredState(ours.config, options));
  const auto wanted = PROV_TRY(reconcile::MakeDesiredState(source, options));
  Parts out;
  if (ProxyDigest(ours.config, held) != ProxyDigest(source, wanted)) out.emplace_back("proxy");
  if (HeldCredentials(ours.config, held) != HeldCredentials(source, wanted)) out.emplace_back("credentials");
  const auto digest = [](const auto& item) -> std::string_view { return item.certificate.sha256; };
  const bool elsewhere = !ours.config.trust_file.present && ours.config.not_read.trust;
  if (!elsewhere && !std::ranges::equal(held.certificates, wanted.certificates, {}, digest, digest))
    out.emplace_back("certificates");
  return out;
}

// The same of the two files. Adds what can't be compared to `findings`.
Result<Parts> StaleSettings(const Files& files, const std::string& bytes, machine::Host& host, Findings& findings) {
  const auto container = PROV_TRY(userdata::ContainerIn(bytes, files.ours));
  if (!container)
    return Fail(Code::kKind, "holds no settings of provisioner; give the Secret that bake made", files.ours);
  const auto ours = PROV_TRY(userdata::ReadContainer(*container, files.ours));
  std::ranges::copy(ours.config.findings, std::back_inserter(findings));
  return StaleSettings(ours, PROV_TRY(node::ReadSource(host, files.source)).config);
}

void AddStaleFinding(const Files& files, bool script, Findings& findings) {
  const std::string why = script ? fmt::format(
                                       "contains a different script than {}, so the operator may not reach new "
                                       "Machines: bake the Secret again with --append-to {}",
                                       files.theirs, files.theirs)
                                 : fmt::format(
                                       "has other settings than {}, so new Machines start with old ones: bake "
                                       "the Secret again",
                                       files.source.source);
  AddWarning(findings, "append-stale",
             fmt::format("{} {}, apply it, and delete the Machines that were made with the old one", files.ours, why),
             files.ours);
}

std::string SecretCheckJson(const Files& files, bool script, const Parts& settings, const Findings& findings) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("secret", files.ours);
  if (!files.theirs.empty()) json.Member("appendTo", files.theirs);
  json.Member("current", !script && settings.empty());
  if (!files.source.source.empty()) json.Strings("staleSettings", settings);
  WriteFindings(json, findings);
  return json.EndObject().Text();
}

std::string SecretCheckText(const Files& files, bool script, const Parts& settings) {
  std::string out = fmt::format("{}: {}: ", files.ours, script || !settings.empty() ? "stale" : "current");
  if (!files.theirs.empty())
    out += fmt::format("{} {}; ", script ? "its script is not that of" : "it runs the script of", files.theirs);
  if (files.source.source.empty()) {
    out += "its settings were not compared: give the SOURCE, too";
  } else {
    out += fmt::format("its settings are {}those of {}", settings.empty() ? "" : "not ", files.source.source);
    if (!settings.empty()) out += fmt::format(" ({})", fmt::join(settings, ", "));
  }
  return Printable(out) + "\n";
}

}  // namespace

OptionGroup SecretCheckOptionSpecs() {
  return {{"secret", "FILE",
           "a Secret with user data of provisioner, to compare with SOURCE, the file of --append-to, or both",
           Group::kChecks},
          {"append-to", "FILE", "with --secret: the operator's current script or Secret", Group::kChecks}};
}

Result<Outcome> CheckSecret(const Arguments& arguments, machine::Host& host) {
  const bool json = PROV_TRY(WantsJson(arguments));
  const Files files = PROV_TRY(ParseFiles(arguments));
  const std::string bytes = PROV_TRY(userdata::ReadUserDataFile(files.ours)).bytes;
  Outcome out;
  Parts settings;
  const bool script = !files.theirs.empty() && PROV_TRY(IsScriptStale(files, bytes));
  if (!files.source.source.empty()) settings = PROV_TRY(StaleSettings(files, bytes, host, out.findings));
  if (script || !settings.empty()) AddStaleFinding(files, script, out.findings);
  out.exit = script || !settings.empty() ? kExitDifferences : 0;
  out.out = json ? SecretCheckJson(files, script, settings, out.findings) : SecretCheckText(files, script, settings);
  if (json) out.findings.clear();
  return out;
}

}  // namespace prov::cli
