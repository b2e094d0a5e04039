// `controller`: keeps user data for new machines current in a cluster.
#include "provisioner/controller/controller.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/bake_user_data.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/deploy_controller.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/reporting_options.h"
#include "provisioner/cli/run_output.h"
#include "provisioner/cli/settings_spec.h"
#include "provisioner/cli/version.h"
#include "provisioner/egress/review.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/node/guards.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/source/kube_uri.h"
#include "provisioner/userdata/user_data.h"
#include "provisioner/userdata/user_data_secret.h"

namespace prov::cli {
namespace {

using controller::BakedUserData;
using controller::ControllerOrder;
using controller::KeepRound;

constexpr std::int64_t kControllerInterval = 300;  // seconds

struct ControllerOptions {
  bool json = false;
  bool once = false;
  ControllerOrder order;
  node::SettingsSpec spec;
  userdata::UserDataOptions user_data;
};

Result<source::KubeObject> SecretOf(const Arguments& arguments, std::string_view option) {
  auto [name_space, name] = PROV_TRY(NameInNamespace(arguments, option));
  return source::SecretObject(std::move(name_space), std::move(name));
}

// Of this process: a pod's name, and what tells it from an earlier one of the same name.
std::string IdentityOf(const std::string& host) {
  return fmt::format("{}_{:08x}{:08x}", host, source::KubeRandom(), source::KubeRandom());
}

Result<ControllerOrder> ParseOrder(const Arguments& arguments, const node::SettingsSpec& spec) {
  ControllerOrder out;
  if (!arguments.Has("secret"))
    return Fail(Code::kUsage, "is missing; name the Secret that deploy --print --keep-secret prints", "--secret");
  out.keep.secret = PROV_TRY(SecretOf(arguments, "secret"));
  PROV_TRY(userdata::CheckSecretName(out.keep.secret.name));
  if (arguments.Has("append-to-secret")) out.keep.append_to = PROV_TRY(SecretOf(arguments, "append-to-secret"));
  if (arguments.Has("lease")) {
    auto [name_space, name] = PROV_TRY(NameInNamespace(arguments, "lease"));
    out.lease = source::LeaseObject(std::move(name_space), std::move(name));
  }
  out.keep.version = VersionNumber();
  out.keep.machine_sets = arguments.Has("machine-sets");
  out.keep.host = source::ThisProcess().environment("POD_NAME").value_or("controller");
  out.identity = IdentityOf(out.keep.host);
  out.interval_seconds = PROV_TRY(ParseInterval(arguments)).value_or(kControllerInterval);
  static_cast<source::SourceSpec&>(out.source) = spec.source;
  out.cluster = spec.source;
  return out;
}

Result<ControllerOptions> ParseControllerOptions(const Arguments& arguments) {
  ControllerOptions out;
  out.json = PROV_TRY(WantsJson(arguments));
  out.once = arguments.Has("once");
  out.spec = PROV_TRY(ParseSettingsSpec(arguments));
  out.spec.source.source = arguments.Get("source");
  if (out.spec.source.source.empty())
    return Fail(Code::kUsage, "is missing; give the pool's config, such as kube:///worker", "--source");
  out.order = PROV_TRY(ParseOrder(arguments, out.spec));
  out.user_data = PROV_TRY(ParseUserDataOptions(arguments));
  PROV_TRY(userdata::CheckSecretPlatform(out.user_data.secret_form, out.user_data.platform));
  return out;
}

// As `bake` writes the Secret.
Result<BakedUserData> Bake(machine::Host& host, const ControllerOptions& options,
                           const std::optional<std::string>& foreign) {
  const node::DerivedSettings derived = PROV_TRY(node::Derive(PROV_TRY(node::ReadSettings(host, options.spec, {}))));
  const node::Settings& settings = derived.settings;
  if (settings.options.scope.certificates) PROV_TRY(node::GuardAgainstUnreadTrust(settings.config));
  PROV_TRY(egress::Review(settings.config, settings.options.trusted, host.clock().NowUnix()));
  PROV_TRY(node::GuardAgainstEmpty(settings.config, derived.desired));
  userdata::UserDataOptions user_data = options.user_data;
  user_data.generation = settings.generation.value_or(payload::kDefaultGeneration);
  if (foreign) {
    user_data.foreign = PROV_TRY(userdata::ReadForeignUserData(*foreign, options.order.keep.append_to->Path()));
    user_data.foreign->of_operators_secret = true;
  }
  const userdata::UserData data = PROV_TRY(userdata::MakeUserData(settings.config, derived.desired, user_data));
  BakedUserData out;
  out.data = PROV_TRY(userdata::UserDataSecretKeys(options.order.keep.secret.name, data, user_data));
  out.digest = settings.source_digest.empty() ? egress::SettingsDigest(settings.config) : settings.source_digest;
  out.credential_digest =
      derived.desired.holds_credentials ? egress::CredentialDigest(settings.config, out.digest) : std::nullopt;
  out.generation = user_data.generation;
  for (const std::string_view name : derived.desired.scope.Names()) out.scope.emplace_back(name);
  out.services = settings.options.services;
  return out;
}

std::string_view WordOf(const KeepRound& round) {
  if (round.failure) return "failed";
  return round.wrote_data ? "written" : round.lost_race ? "again" : "current";
}

std::string RoundText(const ControllerOptions& options, const KeepRound& round) {
  const source::KubeObject& secret = options.order.keep.secret;
  if (options.json) {
    JsonWriter json;
    json.BeginObject().Member("schema", 1);
    json.Member("secret", fmt::format("{}/{}", secret.name_space, secret.name)).Member("result", WordOf(round));
    if (round.failure) WriteError(json, *round.failure);
    json.Key("machineSets").BeginArray();
    for (const controller::MachineSetFault& one : round.machine_sets)
      json.BeginObject().Member("name", one.machine_set).Member("message", one.message).EndObject();
    json.EndArray();
    return json.EndObject().Text();
  }
  std::string out = fmt::format("{}/{}: {}", secret.name_space, secret.name, WordOf(round));
  if (round.failure) out += fmt::format("; new machines get the last user data: {}", round.failure->message);
  out = Printable(out) + "\n";
  for (const controller::MachineSetFault& one : round.machine_sets)
    out += fmt::format("  MachineSet {} {}\n", Printable(one.machine_set), Printable(one.message));
  return out;
}

void Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

Result<Outcome> RunControllerCommand(const Arguments& arguments, machine::Host& host) {
  const ControllerOptions options = PROV_TRY(ParseControllerOptions(arguments));
  const controller::UserDataBaker bake = [&](const std::optional<std::string>& foreign) {
    return Bake(host, options, foreign);
  };
  const source::SourcePorts ports{host.http(), host.clock()};
  if (options.once) {
    const KeepRound round = PROV_TRY(controller::KeepOnce(options.order, bake, ports));
    if (round.failure) return std::unexpected(*round.failure);
    return Outcome{0, RoundText(options, round), {}};
  }
  std::vector<controller::MachineSetFault> told;
  const controller::ControllerReports reports{
      .on_round =
          [&](const KeepRound& round) {
            if (round.failure || round.wrote_data || round.machine_sets != told) Print(RoundText(options, round));
            told = round.machine_sets;
          },
      .on_error = [&](const Error& error) { PrintFailure(options.json, error); }};
  controller::KeepOn(options.order, bake, ports, reports);
  return Outcome{};
}

}  // namespace

Command ControllerCommand() {
  CommandSpec spec = {
      "controller",
      "Keep the user data of new machines in a cluster as bake would write it now.",
      "",
      "Follows the source and the operator's Secret, and writes the Secret of --secret when one of them changes. It\n"
      "writes only a Secret with its own label, which deploy --print --keep-secret prints, and only over the version\n"
      "that it read. If the source can't be read, the Secret stays as it is, and its annotation\n"
      "egress-provisioner/state says why. Runs until it is asked to stop; --once makes one round.",
      "  $ provisioner controller --source kube:///worker --secret openshift-machine-api/windows-user-data-egress \\\n"
      "      --platform aws --append-to-secret openshift-machine-api/windows-user-data --once\n"
      "  openshift-machine-api/windows-user-data-egress: written",
      JoinOptions(
          {{{"source", "SOURCE", "where the settings come from, such as kube:///worker", Group::kSource},
            {"secret", "NAMESPACE/NAME", "the Secret to keep", Group::kUserData},
            {"append-to-secret", "NAMESPACE/NAME",
             "put our step before the script of this Secret, which is not changed", Group::kUserData},
            {"lease", "NAMESPACE/NAME", "the Lease that one of several controllers holds", Group::kRun},
            {"machine-sets", "",
             "also name the MachineSets for Windows in the Secret's namespace that name another Secret", Group::kRun},
            {"once", "", "make one round, and end", Group::kRun},
            IntervalOption()},
           KeptUserDataOptionSpecs(),
           SourceOptionSpecs(),
           DesiredOptionSpecs(),
           OutputOptionSpecs()})};
  return {.spec = std::move(spec), .run = RunControllerCommand};
}

}  // namespace prov::cli
